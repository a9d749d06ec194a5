#include "ui/views/timeline/area_totals_model.h"

#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"
#include "ui/widgets/table_csv.h"

namespace ui {
namespace {

    QString roleText(core::Role role)
    {
        const std::string_view name = core::roleName(role);
        return QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size()));
    }

    double share(std::int64_t part, std::int64_t whole)
    {
        return whole > 0 ? static_cast<double>(part) / static_cast<double>(whole) : 0;
    }

} // namespace

AreaTotalsModel::AreaTotalsModel(Table table, QObject *parent)
    : QAbstractTableModel(parent)
    , m_table(table)
{
}

void AreaTotalsModel::setSnapshot(std::shared_ptr<const AreaTotals> totals)
{
    beginResetModel();
    m_totals = std::move(totals);
    endResetModel();
}

int AreaTotalsModel::rowCount(const QModelIndex &parent) const
{
    if (parent.isValid() || m_totals == nullptr) {
        return 0;
    }
    switch (m_table) {
    case Table::Names:
        return static_cast<int>(m_totals->names.size());
    case Table::Roles:
        return static_cast<int>(m_totals->roles.size());
    case Table::Ranks:
        return static_cast<int>(m_totals->ranks.size());
    }
    return 0;
}

int AreaTotalsModel::columnCount(const QModelIndex &parent) const
{
    if (parent.isValid()) {
        return 0;
    }
    return m_table == Table::Names ? 7 : m_table == Table::Roles ? 3 : 5;
}

QVariant AreaTotalsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= columnCount()) {
        return {};
    }
    if (role == Qt::TextAlignmentRole) {
        const bool isText = section == 0 || (m_table == Table::Names && section == 1);
        return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    if (role == Qt::InitialSortOrderRole)
        return firstSortOrder(headerData(section, orientation, Qt::TextAlignmentRole));
    if (role == Qt::ToolTipRole && m_table != Table::Ranks && section == columnCount() - 1) {
        return tr("Sum, of the area's duration times its ranks. Nested slices count in the slices "
                  "around them too.");
    }
    if (role == CsvRole) {
        return titleWithUnit(title(section), unit(section));
    }
    return role == Qt::DisplayRole ? QVariant(title(section)) : QVariant();
}

/// What the values of SortRole are counted in.
QString AreaTotalsModel::unit(int column) const
{
    const bool isShare = m_table != Table::Ranks && column == columnCount() - 1;
    const int firstTime = m_table == Table::Names ? 3 : 1;
    return isShare            ? QStringLiteral("fraction")
        : column >= firstTime ? QStringLiteral("ns")
                              : QString();
}

QString AreaTotalsModel::title(int section) const
{
    const QString names[] { tr("Name"), tr("Role"),    tr("Count"),        tr("Sum"),
                            tr("Mean"), tr("Longest"), tr("Share of area") };
    const QString roles[] { tr("Role"), tr("Busy, all ranks"), tr("Share of area") };
    const QString ranks[] { tr("Rank"), tr("Compute"), tr("Communication"), tr("Exposed comm."),
                            tr("Idle") };
    switch (m_table) {
    case Table::Names:
        return names[section];
    case Table::Roles:
        return roles[section];
    case Table::Ranks:
        return ranks[section];
    }
    return {};
}

QVariant AreaTotalsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) {
        return {};
    }
    switch (role) {
    case Qt::DisplayRole:
        return cell(index.row(), index.column()).text;
    case Qt::ToolTipRole:
        return index.column() == 0 ? toolTipParagraphs(cell(index.row(), 0).text) : QVariant();
    case SortRole:
    case CsvRole:
        return cell(index.row(), index.column()).key;
    case Qt::TextAlignmentRole: {
        const bool isText = index.column() == 0 || (m_table == Table::Names && index.column() == 1);
        return int((isText ? Qt::AlignLeft : Qt::AlignRight) | Qt::AlignVCenter);
    }
    default:
        return {};
    }
}

AreaTotalsModel::Cell AreaTotalsModel::cell(int row, int column) const
{
    const auto index = static_cast<std::size_t>(row);
    switch (m_table) {
    case Table::Names:
        return nameCell(m_totals->names[index], column);
    case Table::Roles:
        return roleCell(m_totals->roles[index], column);
    case Table::Ranks:
        return rankCell(m_totals->ranks[index], column);
    }
    return {};
}

AreaTotalsModel::Cell AreaTotalsModel::nameCell(const NameTotal &total, int column) const
{
    const auto duration = [](std::int64_t ns) {
        return Cell { formatDuration(ns), QVariant(static_cast<qlonglong>(ns)) };
    };
    switch (column) {
    case 0:
        return { total.name, total.name };
    case 1:
        return { roleText(total.role), roleText(total.role) };
    case 2:
        return { formatCount(total.count), static_cast<qulonglong>(total.count) };
    case 3:
        return duration(total.sumNs);
    case 4:
        return duration(total.meanNs());
    case 5:
        return duration(total.longestNs);
    default:
        break;
    }
    const double part = share(total.sumNs, m_totals->wholeNs());
    return { formatPercent(part), part };
}

AreaTotalsModel::Cell AreaTotalsModel::roleCell(const RoleTotal &total, int column) const
{
    if (column == 0) {
        return { roleText(total.role), roleText(total.role) };
    }
    if (column == 1) {
        return { formatDuration(total.busyNs), static_cast<qlonglong>(total.busyNs) };
    }
    const double part = share(total.busyNs, m_totals->wholeNs());
    return { formatPercent(part), part };
}

AreaTotalsModel::Cell AreaTotalsModel::rankCell(const RankTotal &total, int column) const
{
    if (column == 0) {
        return { tr("rank %1").arg(total.rank), total.rank };
    }
    const std::int64_t values[] { total.computeNs, total.commNs, total.exposedCommNs,
                                  total.idleNs };
    const std::int64_t ns = values[column - 1];
    return { QStringLiteral("%1 (%2)").arg(formatDuration(ns),
                                           formatPercent(share(ns, m_totals->range.durationNs()))),
             static_cast<qlonglong>(ns) };
}

} // namespace ui
