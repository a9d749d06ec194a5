#pragma once

#include <QAbstractItemModel>
#include <QModelIndexList>
#include <QString>
#include <QVariant>

#include <functional>

class QAbstractItemView;
class QWidget;

namespace ui {

/// What a model may answer for CSV: of a cell its exact value (a number, or text), of a header the
/// column's name with its unit ("own_ns"). Without it the shown text counts, see tableCsv().
inline constexpr int CsvRole = Qt::UserRole + 900;

/// Cells of one line with its end (RFC 4180), formulas made harmless, see core::csvField().
QString csvLine(const QVariantList &cells);

/// Header and rows (all, or these, in the view's order) of a flat model. Columns that show
/// durations, sizes, parts or rates become numbers in ns, B, % or GB/s, with the unit behind the
/// column's title: "Longest wait (ns)". A column with other text in it stays as it is shown.
QString tableCsv(const QAbstractItemModel &model, const QModelIndexList &rows = {});

/// A header that names its unit, "Duration (ns)", as the models that answer CsvRole write it.
QString titleWithUnit(const QString &title, const QString &unit);

/// Puts "Copy as CSV" (all rows) and "Save as CSV..." into the view's context menu; Ctrl+C copies
/// the selected rows unless it has that key for something else. `name`: of the file that is
/// proposed, without suffix. What was done is said as a status tip of the window.
void offerCsv(QAbstractItemView &view, const QString &name);
/// The same of any widget that shows a table, whose Ctrl+C copies all of it.
void offerCsv(QWidget &widget, const QString &name, const std::function<QString()> &csv);

/// Asks for a file and writes it; returns what is then to be said, empty if none was chosen.
QString saveCsvAs(QWidget &parent, const QString &csv, const QString &proposed);

} // namespace ui
