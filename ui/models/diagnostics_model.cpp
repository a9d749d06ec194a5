#include "ui/models/diagnostics_model.h"

#include "core/base/byte_text.h"
#include "ui/widgets/format.h"

namespace ui {

DiagnosticsModel::DiagnosticsModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_snapshot(std::make_shared<const InputSummary>())
{
}

void DiagnosticsModel::setSnapshot(std::shared_ptr<const InputSummary> snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

void DiagnosticsModel::setIcons(const SeverityIcons &icons)
{
    m_icons = icons;
    if (rowCount() > 0)
        emit dataChanged(index(0, SeverityColumn), index(rowCount() - 1, SeverityColumn),
                         { Qt::DecorationRole });
}

const core::Diagnostic &DiagnosticsModel::diagnostic(int row) const
{
    return m_snapshot->diagnostics[static_cast<std::size_t>(row)];
}

int DiagnosticsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_snapshot->diagnostics.size());
}

int DiagnosticsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiagnosticsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::Diagnostic &row = diagnostic(index.row());
    const bool isNumber = index.column() >= OffsetColumn;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return toolTipParagraphs(fullText(row, index.column()));
    case FullTextRole:
        return fullText(row, index.column());
    case Qt::DecorationRole:
        return index.column() == SeverityColumn ? QVariant(m_icons.of(row.severity)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    case SortRole:
        return sortKey(row, index.column());
    case SeverityRole:
        return static_cast<int>(row.severity);
    default:
        return {};
    }
}

QString DiagnosticsModel::offsetText(const core::Diagnostic &diagnostic)
{
    if (!diagnostic.firstOffset)
        return {};
    const QString offset = formatCount(*diagnostic.firstOffset);
    return core::countsUncompressed(diagnostic.file) ? tr("%1 (uncompressed)").arg(offset) : offset;
}

QString DiagnosticsModel::text(const core::Diagnostic &diagnostic, int column) const
{
    switch (column) {
    case SeverityColumn:
        return severityTitle(diagnostic.severity);
    case ProblemColumn:
        return problemName(diagnostic.code);
    case MessageColumn:
        return QString::fromStdString(diagnostic.message);
    case FileColumn:
        return m_snapshot->shownName(diagnostic.file);
    case OffsetColumn:
        return offsetText(diagnostic);
    case CountColumn:
        return formatCount(diagnostic.count);
    default:
        return {};
    }
}

QString DiagnosticsModel::fullText(const core::Diagnostic &diagnostic, int column) const
{
    return column == FileColumn ? QString::fromStdString(diagnostic.file)
                                : text(diagnostic, column);
}

QVariant DiagnosticsModel::sortKey(const core::Diagnostic &diagnostic, int column) const
{
    switch (column) {
    case SeverityColumn:
        return static_cast<int>(diagnostic.severity);
    case OffsetColumn: // those without a place come before all others
        return diagnostic.firstOffset ? qlonglong(*diagnostic.firstOffset) : qlonglong(-1);
    case CountColumn:
        return qulonglong(diagnostic.count);
    default:
        return text(diagnostic, column);
    }
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(section >= OffsetColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case SeverityColumn:
        return tr("Severity");
    case ProblemColumn:
        return tr("Problem");
    case MessageColumn:
        return tr("What happened and what to do");
    case FileColumn:
        return tr("File");
    case OffsetColumn:
        return tr("First at byte");
    case CountColumn:
        return tr("Count");
    default:
        return {};
    }
}

} // namespace ui
