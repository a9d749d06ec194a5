#include "ui/models/collectives_model.h"

#include "core/analyze/groups/process_group_text.h"
#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"
#include "ui/widgets/table_csv.h"

#include <algorithm>

namespace ui {

namespace {

    std::int64_t longestTransferNs(const core::CollectiveReport &collective)
    {
        std::int64_t longest = 0;
        for (const core::CollectiveRankReport &rank : collective.ranks)
            longest = std::max(longest, rank.transferNs);
        return longest;
    }

    std::int64_t longestWaitNs(const core::CollectiveReport &collective)
    {
        const core::CollectiveRankReport *rank = longestWait(collective);
        return rank == nullptr ? 0 : rank->waitNs;
    }

    QString groupName(const core::CollectiveReport &c)
    {
        return c.group.empty() ? CollectivesModel::tr("default") : QString::fromStdString(c.group);
    }

    QString text(const core::CollectiveReport &c, int column)
    {
        switch (column) {
        case CollectivesModel::NameColumn:
            return QString::fromStdString(c.name);
        case CollectivesModel::SequenceColumn:
            return formatCount(c.sequence);
        case CollectivesModel::BytesColumn:
            return c.bytes == 0 ? QString() : formatBytes(c.bytes);
        case CollectivesModel::WaitColumn:
            return formatDuration(longestWaitNs(c));
        case CollectivesModel::TransferColumn:
            return formatDuration(longestTransferNs(c));
        case CollectivesModel::LastRankColumn:
            return c.ranks.size() > 1 ? QString::number(c.lastRank) : QString();
        case CollectivesModel::RanksColumn:
            return formatCount(c.ranks.size());
        default:
            return {};
        }
    }

} // namespace

const core::CollectiveRankReport *longestWait(const core::CollectiveReport &collective)
{
    const auto longest
        = std::max_element(collective.ranks.begin(), collective.ranks.end(),
                           [](const core::CollectiveRankReport &a,
                              const core::CollectiveRankReport &b) { return a.waitNs < b.waitNs; });
    return longest == collective.ranks.end() ? nullptr : &*longest;
}

CollectivesModel::CollectivesModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void CollectivesModel::setSnapshot(std::shared_ptr<const core::Diagnosis> diagnosis)
{
    beginResetModel();
    m_diagnosis = std::move(diagnosis);
    m_longest.clear();
    m_groups.reset();
    if (m_diagnosis != nullptr) {
        m_groups.emplace(m_diagnosis->groups);
        for (const core::CollectiveReport &collective : m_diagnosis->collectives)
            m_longest.push_back({ longestWaitNs(collective), longestTransferNs(collective) });
    }
    endResetModel();
}

const core::CollectiveReport &CollectivesModel::collective(int row) const
{
    return m_diagnosis->collectives[static_cast<std::size_t>(row)];
}

bool CollectivesModel::isLess(int row, int other, int column) const
{
    const core::CollectiveReport &a = collective(row), &b = collective(other);
    const Longest &ofA = m_longest[static_cast<std::size_t>(row)];
    const Longest &ofB = m_longest[static_cast<std::size_t>(other)];
    switch (column) {
    case NameColumn:
        return a.name < b.name;
    case GroupColumn:
        return a.group < b.group;
    case SequenceColumn:
        return a.sequence < b.sequence;
    case BytesColumn:
        return a.bytes < b.bytes;
    case WaitColumn:
        return ofA.waitNs < ofB.waitNs;
    case TransferColumn:
        return ofA.transferNs < ofB.transferNs;
    case LastRankColumn:
        return a.lastRank < b.lastRank;
    case RanksColumn:
        return a.ranks.size() < b.ranks.size();
    default:
        return false;
    }
}

int CollectivesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_diagnosis == nullptr
        ? 0
        : static_cast<int>(m_diagnosis->collectives.size());
}

int CollectivesModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant CollectivesModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const bool isNumber = index.column() >= SequenceColumn;
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == GroupColumn ? groupText(index.row())
                                             : text(collective(index.row()), index.column());
    case CsvRole:
        return exactCell(index.row(), index.column());
    case Qt::ToolTipRole:
        return index.column() == GroupColumn ? toolTipParagraphs(groupToolTip(index.row()))
                                             : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    default:
        return {};
    }
}

QVariant CollectivesModel::exactCell(int row, int column) const
{
    const core::CollectiveReport &shown = collective(row);
    const Longest &longest = m_longest[static_cast<std::size_t>(row)];
    switch (column) {
    case SequenceColumn:
        return QVariant::fromValue<qulonglong>(shown.sequence);
    case BytesColumn:
        return shown.bytes == 0 ? QVariant() : QVariant::fromValue<qulonglong>(shown.bytes);
    case WaitColumn:
        return QVariant::fromValue<qlonglong>(longest.waitNs);
    case TransferColumn:
        return QVariant::fromValue<qlonglong>(longest.transferNs);
    case RanksColumn:
        return QVariant::fromValue<qulonglong>(shown.ranks.size());
    default:
        return index(row, column).data();
    }
}

const core::ProcessGroup *CollectivesModel::group(int row) const
{
    const core::CollectiveReport &c = collective(row);
    return m_groups->find(c.group, c.name, c.lastRank);
}

/// What the group is for, where that is known; the name that the source gives it says little.
QString CollectivesModel::groupText(int row) const
{
    const core::ProcessGroup *known = group(row);
    return known == nullptr || known->basis == core::RoleBasis::Unknown
        ? groupName(collective(row))
        : QString::fromStdString(core::titleOf(*known));
}

QString CollectivesModel::groupToolTip(int row) const
{
    const core::ProcessGroup *known = group(row);
    return known == nullptr
        ? groupName(collective(row))
        : tr("Group %1: %2. %3")
              .arg(groupName(collective(row)), QString::fromStdString(core::titleOf(*known)),
                   QString::fromStdString(known->evidence));
}

QVariant CollectivesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(section >= SequenceColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    if (role == Qt::InitialSortOrderRole)
        return firstSortOrder(headerData(section, orientation, Qt::TextAlignmentRole));
    if (role == CsvRole)
        return titleWithUnit(title(section),
                             section == BytesColumn ? QStringLiteral("B")
                                 : section == WaitColumn || section == TransferColumn
                                 ? QStringLiteral("ns")
                                 : QString());
    return role == Qt::DisplayRole ? QVariant(title(section)) : QVariant();
}

QString CollectivesModel::title(int section)
{
    switch (section) {
    case NameColumn:
        return tr("Collective");
    case GroupColumn:
        return tr("Group");
    case SequenceColumn:
        return tr("Number");
    case BytesColumn:
        return tr("Payload");
    case WaitColumn:
        return tr("Longest wait");
    case TransferColumn:
        return tr("Longest transfer");
    case LastRankColumn:
        return tr("Last rank");
    case RanksColumn:
        return tr("Ranks");
    default:
        return {};
    }
}

} // namespace ui
