#include "ui/models/source_ranks_model.h"

#include "ui/widgets/format.h"

#include <QStringList>

namespace ui {

namespace {

    QVariant alignmentOf(int column)
    {
        const bool isNumber = column >= SourceRanksModel::IterationsColumn;
        return QVariant(int(isNumber ? Qt::AlignRight : Qt::AlignLeft) | int(Qt::AlignVCenter));
    }

    QString lines(const std::vector<std::string> &names)
    {
        QStringList all;
        for (const std::string &name : names)
            all << QString::fromStdString(name);
        return all.join(QLatin1Char('\n'));
    }

} // namespace

SourceRanksModel::SourceRanksModel(QObject *parent)
    : QAbstractTableModel(parent)
    , m_snapshot(std::make_shared<const InputSummary>())
{
}

void SourceRanksModel::setSnapshot(std::shared_ptr<const InputSummary> snapshot)
{
    beginResetModel();
    m_snapshot = std::move(snapshot);
    endResetModel();
}

void SourceRanksModel::setIcons(const SeverityIcons &icons, const QIcon &readWell)
{
    m_icons = icons;
    m_readWell = readWell;
    if (rowCount() > 0)
        emit dataChanged(index(0, RankColumn), index(rowCount() - 1, RankColumn),
                         { Qt::DecorationRole });
}

const InputRank &SourceRanksModel::rank(int row) const
{
    return m_snapshot->ranks[static_cast<std::size_t>(row)];
}

int SourceRanksModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : static_cast<int>(m_snapshot->ranks.size());
}

int SourceRanksModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QString SourceRanksModel::text(const InputRank &rank, int column) const
{
    switch (column) {
    case RankColumn:
        return tr("Rank %1").arg(rank.rank);
    case HostColumn:
        return QString::fromStdString(rank.host);
    case FilesColumn:
        return rank.files.size() == 1 ? m_snapshot->shownName(rank.files.front())
                                      : tr("%1 files").arg(formatCount(rank.files.size()));
    case FormatColumn:
        return lines(rank.formats).replace(QLatin1Char('\n'), QStringLiteral(", "));
    case IterationsColumn:
        return formatCount(rank.iterationCount);
    case MedianColumn:
        return rank.iterationCount == 0 ? QString() : formatDuration(rank.medianIterationNs);
    case RecordsColumn:
        return formatCount(rank.recordCount);
    case ProblemsColumn:
        return rank.problemCount == 0 ? QString() : formatCount(rank.problemCount);
    default:
        return {};
    }
}

QVariant SourceRanksModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const InputRank &row = rank(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(row, index.column());
    case Qt::ToolTipRole:
        return index.column() == FilesColumn ? lines(row.files) : text(row, index.column());
    case Qt::DecorationRole:
        if (index.column() != RankColumn)
            return {};
        return row.worst == core::Severity::Info ? m_readWell : m_icons.of(row.worst);
    case Qt::TextAlignmentRole:
        return alignmentOf(index.column());
    case SortRole:
        break;
    default:
        return {};
    }
    switch (index.column()) {
    case RankColumn:
        return row.rank;
    case IterationsColumn:
        return qulonglong(row.iterationCount);
    case MedianColumn:
        return qlonglong(row.medianIterationNs);
    case RecordsColumn:
        return qulonglong(row.recordCount);
    case ProblemsColumn:
        return qulonglong(row.problemCount);
    default:
        return text(row, index.column());
    }
}

QVariant SourceRanksModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return alignmentOf(section);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
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
