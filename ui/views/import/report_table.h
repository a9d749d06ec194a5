#pragma once

#include "ui/models/severity_icons.h"

#include <QTableView>

#include <optional>

namespace ui {

/// A table of the import report: whole rows, one at a time, sortable.
class ReportTable : public QTableView
{
    Q_OBJECT

public:
    explicit ReportTable(QWidget *parent);

    /// For names of files, of which what tells them apart stays; see elidedName().
    void elideNames(int column);
    void setSharedStart(const QString &start); ///< of all of them
    QString sharedStart() const { return m_sharedStart; }
    /// The column takes what the others leave of the width, but at least so much; then the table
    /// scrolls.
    void fillWith(int column, int leastWidth);
    /// The column is as wide as its content and its title.
    void fit(int column);
    /// Row of the model below the table's proxy models.
    std::optional<int> selectedRow() const;

signals:
    void rowSelected();

protected:
    void resizeEvent(QResizeEvent *event) override;
    void selectionChanged(const QItemSelection &selected,
                          const QItemSelection &deselected) override;

private:
    void fill();

    int m_filler = -1; ///< the column of fillWith()
    int m_leastWidth = 0;
    QString m_sharedStart;
};

/// Error, warning and note in the theme's colours; told apart by their shapes as well.
SeverityIcons severityIcons(const QPalette &palette);
QIcon checkIcon(const QPalette &palette);

} // namespace ui
