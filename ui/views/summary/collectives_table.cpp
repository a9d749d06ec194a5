#include "ui/views/summary/collectives_table.h"

#include "ui/models/collectives_model.h"
#include "ui/models/collectives_order.h"
#include "ui/theme/measures.h"
#include "ui/widgets/table_csv.h"

#include <QHeaderView>
#include <QWheelEvent>

#include <algorithm>

namespace ui {

namespace {
    constexpr int maxVisibleRows = 12, maxMeasuredRows = 50;
    constexpr int maxShownRows = 100'000; ///< what a widget can be high for
}

CollectivesTable::CollectivesTable(std::shared_ptr<const core::Diagnosis> diagnosis,
                                   QWidget *parent)
    : QTableView(parent)
    , m_model(new CollectivesModel(this))
    , m_sorted(new CollectivesOrder(*m_model, this))
{
    m_model->setSnapshot(std::move(diagnosis));
    setModel(m_sorted);
    setSortingEnabled(true);
    sortByColumn(CollectivesModel::WaitColumn, Qt::DescendingOrder);
    setSelectionBehavior(QAbstractItemView::SelectRows);
    setSelectionMode(QAbstractItemView::SingleSelection);
    setEditTriggers(QAbstractItemView::NoEditTriggers);
    setShowGrid(false);
    setFrameShape(QFrame::NoFrame);
    setWordWrap(false);
    setTextElideMode(Qt::ElideMiddle);
    setTabKeyNavigation(false);
    verticalHeader()->hide();
    verticalHeader()->setDefaultSectionSize(comfortableRowHeight);
    horizontalHeader()->setHighlightSections(false);
    horizontalHeader()->setFixedHeight(comfortableRowHeight);
    // Figures take what they need, names share the rest. As figures are of a few lengths, some rows
    // tell what they need; each is asked for its text at every sort.
    horizontalHeader()->setResizeContentsPrecision(maxMeasuredRows);
    horizontalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    for (const int names : { CollectivesModel::NameColumn, CollectivesModel::GroupColumn })
        horizontalHeader()->setSectionResizeMode(names, QHeaderView::Stretch);
    setVerticalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    showAll(false);
    connect(this, &QTableView::activated, this, &CollectivesTable::activateRow);
    offerCsv(static_cast<QAbstractItemView &>(*this), QStringLiteral("collectives"));
}

bool CollectivesTable::hasMore() const
{
    return m_model->rowCount() > maxVisibleRows;
}

void CollectivesTable::showAll(bool isAll)
{
    const int rows = std::min(m_model->rowCount(), isAll ? maxShownRows : maxVisibleRows);
    // No more: SVG and PDF would show the whole of a row that begins at the end.
    setFixedHeight(comfortableRowHeight * (rows + 1));
}

/// The page scrolls.
void CollectivesTable::wheelEvent(QWheelEvent *event)
{
    event->ignore();
}

void CollectivesTable::activateRow(const QModelIndex &index)
{
    const core::CollectiveReport &collective
        = m_model->collective(m_sorted->mapToSource(index).row());
    const core::CollectiveRankReport *part = longestWait(collective);
    if (part == nullptr)
        return;
    core::TimeRange range { part->startNs, part->endNs };
    for (const core::CollectiveRankReport &rank : collective.ranks) {
        range.startNs = std::min(range.startNs, rank.startNs);
        range.endNs = std::max(range.endNs, rank.endNs);
    }
    emit collectiveActivated(part->slice, range);
}

} // namespace ui
