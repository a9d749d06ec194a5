#pragma once

#include "ui/models/source_table_model.h"

#include <vector>

namespace ui {

/// The files of a project's input, read or not: a row a file.
class SourceFilesModel : public SourceTableModel
{
    Q_OBJECT

public:
    enum Column {
        StatusColumn,
        NameColumn,
        FormatColumn,
        RanksColumn,
        ReasonColumn,
        SizeColumn,
        RecordsColumn,
        ProblemsColumn,
        ColumnCount
    };

    explicit SourceFilesModel(QObject *parent);
    /// Row of the snapshot.
    const InputFile &file(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;

protected:
    QString title(int column) const override;
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;
    QIcon mark(int row) const override;
    QVariant sortKey(int row, int column) const override;
};

/// "0", "0, 2", "0-7": runs of three or more ranks are written as their ends.
QString rankList(const std::vector<int> &ranks);

} // namespace ui
