#include "ui/views/ops/ops_model.h"

#include "core/base/printable_text.h"
#include "ui/views/ops/shape_words.h"
#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"
#include "ui/widgets/table_csv.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace ui {

namespace {

    QString bandwidthText(const std::optional<double> &gigabytes)
    {
        return gigabytes ? OpsModel::tr("%1 GB/s").arg(*gigabytes, 0, 'g', 3) : QString();
    }

    QString cellText(const core::OpTableRow &row, int column)
    {
        switch (column) {
        case OpsModel::NameColumn:
            return QString::fromStdString(core::oneLine(row.name));
        case OpsModel::ShapesColumn:
            return QString::fromStdString(row.shapes);
        case OpsModel::KindColumn:
            return opKindText(row.kind);
        case OpsModel::OwnColumn:
            return formatDuration(row.ownNs);
        case OpsModel::ShareColumn:
            return formatPercent(row.share);
        case OpsModel::CountColumn:
            return formatCount(row.count);
        case OpsModel::MedianColumn:
            return formatDuration(row.medianNs);
        case OpsModel::P95Column:
            return formatDuration(row.p95Ns);
        case OpsModel::LongestColumn:
            return formatDuration(row.longestNs);
        case OpsModel::AlgorithmColumn:
            return bandwidthText(row.algorithmGBs);
        default:
            return bandwidthText(row.busGBs);
        }
    }

    /// [rows]: long shapes of one operation without what they have in common.
    std::vector<QString> shownShapes(const OpTable &table)
    {
        constexpr qsizetype Whole = 24; // fits the column
        std::map<std::pair<std::string, core::OpTableKind>, std::vector<std::size_t>> alike;
        for (std::size_t row = 0; row < table.size(); ++row)
            if (!table[row].shapes.empty())
                alike[{ table[row].name, table[row].kind }].push_back(row);
        std::vector<QString> shown(table.size());
        for (const auto &[operation, rows] : alike) {
            QStringList shapes;
            shapes.reserve(static_cast<qsizetype>(rows.size()));
            for (const std::size_t row : rows)
                shapes << QString::fromStdString(table[row].shapes);
            shapes = differingShapes(shapes, Whole);
            for (std::size_t i = 0; i < rows.size(); ++i)
                shown[rows[i]] = shapes[static_cast<qsizetype>(i)];
        }
        return shown;
    }

    QVariant bandwidthKey(const std::optional<double> &gigabytes)
    {
        return gigabytes ? QVariant(*gigabytes) : QVariant();
    }

    QVariant cellKey(const core::OpTableRow &row, int column)
    {
        switch (column) {
        case OpsModel::NameColumn:
        case OpsModel::ShapesColumn:
        case OpsModel::KindColumn:
            return cellText(row, column);
        case OpsModel::OwnColumn:
            return static_cast<qlonglong>(row.ownNs);
        case OpsModel::ShareColumn:
            return row.share;
        case OpsModel::CountColumn:
            return static_cast<qulonglong>(row.count);
        case OpsModel::MedianColumn:
            return static_cast<qlonglong>(row.medianNs);
        case OpsModel::P95Column:
            return static_cast<qlonglong>(row.p95Ns);
        case OpsModel::LongestColumn:
            return static_cast<qlonglong>(row.longestNs);
        case OpsModel::AlgorithmColumn:
            return bandwidthKey(row.algorithmGBs);
        default:
            return bandwidthKey(row.busGBs);
        }
    }

    struct Heading
    {
        QString title, csv, hint;
    };

