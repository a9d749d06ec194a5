#include "ui/models/source_files_model.h"

#include "ui/widgets/format.h"

#include <QStringList>

#include <algorithm>

namespace ui {

namespace {

    QString text(const InputFile &file, int column)
    {
        switch (column) {
        case SourceFilesModel::StatusColumn:
            return fileStatusTitle(file.source.status);
        case SourceFilesModel::NameColumn:
            return file.shownName;
        case SourceFilesModel::FormatColumn:
            return QString::fromStdString(file.source.format);
        case SourceFilesModel::RanksColumn:
            return rankList(file.source.ranks);
        case SourceFilesModel::ReasonColumn:
            return QString::fromStdString(file.source.reason);
        case SourceFilesModel::SizeColumn:
            return file.source.storedBytes == 0 ? QString() : formatBytes(file.source.storedBytes);
        case SourceFilesModel::RecordsColumn:
            return file.recordCount == 0 ? QString() : formatCount(file.recordCount);
        case SourceFilesModel::ProblemsColumn:
            return file.problemCount == 0 ? QString() : formatCount(file.problemCount);
        default:
            return {};
        }
    }

    QVariant sortKey(const InputFile &file, int column)
    {
        switch (column) {
        case SourceFilesModel::StatusColumn: // what went worst first when descending
            return static_cast<int>(file.worst) * 4 + static_cast<int>(file.source.status);
        case SourceFilesModel::RanksColumn:
            return file.source.ranks.empty() ? -1 : file.source.ranks.front();
        case SourceFilesModel::SizeColumn:
            return qulonglong(file.source.storedBytes);
        case SourceFilesModel::RecordsColumn:
            return qulonglong(file.recordCount);
        case SourceFilesModel::ProblemsColumn:
            return qulonglong(file.problemCount);
        default:
            return text(file, column);
        }
    }

} // namespace

QString rankList(const std::vector<int> &ranks)
{
    std::vector<int> sorted = ranks;
    std::sort(sorted.begin(), sorted.end());
    QStringList parts;
    for (std::size_t i = 0; i < sorted.size();) {
        std::size_t end = i + 1;
        while (end < sorted.size() && sorted[end] == sorted[end - 1] + 1)
            ++end;
        if (end - i < 3)
            end = i + 1;
        parts << (end == i + 1 ? QString::number(sorted[i])
                               : QStringLiteral("%1\u2013%2").arg(sorted[i]).arg(sorted[end - 1]));
        i = end;
    }
    return parts.join(QStringLiteral(", "));
}

SourceFilesModel::SourceFilesModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_snapshot(std::make_shared<const InputSummary>())
{
}

void SourceFilesModel::setSnapshot(std::shared_ptr<const InputSummary> snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

void SourceFilesModel::setIcons(const SeverityIcons &icons, const QIcon &readWell)
{
    m_icons = icons;
    m_readWell = readWell;
    if (rowCount() > 0)
        emit dataChanged(index(0, StatusColumn), index(rowCount() - 1, StatusColumn),
                         { Qt::DecorationRole });
}

const InputFile &SourceFilesModel::file(int row) const
{
    return m_snapshot->files[static_cast<std::size_t>(row)];
}

QIcon SourceFilesModel::statusIcon(const InputFile &file) const
{
    const bool isRead = file.source.status == core::FileStatus::Read;
    return isRead && !file.hasProblems() ? m_readWell : m_icons.of(file.worst);
}

int SourceFilesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_snapshot->files.size());
}

int SourceFilesModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant SourceFilesModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const InputFile &row = file(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == NameColumn ? QString::fromStdString(row.source.name)
                                            : text(row, index.column());
    case Qt::DecorationRole:
        return index.column() == StatusColumn ? QVariant(statusIcon(row)) : QVariant();
    case Qt::TextAlignmentRole:
        return QVariant(int(index.column() >= SizeColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    case SortRole:
        return sortKey(row, index.column());
    default:
        return {};
    }
}

QVariant SourceFilesModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return QVariant(int(section >= SizeColumn ? Qt::AlignRight : Qt::AlignLeft)
                        | int(Qt::AlignVCenter));
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case StatusColumn:
        return tr("Status");
    case NameColumn:
        return tr("File");
    case FormatColumn:
        return tr("Format");
    case RanksColumn:
        return tr("Ranks");
    case ReasonColumn:
        return tr("Why it was not read");
    case SizeColumn:
        return tr("Size");
    case RecordsColumn:
        return tr("Records");
    case ProblemsColumn:
        return tr("Problems");
    default:
        return {};
    }
}

} // namespace ui
