#include "ui/views/compare/memory_strip.h"

#include "ui/models/peak_memory_model.h"
#include "ui/theme/measures.h"
#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QPushButton>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    constexpr int MostMemoryRows = 6; ///< of the table; more are scrolled to

    QTableView *createMemoryTable(PeakMemoryModel &model, QWidget *parent)
    {
        auto *table = new QTableView(parent);
        table->setModel(&model);
        table->setSelectionBehavior(QAbstractItemView::SelectRows);
        table->setEditTriggers(QAbstractItemView::NoEditTriggers);
        table->setShowGrid(false);
        table->setWordWrap(false);
        table->setTabKeyNavigation(false);
        table->setAccessibleName(MemoryStrip::tr("Peak memory of each device"));
        table->verticalHeader()->hide();
        table->verticalHeader()->setDefaultSectionSize(denseRowHeight);
        table->horizontalHeader()->setHighlightSections(false);
        table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
        offerCsv(*table, QStringLiteral("memory"));
        return table;
    }

} // namespace

MemoryStrip::MemoryStrip(QWidget *parent)
    : QWidget(parent)
    , m_line(new ElidedLabel(TextRole::Secondary, this))
    , m_more(createLink({}, this))
    , m_model(new PeakMemoryModel(this))
    , m_table(createMemoryTable(*m_model, this))
{
    auto *row = new QHBoxLayout;
    row->setContentsMargins(space::large, space::tiny, space::large, space::tiny);
    row->addWidget(m_line, 1);
    row->addWidget(m_more);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(row);
    column->addWidget(m_table);
    connect(m_more, &QPushButton::clicked, this, [this] { setExpanded(!m_isExpanded); });
    setMemory(nullptr);
}

void MemoryStrip::setMemory(std::shared_ptr<const core::PeakMemory> memory)
{
    setVisible(memory != nullptr);
    m_line->setFullText(memory != nullptr ? peakMemoryText(*memory) : QString());
    m_model->setSnapshot(std::move(memory));
    showTable();
}

void MemoryStrip::setExpanded(bool expanded)
{
    m_isExpanded = expanded;
    showTable();
}

void MemoryStrip::showTable()
{
    const int devices = m_model->rowCount();
    m_more->setVisible(devices > 1);
    m_more->setText(
        m_isExpanded
            ? tr("Hide the devices")
            : tr("Show all %1 devices").arg(formatCount(static_cast<std::uint64_t>(devices))));
    m_table->setVisible(m_isExpanded && devices > 1);
    const int rows = std::min(devices, MostMemoryRows);
    m_table->setFixedHeight(m_table->horizontalHeader()->sizeHint().height() + rows * denseRowHeight
                            + 2 * m_table->frameWidth());
}

} // namespace ui
