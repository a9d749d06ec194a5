#include "ui/models/source_ranks_model.h"

#include "ui/widgets/format.h"

#include <QStringList>

namespace ui {

namespace {

    QString linesOf(const std::vector<std::string> &names)
    {
        QStringList all;
        for (const std::string &name : names)
            all << QString::fromStdString(name);
        return all.join(QLatin1Char('\n'));
    }

} // namespace

SourceRanksModel::SourceRanksModel(QObject *parent)
    : SourceTableModel(ColumnCount, IterationsColumn, parent)
{
}

const InputRank &SourceRanksModel::rank(int row) const
{
    return snapshot().ranks[static_cast<std::size_t>(row)];
}

int SourceRanksModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(snapshot().ranks.size());
}

QString SourceRanksModel::text(int row, int column) const
{
    const InputRank &shown = rank(row);
    switch (column) {
    case RankColumn:
        return tr("Rank %1").arg(shown.rank);
    case HostColumn:
        return QString::fromStdString(shown.host);
    case FilesColumn:
        return shown.files.size() == 1 ? snapshot().shownName(shown.files.front())
                                       : tr("%1 files").arg(formatCount(shown.files.size()));
    case FormatColumn:
        return linesOf(shown.formats).replace(QLatin1Char('\n'), QStringLiteral(", "));
    case IterationsColumn:
        return shown.areIterationsKnown ? formatCount(shown.iterationCount) : tr("not known");
    case MedianColumn:
        return shown.iterationCount == 0 ? QString() : formatDuration(shown.medianIterationNs);
    case RecordsColumn:
        return formatCount(shown.recordCount);
    case ProblemsColumn:
        return shown.problemCount == 0 ? QString() : formatCount(shown.problemCount);
    default:
        return {};
    }
}

QString SourceRanksModel::toolTip(int row, int column) const
{
    return column == FilesColumn ? linesOf(rank(row).files) : text(row, column);
}

QIcon SourceRanksModel::mark(int row) const
{
    const core::Severity worst = rank(row).worst;
    return markOf(worst == core::Severity::Info, worst);
}

QVariant SourceRanksModel::sortKey(int row, int column) const
{
    const InputRank &shown = rank(row);
    switch (column) {
    case RankColumn:
        return shown.rank;
    case IterationsColumn:
        return qulonglong(shown.iterationCount);
    case MedianColumn:
        return qlonglong(shown.medianIterationNs);
    case RecordsColumn:
        return qulonglong(shown.recordCount);
    case ProblemsColumn:
        return qulonglong(shown.problemCount);
    default:
        return text(row, column);
    }
}

QString SourceRanksModel::title(int column) const
{
    switch (column) {
    case RankColumn:
        return tr("Rank");
    case HostColumn:
        return tr("Host");
    case FilesColumn:
        return tr("Files");
    case FormatColumn:
        return tr("Format");
    case IterationsColumn:
        return tr("Iterations");
    case MedianColumn:
        return tr("Median iteration");
    case RecordsColumn:
        return tr("Records");
    case ProblemsColumn:
        return tr("Problems");
    default:
        return {};
    }
}

} // namespace ui
