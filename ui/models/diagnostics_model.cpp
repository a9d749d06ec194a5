#include "ui/models/diagnostics_model.h"

#include "core/base/byte_text.h"
#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"

#include <algorithm>
#include <map>
#include <string>
#include <tuple>

namespace ui {

namespace {

    /// Alike for diagnostics that share a row; the last is their own place where they do not.
    using SaidKey = std::tuple<core::Severity, std::string, std::string, std::size_t>;

    SaidKey keyOf(const core::Diagnostic &diagnostic, std::size_t place)
    {
        const bool isOfPlace
            = diagnostic.firstOffset && diagnostic.severity != core::Severity::Info;
        return { diagnostic.severity, diagnostic.code, diagnostic.message,
                 isOfPlace || diagnostic.file.empty() ? place + 1 : 0 };
    }

} // namespace

DiagnosticsModel::DiagnosticsModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_snapshot(std::make_shared<const InputSummary>())
{
}

void DiagnosticsModel::setSnapshot(std::shared_ptr<const InputSummary> snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    m_rows.clear();
    std::map<SaidKey, std::size_t> known;
    for (std::size_t i = 0; i < m_snapshot->diagnostics.size(); ++i) {
        const auto [at, isNew]
            = known.try_emplace(keyOf(m_snapshot->diagnostics[i], i), m_rows.size());
        if (isNew)
            m_rows.emplace_back();
        m_rows[at->second].push_back(i);
    }
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
    return firstOf(m_rows[static_cast<std::size_t>(row)]);
}

bool DiagnosticsModel::hasPlaces() const
{
    return std::any_of(m_rows.begin(), m_rows.end(),
                       [this](const Row &row) { return !text(row, OffsetColumn).isEmpty(); });
}

std::size_t DiagnosticsModel::countOf(core::Severity severity) const
{
    return static_cast<std::size_t>(
        std::count_if(m_rows.begin(), m_rows.end(), [this, severity](const Row &row) {
            return firstOf(row).severity == severity;
        }));
}

const core::Diagnostic &DiagnosticsModel::firstOf(const Row &row) const
{
    return m_snapshot->diagnostics[row.front()];
}

std::uint64_t DiagnosticsModel::timesOf(const Row &row) const
{
    std::uint64_t times = 0;
    for (const std::size_t i : row)
        times += m_snapshot->diagnostics[i].count;
    return times;
}

QString DiagnosticsModel::filesText(const Row &row) const
{
    const QString first = m_snapshot->shownName(firstOf(row).file);
    return row.size() == 1 ? first : tr("%1 files, first %2").arg(formatCount(row.size()), first);
}

int DiagnosticsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

int DiagnosticsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant DiagnosticsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const Row &row = m_rows[static_cast<std::size_t>(index.row())];
    const core::Severity severity = firstOf(row).severity;
    const bool isNumber = index.column() >= OffsetColumn;
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return toolTipParagraphs(fullText(row, index.column()));
    case FullTextRole:
        return fullText(row, index.column());
    case Qt::DecorationRole:
        return index.column() == SeverityColumn ? QVariant(m_icons.of(severity)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    case SortRole:
        return sortKey(row, index.column());
    case SeverityRole:
        return static_cast<int>(severity);
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

QString DiagnosticsModel::text(const Row &row, int column) const
{
    const core::Diagnostic &diagnostic = firstOf(row);
    switch (column) {
    case SeverityColumn:
        return severityTitle(diagnostic.severity);
    case ProblemColumn:
        return problemName(diagnostic.code);
    case MessageColumn:
        return unbrokenUnits(QString::fromStdString(diagnostic.message));
    case FileColumn:
        return filesText(row);
    case OffsetColumn:
        return row.size() == 1 ? offsetText(diagnostic) : QString();
    case CountColumn:
        return formatCount(timesOf(row));
    default:
        return {};
    }
}

QString DiagnosticsModel::fullText(const Row &row, int column) const
{
    if (column != FileColumn)
        return text(row, column);
    QStringList names;
    names.reserve(static_cast<qsizetype>(row.size()));
    for (const std::size_t i : row)
        names << QString::fromStdString(m_snapshot->diagnostics[i].file);
    return names.join(QLatin1Char('\n'));
}

QVariant DiagnosticsModel::sortKey(const Row &row, int column) const
{
    const core::Diagnostic &diagnostic = firstOf(row);
    switch (column) {
    case SeverityColumn:
        return static_cast<int>(diagnostic.severity);
    case OffsetColumn: // those without a place come before all others
        return diagnostic.firstOffset ? qlonglong(*diagnostic.firstOffset) : qlonglong(-1);
    case CountColumn:
        return qulonglong(timesOf(row));
    default:
        return text(row, column);
    }
}

QVariant DiagnosticsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(section >= OffsetColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    if (role == Qt::InitialSortOrderRole)
        return firstSortOrder(headerData(section, orientation, Qt::TextAlignmentRole));
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