    Heading headingOf(int column)
    {
        switch (column) {
        case OpsModel::NameColumn:
            return { OpsModel::tr("Operation"), QStringLiteral("operation"), {} };
        case OpsModel::ShapesColumn:
            return { OpsModel::tr("Input shapes"), QStringLiteral("input_shapes"),
                     OpsModel::tr(
                         "Sizes of its arguments' dimensions, as recorded. Of calls of one "
                         "operation those that differ are shown; all of them are in the "
                         "tooltip.") };
        case OpsModel::KindColumn:
            return { OpsModel::tr("Kind"), QStringLiteral("kind"), {} };
        case OpsModel::OwnColumn:
            return { OpsModel::tr("Own time"), QStringLiteral("own_ns"),
                     OpsModel::tr("Without what it calls on the same thread, the sum") };
        case OpsModel::ShareColumn:
            return { OpsModel::tr("Share"), QStringLiteral("share_of_kind"),
                     OpsModel::tr("Of the own time of all operations of its kind") };
        case OpsModel::CountColumn:
            return { OpsModel::tr("Count"), QStringLiteral("count"), {} };
        case OpsModel::MedianColumn:
            return { OpsModel::tr("Call p50"), QStringLiteral("p50_ns"),
                     OpsModel::tr("Half of its calls take no longer, with what they call") };
        case OpsModel::P95Column:
            return { OpsModel::tr("Call p95"), QStringLiteral("p95_ns"),
                     OpsModel::tr("95 % of its calls take no longer") };
        case OpsModel::LongestColumn:
            return { OpsModel::tr("Longest call"), QStringLiteral("longest_ns"),
                     OpsModel::tr("A double-click shows this call in the timeline") };
        case OpsModel::AlgorithmColumn:
            return { OpsModel::tr("algbw"), QStringLiteral("algbw_gb_s"),
                     OpsModel::tr("Algorithm bandwidth of the transfer, without waiting, as "
                                  "nccl-tests counts it; the median") };
        default:
            return { OpsModel::tr("busbw"), QStringLiteral("busbw_gb_s"),
                     OpsModel::tr("Bus bandwidth of the transfer, without waiting: what each "
                                  "rank's link carries; the median") };
        }
    }

} // namespace

QString opKindText(core::OpTableKind kind)
{
    const std::array<QString, core::OpTableKinds> texts {
        OpsModel::tr("Kernel"),       OpsModel::tr("Communication"), OpsModel::tr("Copy"),
        OpsModel::tr("Framework op"), OpsModel::tr("Runtime call"),  OpsModel::tr("Python"),
        OpsModel::tr("Annotation")
    };
    return texts[static_cast<std::size_t>(kind)];
}

OpsModel::OpsModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void OpsModel::setTable(std::shared_ptr<const OpTable> table)
{
    beginResetModel();
    m_table = std::move(table);
    m_shapes = m_table == nullptr ? std::vector<QString>() : shownShapes(*m_table);
    endResetModel();
}

bool OpsModel::isEmpty(Column column) const
{
    if (m_table == nullptr)
        return true;
    return std::all_of(m_table->begin(), m_table->end(), [column](const core::OpTableRow &row) {
        return cellText(row, column).isEmpty();
    });
}

int OpsModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_table == nullptr ? 0 : static_cast<int>(m_table->size());
}

int OpsModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() ? 0 : ColumnCount;
}

QVariant OpsModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const core::OpTableRow &shown = row(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return index.column() == ShapesColumn ? m_shapes[static_cast<std::size_t>(index.row())]
                                              : cellText(shown, index.column());
    case Qt::ToolTipRole:
        return toolTipParagraphs(cellText(shown, index.column()));
    case SortRole:
    case CsvRole:
        return cellKey(shown, index.column());
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(
            Qt::Alignment(Qt::AlignVCenter)
            | (index.column() <= KindColumn ? Qt::AlignLeft : Qt::AlignRight));
    default:
        return {};
    }
}

QVariant OpsModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    const Heading heading = headingOf(section);
    switch (role) {
    case Qt::DisplayRole:
        return heading.title;
    case Qt::ToolTipRole:
        return toolTipParagraphs(heading.hint);
    case CsvRole:
        return heading.csv;
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter)
                                   | (section <= KindColumn ? Qt::AlignLeft : Qt::AlignRight));
    case Qt::InitialSortOrderRole:
        return firstSortOrder(headerData(section, orientation, Qt::TextAlignmentRole));
    default:
        return {};
    }
}

OpsFilter::OpsFilter(OpsModel &model, QObject *parent)
    : QSortFilterProxyModel(parent)
    , m_model(model)
{
    setSourceModel(&model);
    setSortRole(OpsModel::SortRole);
}

void OpsFilter::setKind(std::optional<core::OpTableKind> kind)
{
    m_kind = kind;
    invalidateFilter();
}

void OpsFilter::setText(const QString &text)
{
    m_text = text.trimmed();
    invalidateFilter();
}

const core::OpTableRow &OpsFilter::rowAt(const QModelIndex &index) const
{
    return m_model.row(mapToSource(index).row());
}

bool OpsFilter::filterAcceptsRow(int row, const QModelIndex &) const
{
    const core::OpTableRow &shown = m_model.row(row);
    return (m_kind ? shown.kind == *m_kind : shown.kind != core::OpTableKind::Annotation)
        && (m_text.isEmpty()
            || QString::fromStdString(shown.name).contains(m_text, Qt::CaseInsensitive));
}

} // namespace ui
