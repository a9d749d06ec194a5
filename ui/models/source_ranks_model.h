#pragma once

#include "ui/models/input_summary.h"
#include "ui/models/severity_icons.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// The ranks of a project and what they were read from: a row a rank.
class SourceRanksModel : public QAbstractTableModel
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
    enum Role { SortRole = Qt::UserRole };

    explicit SourceRanksModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const InputSummary> snapshot);
    void setIcons(const SeverityIcons &icons, const QIcon &readWell);
    /// Row of the snapshot.
    const InputRank &rank(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    QString text(const InputRank &rank, int column) const;

    std::shared_ptr<const InputSummary> m_snapshot;
    SeverityIcons m_icons;
    QIcon m_readWell;
};

} // namespace ui
