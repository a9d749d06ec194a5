#include "ui/models/source_files_model.h"

#include "core/base/ranks_text.h"
#include "ui/widgets/format.h"

namespace ui {

namespace {

    QString textOf(const InputFile &file, int column)
    {
        switch (column) {
        case SourceFilesModel::StatusColumn:
            return file.status;
        case SourceFilesModel::NameColumn:
            return file.shownName;
        case SourceFilesModel::FormatColumn:
            return QString::fromStdString(file.source.format);
        case SourceFilesModel::RanksColumn:
            return rankList(file.source.ranks);
        case SourceFilesModel::ReasonColumn:
            return file.reason;
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

    QVariant sortKeyOf(const InputFile &file, int column)
    {
        switch (column) {
        case SourceFilesModel::StatusColumn: // what went worst first when descending
            return static_cast<int>(file.worst) * 8 + static_cast<int>(file.source.status) * 2
                + static_cast<int>(file.isCut);
        case SourceFilesModel::RanksColumn:
            return file.source.ranks.empty() ? -1 : file.source.ranks.front();
        case SourceFilesModel::SizeColumn:
            return qulonglong(file.source.storedBytes);
        case SourceFilesModel::RecordsColumn:
            return qulonglong(file.recordCount);
        case SourceFilesModel::ProblemsColumn:
            return qulonglong(file.problemCount);
        default:
            return textOf(file, column);
        }
    }

} // namespace

QString rankList(const std::vector<int> &ranks)
{
    return QString::fromStdString(core::rankNumbersText(ranks))
        .replace(QLatin1Char('-'), QChar(0x2013));
}

SourceFilesModel::SourceFilesModel(QObject *parent)
    : SourceTableModel(ColumnCount, SizeColumn, parent)
{
}

const InputFile &SourceFilesModel::file(int row) const
{
    return snapshot().files[static_cast<std::size_t>(row)];
}

int SourceFilesModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(snapshot().files.size());
}

QString SourceFilesModel::text(int row, int column) const
{
    return textOf(file(row), column);
}

QString SourceFilesModel::toolTip(int row, int column) const
{
    return column == NameColumn ? QString::fromStdString(file(row).source.name) : text(row, column);
}

QIcon SourceFilesModel::mark(int row) const
{
    const InputFile &shown = file(row);
    const bool isRead = shown.source.status == core::FileStatus::Read;
    return markOf(isRead && !shown.hasProblems(), shown.worst);
}

QVariant SourceFilesModel::sortKey(int row, int column) const
{
    return sortKeyOf(file(row), column);
}

QString SourceFilesModel::title(int column) const
{
    switch (column) {
    case StatusColumn:
        return tr("Status");
    case NameColumn:
        return tr("File");
    case FormatColumn:
        return tr("Format");
    case RanksColumn:
        return tr("Ranks");
    case ReasonColumn:
        return tr("Why not all was read");
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
