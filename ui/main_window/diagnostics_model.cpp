#include "ui/main_window/diagnostics_model.h"

#include "ui/widgets/format.h"

namespace ui {

namespace {

    QString severityText(core::Severity severity)
    {
        switch (severity) {
        case core::Severity::Info:
            return DiagnosticsModel::tr("Note");
        case core::Severity::Warning:
            return DiagnosticsModel::tr("Warning");
        case core::Severity::Error:
            return DiagnosticsModel::tr("Error");
        }
        return {};
    }

} // namespace

DiagnosticsModel::DiagnosticsModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_snapshot(std::make_shared<const std::vector<core::Diagnostic>>())
{
}

void DiagnosticsModel::setSnapshot(Snapshot snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

int DiagnosticsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_snapshot->size());
}

int DiagnosticsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiagnosticsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::Diagnostic &diagnostic = (*m_snapshot)[static_cast<std::size_t>(index.row())];
    const bool isNumber = index.column() == OffsetColumn || index.column() == CountColumn;
    switch (role) {
    case Qt::DisplayRole:
    case Qt::ToolTipRole:
        return text(diagnostic, index.column());
    case Qt::TextAlignmentRole:
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    case SortRole:
        return sortKey(diagnostic, index.column());
    default:
        return {};
    }
}

QString DiagnosticsModel::text(const core::Diagnostic &diagnostic, int column) const
{
    switch (column) {
    case SeverityColumn:
        return severityText(diagnostic.severity);
    case FileColumn:
        return QString::fromStdString(diagnostic.file);
    case OffsetColumn:
        return diagnostic.firstOffset ? formatCount(*diagnostic.firstOffset) : QString();
    case CountColumn:
        return formatCount(diagnostic.count);
    case MessageColumn:
        return QString::fromStdString(diagnostic.message);
    default:
        return {};
    }
}

QVariant DiagnosticsModel::sortKey(const core::Diagnostic &diagnostic, int column) const
{
    switch (column) {
    case SeverityColumn:
        return static_cast<int>(diagnostic.severity);
    case OffsetColumn:
        return qulonglong(diagnostic.firstOffset.value_or(0));
    case CountColumn:
        return qulonglong(diagnostic.count);
    default:
        return text(diagnostic, column);
    }
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || role != Qt::DisplayRole)
        return {};
    switch (section) {
    case SeverityColumn:
        return tr("Severity");
    case FileColumn:
        return tr("File");
    case OffsetColumn:
        return tr("First at byte");
    case CountColumn:
        return tr("Count");
    case MessageColumn:
        return tr("What happened and what to do");
    default:
        return {};
    }
}

} // namespace ui
