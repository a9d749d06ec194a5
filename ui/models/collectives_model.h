#pragma once

#include "core/analyze/diagnosis.h"

#include <QAbstractTableModel>

#include <memory>

namespace ui {

/// The collectives of a diagnosis, a row an instance matched across ranks.
class CollectivesModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        NameColumn,
        GroupColumn,
        SequenceColumn,
        BytesColumn,
        WaitColumn, ///< longest wait of a rank
        TransferColumn, ///< longest transfer of a rank
        LastRankColumn,
        RanksColumn,
        ColumnCount
    };
    enum Role { SortRole = Qt::UserRole };

    explicit CollectivesModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const core::Diagnosis> diagnosis);
    const core::CollectiveReport &collective(int row) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    std::shared_ptr<const core::Diagnosis> m_diagnosis; ///< may be null: no rows
};

/// The part of the rank that waited longest; null without parts.
const core::CollectiveRankReport *longestWait(const core::CollectiveReport &collective);

} // namespace ui
