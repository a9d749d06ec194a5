#include "ui/widgets/dense_table.h"

#include "ui/theme/measures.h"

#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QTableView>

namespace ui {

void setUpDenseTable(QTableView &table)
{
    table.setShowGrid(false);
    table.setWordWrap(false);
    table.setTextElideMode(Qt::ElideMiddle);
    table.setTabKeyNavigation(false);
    table.setSelectionBehavior(QAbstractItemView::SelectRows);
    table.setEditTriggers(QAbstractItemView::NoEditTriggers);
    table.verticalHeader()->hide();
    table.verticalHeader()->setDefaultSectionSize(denseRowHeight);
    table.horizontalHeader()->setHighlightSections(false);
}

void setUpSortedTable(QTableView &table, QAbstractItemModel &model, QSortFilterProxyModel &sorted,
                      int sortRole, int column)
{
    sorted.setSourceModel(&model);
    sorted.setSortRole(sortRole);
    table.setModel(&sorted);
    table.setSortingEnabled(true);
    table.sortByColumn(column, Qt::AscendingOrder);
    table.setSelectionMode(QAbstractItemView::SingleSelection);
    setUpDenseTable(table);
}

} // namespace ui
