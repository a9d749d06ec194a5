#include "ui/views/timeline/path_model.h"

#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"
#include "ui/widgets/table_csv.h"

#include <algorithm>
#include <utility>

namespace ui {

QString waitTitle(std::optional<int> rank)
{
    return rank ? PathModel::tr("Wait for rank %1").arg(*rank) : partTitle("wait");
}

PathModel::PathModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void PathModel::setSnapshot(std::shared_ptr<const PickedPath> path, const PathFilter &filter)
{
    beginResetModel();
    m_path = std::move(path);
    m_rows.clear();
    const std::size_t count = m_path != nullptr ? m_path->segments.size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
        const core::PathSegment &one = m_path->segments[i];
        const bool isOfPart = filter.kind == one.kind && filter.waitsFor == one.waitsFor;
        if (one.isOnPath == filter.isOnPath && (filter.kind.empty() || isOfPart))
            m_rows.push_back(i);
    }
    endResetModel();
}

const core::PathSegment &PathModel::segment(int row) const
{
    return m_path->segments[m_rows[static_cast<std::size_t>(row)]];
}

core::TimeRange PathModel::shownRange(int row) const
{
    return m_path->shown[m_rows[static_cast<std::size_t>(row)]];
}

std::optional<int> PathModel::rowOf(core::SliceId slice) const
{
    for (int row = 0; row < rowCount(); ++row)
        if (std::ranges::find(segment(row).slices, slice) != segment(row).slices.end())
            return row;
    return std::nullopt;
}

int PathModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int PathModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant PathModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= ColumnCount)
        return {};
    const bool isText = section == PartColumn || section == NameColumn;
    if (role == Qt::TextAlignmentRole)
        return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    if (role == Qt::InitialSortOrderRole)
        return section == StartColumn
            ? QVariant::fromValue(Qt::AscendingOrder)
            : firstSortOrder(headerData(section, orientation, Qt::TextAlignmentRole));
    if (role == Qt::ToolTipRole && section == SlackColumn)
        return tr("How much longer it can take before the iteration takes longer. On the path: 0.");
    if (role == Qt::ToolTipRole && section == RankColumn)
        return tr("Of a transfer: the rank that came last, for which the others waited.");
    if (role == Qt::ToolTipRole && section == ShareColumn)
        return tr("Of the length of the critical path");
    const QString names[] { tr("Start"),    tr("Part"),  tr("Operation"), tr("Rank"),
                            tr("Duration"), tr("Share"), tr("Slack") };
    const bool isTime
        = section == StartColumn || section == DurationColumn || section == SlackColumn;
    if (role == CsvRole)
        return titleWithUnit(names[section],
                             isTime                       ? QStringLiteral("ns")
                                 : section == ShareColumn ? QStringLiteral("fraction")
                                                          : QString());
    return role == Qt::DisplayRole ? QVariant(names[section]) : QVariant();
}

QVariant PathModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::PathSegment &one = segment(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(one, index.column());
    case Qt::ToolTipRole:
        return index.column() == NameColumn
            ? toolTipParagraphs(QString::fromStdString(one.name + "\n" + one.device))
            : QVariant();
    case SortRole:
        return key(one, index.column());
    case CsvRole:
        return index.column() == ShareColumn ? QVariant(m_path->shareOf(one.durationNs))
                                             : key(one, index.column());
    case Qt::TextAlignmentRole:
        return headerData(index.column(), Qt::Horizontal, role);
    default:
        return {};
    }
}

std::int64_t PathModel::startNs(const core::PathSegment &segment) const
{
    return segment.range.startNs - m_path->segments.front().range.startNs;
}

QString PathModel::text(const core::PathSegment &segment, int column) const
{
    switch (column) {
    case StartColumn:
        return formatDuration(startNs(segment));
    case PartColumn:
        return segment.waitsFor ? waitTitle(segment.waitsFor) : partTitle(segment.kind);
    case NameColumn: {
        const QString name = QString::fromStdString(segment.name);
        return segment.slices.size() > 1
            ? tr("%1 and %2 more").arg(name, formatCount(segment.slices.size() - 1))
            : name;
    }
    case RankColumn:
        return QString::number(segment.rank);
    case DurationColumn:
        return formatDuration(segment.durationNs);
    case ShareColumn:
        return formatPercent(m_path->shareOf(segment.durationNs));
    default:
        return formatDuration(segment.slackNs);
    }
}

QVariant PathModel::key(const core::PathSegment &segment, int column) const
{
    switch (column) {
    case StartColumn:
        return static_cast<qlonglong>(startNs(segment));
    case PartColumn:
    case NameColumn:
        return text(segment, column);
    case RankColumn:
        return segment.rank;
    case SlackColumn:
        return static_cast<qlonglong>(segment.slackNs);
    default:
        return static_cast<qlonglong>(segment.durationNs);
    }
}

} // namespace ui
