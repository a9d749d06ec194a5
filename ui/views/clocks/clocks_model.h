#pragma once

#include "core/model/clock_drift.h"
#include "core/model/clocks.h"
#include "core/project/read/project_reader.h"

#include <QAbstractTableModel>

#include <vector>

namespace ui {

/// The clock of one rank: what its times are aligned with, and what was solved.
struct ClockRow
{
    int rank = 0;
    core::Alignment used, solved;
    core::ClockDrift drift; ///< of the used one
    bool isByHand = false;
    int referenceRank = 0; ///< whose clock the others are brought to
};

/// By rank; empty for a project whose clocks are not solved.
std::vector<ClockRow> clockRows(const core::ProjectInfo &info);

/// The clocks of a project: a row a rank.
class ClocksModel : public QAbstractTableModel
{
    Q_OBJECT

public:
    enum Column {
        RankColumn,
        StateColumn,
        OffsetColumn,
        UncertaintyColumn,
        DriftColumn,
        ResidualColumn,
        SolvedColumn,
        ColumnCount
    };

    explicit ClocksModel(QObject *parent);
    void setRows(std::vector<ClockRow> rows);
    const ClockRow &row(int index) const { return m_rows[static_cast<std::size_t>(index)]; }

    int rowCount(const QModelIndex &parent = {}) const override;
    int columnCount(const QModelIndex &parent = {}) const override;
    QVariant data(const QModelIndex &index, int role) const override;
    QVariant headerData(int section, Qt::Orientation orientation, int role) const override;

private:
    static QString text(const ClockRow &row, int column);

    std::vector<ClockRow> m_rows;
};

} // namespace ui
