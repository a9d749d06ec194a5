#include "ui/views/sql/query_model.h"

#include "core/base/printable_text.h"
#include "ui/theme/theme.h"
#include "ui/widgets/format.h"
#include "ui/widgets/sort_order.h"
#include "ui/widgets/table_csv.h"

#include <QGuiApplication>

#include <algorithm>
#include <charconv>

namespace ui {

namespace {

    QString cellText(const std::optional<std::string> &value)
    {
        return value ? QString::fromStdString(core::oneLine(*value)) : QStringLiteral("NULL");
    }

} // namespace

QueryModel::QueryModel(QObject *parent)
    : QAbstractTableModel(parent)
{
}

void QueryModel::setResult(std::shared_ptr<const core::QueryResult> result)
{
    beginResetModel();
    m_result = std::move(result);
    endResetModel();
}

int QueryModel::rowCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_result == nullptr ? 0 : static_cast<int>(m_result->rows.size());
}

int QueryModel::columnCount(const QModelIndex &parent) const
{
    return parent.isValid() || m_result == nullptr ? 0 : static_cast<int>(m_result->columns.size());
}

QVariant QueryModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid))
        return {};
    const auto row = static_cast<std::size_t>(index.row());
    const auto column = static_cast<std::size_t>(index.column());
    const std::optional<std::string> &value = m_result->rows[row][column];
    const bool isNumber = value && m_result->isNumber[row][column] != 0;
    switch (role) {
    case Qt::DisplayRole:
        return cellText(value);
    case Qt::ToolTipRole:
        return toolTipParagraphs(cellText(value));
    case SortRole:
        return isNumber ? QVariant(QString::fromStdString(*value).toDouble())
                        : QVariant(cellText(value));
    case CsvRole: // numbers as the statement gave them
        return isNumber ? QVariant(QByteArray::fromStdString(*value))
                        : QVariant(QString::fromStdString(value.value_or("")));
    case Qt::TextAlignmentRole:
        return QVariant::fromValue(Qt::Alignment(Qt::AlignVCenter)
                                   | (isNumber ? Qt::AlignRight : Qt::AlignLeft));
    case Qt::ForegroundRole:
        return value ? QVariant() : QVariant(themeOf(qApp->palette()).secondaryText);
    default:
        return {};
    }
}

QVariant QueryModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal || section >= columnCount())
        return {};
    if (role == Qt::InitialSortOrderRole && rowCount() > 0)
        return firstSortOrder(data(index(0, section), Qt::TextAlignmentRole));
    const std::string &name = m_result->columns[static_cast<std::size_t>(section)];
    return role == CsvRole        ? QVariant(QString::fromStdString(name))
        : role == Qt::DisplayRole ? QVariant(QString::fromStdString(core::oneLine(name)))
                                  : QVariant();
}

std::optional<std::int64_t> QueryModel::numberIn(int row, const std::string &column) const
{
    const auto &columns = m_result->columns;
    const auto at = std::find(columns.begin(), columns.end(), column);
    if (at == columns.end())
        return std::nullopt;
    const auto index = static_cast<std::size_t>(at - columns.begin());
    const std::optional<std::string> &text = m_result->rows[static_cast<std::size_t>(row)][index];
    std::int64_t number = 0;
    if (!text)
        return std::nullopt;
    const char *end = text->data() + text->size();
    const auto parsed = std::from_chars(text->data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end)
        return std::nullopt;
    return number;
}

std::optional<QueryModel::Place> QueryModel::placeOf(int row) const
{
    if (row < 0 || row >= rowCount())
        return std::nullopt;
    Place place;
    auto slice = numberIn(row, "slice");
    if (!slice && numberIn(row, "raw_start_ns")) // a row of table slice
        slice = numberIn(row, "id");
    if (slice && *slice >= 0)
        place.slice = core::SliceId { static_cast<std::uint64_t>(*slice) };
    const auto start = numberIn(row, "start_ns");
    const auto duration = numberIn(row, "dur_ns");
    if (start && duration && *duration >= 0)
        place.range = { *start, *start + *duration };
    if (place.slice == core::NoSlice && place.range.durationNs() <= 0)
        return std::nullopt;
    return place;
}

bool QueryModel::namesTimes() const
{
    const auto has = [this](const char *name) {
        return std::ranges::find(m_result->columns, name) != m_result->columns.end();
    };
    return m_result != nullptr && !m_result->rows.empty() && has("start_ns") && has("dur_ns");
}

} // namespace ui
