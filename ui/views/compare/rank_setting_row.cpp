#include "ui/views/compare/rank_setting_row.h"

#include "ui/theme/measures.h"

#include <QComboBox>
#include <QSignalBlocker>
#include <QVBoxLayout>

namespace ui {

RankSettingRow::RankSettingRow(const QString &title, const QString &hint,
                               const SettingRow::Range &range, QWidget *parent)
    : QWidget(parent)
    , m_rank(new QComboBox(this))
    , m_row(new SettingRow(title, hint, range, this))
{
    m_rank->setAccessibleName(tr("Rank of: %1").arg(title));
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(space::tiny);
    layout->addWidget(m_rank, 0, Qt::AlignLeft);
    layout->addWidget(m_row);
    connect(m_rank, &QComboBox::currentIndexChanged, this, &RankSettingRow::showChosen);
    connect(m_row, &SettingRow::valueChanged, this, [this] {
        keepChosen();
        emit valueChanged();
    });
}

void RankSettingRow::setRanks(const QList<int> &ranks)
{
    const QSignalBlocker quiet(m_rank);
    m_rank->clear();
    for (const int rank : ranks)
        m_rank->addItem(tr("Rank %1 alone").arg(rank), rank);
    showChosen();
}

void RankSettingRow::setRange(const SettingRow::Range &range)
{
    m_row->setRange(range);
}

void RankSettingRow::setValues(const std::map<int, double> &values)
{
    const bool isShown = values == m_values;
    m_values = values;
    const QSignalBlocker quiet(m_rank);
    for (const auto &[rank, value] : values) {
        const int index = m_rank->findData(rank);
        if (!isShown && index >= 0) {
            m_rank->setCurrentIndex(index);
            break;
        }
    }
    showChosen();
}

void RankSettingRow::showChosen()
{
    const auto chosen = m_values.find(m_rank->currentData().toInt());
    m_row->setEnabled(m_rank->currentIndex() >= 0);
    m_row->setValue(chosen == m_values.end() ? std::nullopt : std::optional(chosen->second));
}

void RankSettingRow::keepChosen()
{
    const int rank = m_rank->currentData().toInt();
    if (const auto value = m_row->value())
        m_values[rank] = *value;
    else
        m_values.erase(rank);
}

} // namespace ui
