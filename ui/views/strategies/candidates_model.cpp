#include "ui/views/strategies/candidates_model.h"

#include "core/optimize/search_words.h"
#include "ui/widgets/format.h"

#include <QFont>

#include <utility>

namespace ui {

CandidatesModel::CandidatesModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void CandidatesModel::setResult(std::shared_ptr<const core::SearchResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

const core::Candidate &CandidatesModel::candidate(int row) const
{
    return m_result->candidates[static_cast<std::size_t>(row)];
}

int CandidatesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_result == nullptr ? 0
                                                   : static_cast<int>(m_result->candidates.size());
}

int CandidatesModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString CandidatesModel::text(const core::Candidate &candidate, int column) const
{
    switch (column) {
    case StrategyColumn:
        return QString::fromStdString(candidate.change);
    case IterationColumn:
        return formatDuration(candidate.predictedNs);
    case GainColumn:
        return unbrokenUnits(QString::fromStdString(core::gainText(*m_result, candidate)));
    case IntervalColumn:
        return candidate.unknownInterval.empty()
            ? unbrokenUnits(QString::fromStdString(core::gainIntervalText(candidate)))
            : tr("not known");
    case NumericsColumn:
        return candidate.numerics == core::Numerics::Exact ? tr("same") : tr("compressed");
    case MemoryColumn:
        return candidate.peakBytes ? formatBytes(*candidate.peakBytes) : tr("not known");
    case TrustColumn:
        return QString::fromStdString(core::trustText(candidate));
    default:
        return {};
    }
}

QVariant CandidatesModel::data(const QModelIndex &index, int role) const
{
    const core::Candidate &shown = candidate(index.row());
    const int column = index.column();
    switch (role) {
    case Qt::DisplayRole:
        return text(shown, column);
    case Qt::TextAlignmentRole:
        return int(Qt::AlignVCenter
                   | (column == IterationColumn || column == GainColumn || column == IntervalColumn
                          ? Qt::AlignRight
                          : Qt::AlignLeft));
    case Qt::ToolTipRole:
        if (column == IntervalColumn && !shown.unknownInterval.empty())
            return toolTipParagraphs(QString::fromStdString(shown.unknownInterval));
        if (column == TrustColumn && !shown.trustReason.empty())
            return toolTipParagraphs(QString::fromStdString(shown.trustReason));
        return column == StrategyColumn ? QVariant(toolTipParagraphs(text(shown, column)))
                                        : QVariant();
    case Qt::FontRole: {
        QFont font;
        font.setBold(&shown == m_result->advised());
        return font.bold() && column == StrategyColumn ? QVariant(font) : QVariant();
    }
    default:
        return {};
    }
}

QVariant CandidatesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section < 0 || section >= ColumnCount)
        return {};
    const QStringList names { tr("Strategy"), tr("Iteration"),
                              tr("Saves"),    tr("95 % of the saving"),
                              tr("Numerics"), tr("Peak memory"),
                              tr("Trust") };
    if (role == Qt::DisplayRole)
        return names[section];
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignVCenter
                   | (section >= IterationColumn && section <= IntervalColumn ? Qt::AlignRight
                                                                              : Qt::AlignLeft));
    return {};
}

} // namespace ui
