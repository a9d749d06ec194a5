#pragma once

#include "ui/models/source_table_model.h"

namespace ui {

/// The ranks of a project and what they were read from: a row a rank.
class SourceRanksModel : public SourceTableModel
{
    Q_OBJECT

public:
    enum Column {
        RankColumn,
        HostColumn,
        FilesColumn,
        FormatColumn,
        IterationsColumn,
        MedianColumn,
        RecordsColumn,
        ProblemsColumn,
        ColumnCount
    };

    explicit SourceRanksModel(QObject *parent);
    /// Row of the snapshot.
    const InputRank &rank(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;

protected:
    QString title(int column) const override;
    QString text(int row, int column) const override;
    QString toolTip(int row, int column) const override;
    QIcon mark(int row) const override;
    QVariant sortKey(int row, int column) const override;
};

} // namespace ui
