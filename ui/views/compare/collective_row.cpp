#include "ui/views/compare/collective_row.h"

#include "ui/theme/measures.h"
#include "ui/widgets/text_label.h"

#include <QCheckBox>
#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QSignalBlocker>
#include <QSpinBox>
#include <QVBoxLayout>

#include <algorithm>

namespace ui {

using core::CollectiveAlgorithm;

CollectiveRow::CollectiveRow(QWidget *parent)
    : QWidget(parent)
    , m_box(new QCheckBox(tr("All-reduce algorithm"), this))
    , m_algorithm(new QComboBox(this))
    , m_servers(new QSpinBox(this))
{
    m_algorithm->addItem(tr("Ring"), int(CollectiveAlgorithm::Ring));
    m_algorithm->addItem(tr("Tree"), int(CollectiveAlgorithm::Tree));
    m_algorithm->addItem(tr("Hierarchical"), int(CollectiveAlgorithm::Hierarchical));
    m_algorithm->addItem(tr("Parameter server"), int(CollectiveAlgorithm::ParameterServer));
    m_algorithm->setAccessibleName(m_box->text());
    m_servers->setRange(1, 1024);
    m_servers->setPrefix(tr("servers: "));
    auto *choice = new QHBoxLayout;
    choice->addWidget(m_algorithm);
    choice->addWidget(m_servers);
    choice->addStretch();
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_box);
    layout->addLayout(choice);
    layout->addWidget(
        createLabel(tr("Measured transfers are taken to be rings"), TextRole::Small, this));
    connect(m_box, &QCheckBox::toggled, this, &CollectiveRow::valueChanged);
    const auto choose = [this] {
        const QSignalBlocker quiet(m_box);
        m_box->setChecked(true);
        showServers();
        emit valueChanged();
    };
    connect(m_algorithm, &QComboBox::currentIndexChanged, this, choose);
    connect(m_servers, &QSpinBox::valueChanged, this, choose);
    showServers();
}

std::optional<core::CollectiveChoice> CollectiveRow::value() const
{
    if (!m_box->isChecked())
        return std::nullopt;
    const auto algorithm = static_cast<CollectiveAlgorithm>(m_algorithm->currentData().toInt());
    const bool hasServers = algorithm == CollectiveAlgorithm::ParameterServer;
    return core::CollectiveChoice { algorithm, hasServers ? m_servers->value() : 1 };
}

void CollectiveRow::setValue(const std::optional<core::CollectiveChoice> &value)
{
    const QSignalBlocker quietBox(m_box);
    const QSignalBlocker quietAlgorithm(m_algorithm);
    const QSignalBlocker quietServers(m_servers);
    m_box->setChecked(value.has_value());
    if (value) {
        m_algorithm->setCurrentIndex(m_algorithm->findData(int(value->algorithm)));
        m_servers->setMaximum(std::max(m_servers->maximum(), value->servers));
        m_servers->setValue(value->servers);
    }
    showServers();
}

void CollectiveRow::showServers()
{
    m_servers->setVisible(m_algorithm->currentData().toInt()
                          == int(CollectiveAlgorithm::ParameterServer));
}

} // namespace ui
