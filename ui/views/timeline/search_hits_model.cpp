#include "ui/views/timeline/search_hits_model.h"

#include "ui/widgets/format.h"
#include "ui/widgets/table_csv.h"

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    bool isFigure(int column)
    {
        return column != SearchHitsModel::NameColumn && column != SearchHitsModel::TrackColumn;
    }

} // namespace

SearchHitsModel::SearchHitsModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void SearchHitsModel::setHits(std::shared_ptr<const std::vector<SearchHit>> hits,
                              std::int64_t originNs)
{
    beginResetModel();
    m_hits = std::move(hits);
    m_originNs = originNs;
    endResetModel();
}

void SearchHitsModel::setIterations(std::vector<TimelineIteration> iterations)
{
    beginResetModel();
    m_iterations = std::move(iterations);
    std::ranges::sort(m_iterations, {},
                      [](const TimelineIteration &one) { return one.range.startNs; });
    endResetModel();
}

std::optional<int> SearchHitsModel::rowOf(core::SliceId slice) const
{
    if (m_hits == nullptr)
        return std::nullopt;
    const auto found = std::ranges::find(*m_hits, slice, &SearchHit::id);
    return found == m_hits->end() ? std::nullopt
                                  : std::optional(static_cast<int>(found - m_hits->begin()));
}

int SearchHitsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_hits == nullptr ? 0 : static_cast<int>(m_hits->size());
}

int SearchHitsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SearchHitsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int((isFigure(section) ? Qt::AlignRight : Qt::AlignLeft) | Qt::AlignVCenter);
    // QHeaderView asks for it at the first click on a column.
    if (role == Qt::InitialSortOrderRole)
        return isFigure(section) ? Qt::DescendingOrder : Qt::AscendingOrder;
    if (role == Qt::ToolTipRole && section == StartColumn)
        return tr("Since the beginning of the trace, as on the ruler");
    if (role != Qt::DisplayRole && role != CsvRole)
        return {};
    const QString titles[] { tr("Name"),  tr("Rank"),     tr("Track"),
                             tr("Start"), tr("Duration"), tr("Iteration") };
    if (role == Qt::DisplayRole || (section != StartColumn && section != DurationColumn))
        return titles[section];
    return titleWithUnit(titles[section],
                         section == StartColumn ? tr("ns since the trace's beginning")
                                                : QStringLiteral("ns"));
}

QVariant SearchHitsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const SearchHit &shown = hit(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(shown, index.column());
    case Qt::ToolTipRole:
        return index.column() == NameColumn ? toolTipParagraphs(shown.name) : QVariant();
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    case SortRole:
        return key(shown, index.column());
    case CsvRole:
        return index.column() == IterationColumn ? QVariant(text(shown, IterationColumn))
                                                 : key(shown, index.column());
    default:
        return {};
    }
}

QString SearchHitsModel::text(const SearchHit &hit, int column) const
{
    switch (column) {
    case NameColumn:
        return hit.name;
    case RankColumn:
        return QString::number(hit.rank);
    case TrackColumn:
        return hit.track;
    case StartColumn:
        return formatDuration(hit.range.startNs - m_originNs);
    case DurationColumn:
        return formatDuration(hit.range.durationNs());
    default:
        break;
    }
    const TimelineIteration *iteration = iterationOf(hit);
    if (iteration == nullptr)
        return QStringLiteral("\u2013");
    return iteration->shortLabel.isEmpty() ? iteration->label : iteration->shortLabel;
}

QVariant SearchHitsModel::key(const SearchHit &hit, int column) const
{
    switch (column) {
    case RankColumn:
        return hit.rank;
    case StartColumn:
        return static_cast<qlonglong>(hit.range.startNs - m_originNs);
    case DurationColumn:
        return static_cast<qlonglong>(hit.range.durationNs());
    case IterationColumn: {
        const TimelineIteration *iteration = iterationOf(hit);
        return iteration == nullptr ? qlonglong(-1)
                                    : static_cast<qlonglong>(iteration - m_iterations.data());
    }
    default:
        return text(hit, column);
    }
}

/// The one that its start lies in; null: none.
const TimelineIteration *SearchHitsModel::iterationOf(const SearchHit &hit) const
{
    const auto after
        = std::ranges::upper_bound(m_iterations, hit.range.startNs, {},
                                   [](const TimelineIteration &one) { return one.range.startNs; });
    if (after == m_iterations.begin() || !std::prev(after)->range.contains(hit.range.startNs))
        return nullptr;
    return &*std::prev(after);
}

} // namespace ui
