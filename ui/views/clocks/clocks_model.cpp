#include "ui/views/clocks/clocks_model.h"

#include "core/model/unrelated_clocks.h"
#include "ui/models/clock_words.h"
#include "ui/widgets/format.h"

#include <algorithm>

namespace ui {

namespace {

    QString stateText(const ClockRow &row)
    {
        if (row.used.isReference)
            return ClocksModel::tr("reference");
        if (row.isByHand)
            return ClocksModel::tr("set by hand");
        if (core::isPlaced(row.used))
            return ClocksModel::tr("not aligned");
        if (!row.used.isKnown)
            return ClocksModel::tr("unknown");
        if (core::isOneClock(row.used))
            return ClocksModel::tr("one clock");
        return row.used.isAsRecorded ? ClocksModel::tr("as recorded") : ClocksModel::tr("aligned");
    }

    QString uncertaintyText(const ClockRow &row)
    {
        const bool isSolved = row.used.isKnown && !row.used.isReference && !row.isByHand
            && !core::isOneClock(row.used);
        return isSolved ? QStringLiteral("\u00b1") + formatDuration(row.used.uncertaintyNs)
                        : QString();
    }

    QString rowToolTip(const ClockRow &row)
    {
        return core::isPlaced(row.used)
            ? ClocksModel::tr("Not aligned: no common clock with rank %1. Its times are shown "
                              "beside the others', which is no measured offset.")
                  .arg(row.referenceRank)
            : QString();
    }

    QString toolTipOf(int column)
    {
        switch (column) {
        case ClocksModel::OffsetColumn:
            return ClocksModel::tr("Added to the rank's times: positive where its clock is behind "
                                   "the reference's");
        case ClocksModel::UncertaintyColumn:
            return ClocksModel::tr("How far the solved offset may be off: with 95 % probability it "
                                   "is nearer to the true one");
        case ClocksModel::DriftColumn:
            return ClocksModel::tr(
                "Growth of the offset, in microseconds a second: positive "
                "where the rank's clock runs slow. Where none is proved, it is not known and 0 is "
                "applied; "
                "\u00b1 says how large it may be");
        case ClocksModel::ResidualColumn:
            return ClocksModel::tr(
                "How far from the reference the rank leaves a collective after alignment, the "
                "median of its collectives: where ranks leave one after the other it is large, "
                "however sure the offset is");
        case ClocksModel::SolvedColumn:
            return ClocksModel::tr("The offset that was found from collectives and messages");
        default:
            return {};
        }
    }

} // namespace

std::vector<ClockRow> clockRows(const core::ProjectInfo &info)
{
    std::vector<ClockRow> rows;
    const std::vector<core::ClockDrift> drifts
        = core::clockDrifts(info.alignment, info.workers, info.byHand, info.iterations);
    for (const core::Alignment &clock : info.alignment.workers)
        rows.push_back({ info.workers[clock.worker.value].rank, clock,
                         info.solvedAlignment.workers[clock.worker.value],
                         drifts[clock.worker.value], core::isByHand(info.byHand, clock.worker),
                         core::referenceRank(info.workers, info.alignment).value_or(0) });
    std::sort(rows.begin(), rows.end(),
              [](const ClockRow &a, const ClockRow &b) { return a.rank < b.rank; });
    return rows;
}

ClocksModel::ClocksModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void ClocksModel::setRows(std::vector<ClockRow> rows)
{
    beginResetModel();
    m_rows = std::move(rows);
    endResetModel();
}

int ClocksModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int ClocksModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString ClocksModel::text(const ClockRow &row, int column)
{
    const bool isMeasured = row.used.isKnown && !row.used.isReference;
    switch (column) {
    case RankColumn:
        return tr("Rank %1").arg(row.rank);
    case StateColumn:
        return stateText(row);
    case OffsetColumn:
        return isMeasured
            ? formatOffset(row.used.offsetNs, row.isByHand ? 0 : row.used.uncertaintyNs)
            : QString();
    case UncertaintyColumn:
        return uncertaintyText(row);
    case DriftColumn:
        return isMeasured ? clockDriftText(row.drift) : QString();
    case ResidualColumn:
        return isMeasured ? formatDuration(row.used.residualNs) : QString();
    case SolvedColumn:
        return row.isByHand && row.solved.isKnown
            ? formatOffset(row.solved.offsetNs, row.solved.uncertaintyNs)
            : QString();
    default:
        return {};
    }
}

QVariant ClocksModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    if (role == Qt::DisplayRole)
        return text(row(index.row()), index.column());
    if (role == Qt::ToolTipRole)
        return toolTipParagraphs(rowToolTip(row(index.row())));
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(index.column() >= OffsetColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    return {};
}

QVariant ClocksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::ToolTipRole)
        return toolTipParagraphs(toolTipOf(section));
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(section >= OffsetColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    static const char *const titles[]
        = { QT_TR_NOOP("Rank"),  QT_TR_NOOP("Clock"),    QT_TR_NOOP("Offset"), QT_TR_NOOP("\u00b1"),
            QT_TR_NOOP("Drift"), QT_TR_NOOP("Residual"), QT_TR_NOOP("Solved") };
    return tr(titles[section]);
}

} // namespace ui
