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

    /// For paths, whose ends tell them apart.
    void elideInTheMiddle(int column);
    /// Row of the model below the table's proxy models.
    std::optional<int> selectedRow() const;

signals:
    void rowSelected();

protected:
    void selectionChanged(const QItemSelection &selected,
                          const QItemSelection &deselected) override;
};

/// Error, warning and note in the theme's colours; told apart by their shapes as well.
SeverityIcons severityIcons(const QPalette &palette);
QIcon checkIcon(const QPalette &palette);

} // namespace ui
