#include "ui/models/source_table_model.h"

#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"

#include <utility>

namespace ui {

SourceTableModel::SourceTableModel(int columnCount, int firstNumberColumn, QObject *parent)
    : QAbstractTableModel(parent)
    , m_columnCount(columnCount)
    , m_firstNumberColumn(firstNumberColumn)
    , m_snapshot(std::make_shared<const InputSummary>())
{
}

void SourceTableModel::setSnapshot(std::shared_ptr<const InputSummary> snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

void SourceTableModel::setIcons(const SeverityIcons &icons, const QIcon &readWell)
{
    m_icons = icons;
    m_readWell = readWell;
    if (rowCount() > 0)
        emit dataChanged(index(0, 0), index(rowCount() - 1, 0), { Qt::DecorationRole });
}

QIcon SourceTableModel::markOf(bool isReadWell, core::Severity worst) const
{
    return isReadWell ? m_readWell : m_icons.of(worst);
}

QVariant SourceTableModel::alignmentOf(int column) const
{
    const bool isNumber = column >= m_firstNumberColumn;
    return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
}

int SourceTableModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : m_columnCount;
}

QVariant SourceTableModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    switch (role) {
    case Qt::DisplayRole:
        return text(index.row(), index.column());
    case Qt::ToolTipRole:
        return toolTipParagraphs(toolTip(index.row(), index.column()));
    case Qt::DecorationRole:
        return index.column() == 0 ? QVariant(mark(index.row())) : QVariant();
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case SortRole:
        return sortKey(index.row(), index.column());
    default:
        return {};
    }
}

QVariant SourceTableModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(section);
    if (role == Qt::InitialSortOrderRole)
        return firstSortOrder(alignmentOf(section));
    return role == Qt::DisplayRole ? QVariant(title(section)) : QVariant();
}

} // namespace ui
