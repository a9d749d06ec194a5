#pragma once

class QAbstractItemModel;
class QSortFilterProxyModel;
class QTableView;

namespace ui {

/// Narrow rows that are selected whole, without grid, wrapping and numbers of rows; long texts are
/// cut in the middle. Tab goes on to the next control.
void setUpDenseTable(QTableView &table);

/// The same of a table that shows `model` by way of `sorted`, in the order of `sortRole`: by
/// `column`, the smallest first, until a header is clicked. One row is selected at a time.
void setUpSortedTable(QTableView &table, QAbstractItemModel &model, QSortFilterProxyModel &sorted,
                      int sortRole, int column);

} // namespace ui
