#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/groups/process_groups.h"

#include <QAbstractTableModel>

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

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

    explicit CollectivesModel(QObject *parent);
    void setSnapshot(std::shared_ptr<const core::Diagnosis> diagnosis);
    const core::CollectiveReport &collective(int row) const;
    /// Whether `row` comes before `other` by the value in a column, not by its text.
    bool isLess(int row, int other, int column) const;

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    struct Longest
    {
        std::int64_t waitNs = 0, transferNs = 0; ///< of any rank
    };

    static QString title(int section);
    QVariant exactCell(int row, int column) const;
    const core::ProcessGroup *group(int row) const;
    QString groupText(int row) const;
    QString groupToolTip(int row) const;

    std::shared_ptr<const core::Diagnosis> m_diagnosis; ///< may be null: no rows
    std::optional<core::ProcessGroupIndex> m_groups; ///< of the diagnosis
    std::vector<Longest> m_longest; ///< by row
};

/// The part of the rank that waited longest; null without parts.
const core::CollectiveRankReport *longestWait(const core::CollectiveReport &collective);

} // namespace ui
