#include "core/project/sql/slice_table.h"

#include "core/project/sql/slice_cursor.h"
#include "core/project/sql/virtual_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace core {

namespace {

    constexpr const char *Declaration
        = "CREATE TABLE slice (id INTEGER, track INTEGER, rank INTEGER, track_name TEXT, "
          "name TEXT, category TEXT, phase TEXT, role TEXT, depth INTEGER, start_ns INTEGER, "
          "raw_start_ns INTEGER, dur_ns INTEGER, correlation INTEGER, external_id INTEGER, "
          "sequence INTEGER, forward_thread INTEGER, bytes INTEGER, args TEXT, "
          "node INTEGER)";

    /// Above this many slices, ordering by a column is left to SQLite, which can use the disk.
    constexpr std::uint64_t MaxOrderedSlices = 4'000'000;
    constexpr std::uint64_t GuessedSlices = 1'000'000; ///< before the project is opened

    struct Cursor : sqlite3_vtab_cursor
    {
        std::optional<SliceCursor> slices;
    };

    ProjectTable &tableOf(sqlite3_vtab *table)
    {
        return *static_cast<ProjectTable *>(table);
    }

    SliceCursor &slicesOf(sqlite3_vtab_cursor *cursor)
    {
        return *static_cast<Cursor *>(cursor)->slices;
    }

    int connect(sqlite3 *db, void *store, int, const char *const *, sqlite3_vtab **table, char **)
    {
        return connectTable(db, store, Declaration, table);
    }

    int openCursor(sqlite3_vtab *, sqlite3_vtab_cursor **cursor)
    {
        *cursor = new (std::nothrow) Cursor; // SQLite owns it until closeCursor()
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }

    int closeCursor(sqlite3_vtab_cursor *cursor)
    {
        delete static_cast<Cursor *>(cursor);
        return SQLITE_OK;
    }

    // --- planning: constraints are handed to filterRows() as pairs of letters, column and operator

    /// How much of the table a constraint leaves; 0 if the scan makes no use of it.
    double selectivity(SliceColumn column, int op)
    {
        const bool isEqual = op == SQLITE_INDEX_CONSTRAINT_EQ;
        const bool isRange = op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE
            || op == SQLITE_INDEX_CONSTRAINT_LT || op == SQLITE_INDEX_CONSTRAINT_LE;
        switch (column) {
        case SliceColumn::Id:
            return isEqual ? 1e-9 : isRange ? 0.3 : 0;
        case SliceColumn::StartNs:
        case SliceColumn::RawStartNs:
            return isEqual ? 1e-4 : isRange ? 0.3 : 0;
        case SliceColumn::Track:
        case SliceColumn::Rank:
            return isEqual ? 0.1 : 0;
        case SliceColumn::Name:
            return isEqual ? 0.01 : 0;
        default:
            return 0;
        }
    }

    bool canOrderBy(SliceColumn column)
    {
        constexpr std::array Columns
            = { SliceColumn::Name, SliceColumn::Category,  SliceColumn::Phase, SliceColumn::Role,
                SliceColumn::Rank, SliceColumn::TrackName, SliceColumn::Track };
        return std::find(Columns.begin(), Columns.end(), column) != Columns.end();
    }

    /// idxNum: -1 for the order of ids, else the column, with DescendingFlag.
    constexpr int DescendingFlag = 64;

    void planOrder(sqlite3_index_info *info, std::uint64_t sliceCount)
    {
        info->idxNum = -1;
        if (info->nOrderBy != 1)
            return;
        const auto column = static_cast<SliceColumn>(std::max(info->aOrderBy[0].iColumn, 0));
        const bool isDescending = info->aOrderBy[0].desc != 0;
        // sqlite3_vtab_distinct() is not asked: SQLite 3.40 says "grouping is enough" also where it
        // then takes the rows as sorted.
        if (!isDescending && (column == SliceColumn::Id || column == SliceColumn::Track)) {
            info->orderByConsumed = 1;
        } else if (canOrderBy(column) && sliceCount <= MaxOrderedSlices) {
            info->orderByConsumed = 1;
            info->idxNum = static_cast<int>(column) + (isDescending ? DescendingFlag : 0);
        }
    }

    bool isUsable(sqlite3_index_info *info, int i)
    {
        const auto &constraint = info->aConstraint[i];
        const auto column = static_cast<SliceColumn>(std::max(constraint.iColumn, 0)); // -1: rowid
        if (!constraint.usable || selectivity(column, constraint.op) == 0)
            return false;
        return column != SliceColumn::Name
            || std::string_view(sqlite3_vtab_collation(info, i)) == "BINARY";
    }

    char operatorLetter(int op)
    {
        if (op == SQLITE_INDEX_CONSTRAINT_EQ)
            return '=';
        return op == SQLITE_INDEX_CONSTRAINT_GT || op == SQLITE_INDEX_CONSTRAINT_GE ? '>' : '<';
    }

    int planScan(sqlite3_vtab *vtab, sqlite3_index_info *info)
    {
        const ProjectTable &table = tableOf(vtab);
        const std::uint64_t count
            = table.store ? table.store->tables().sliceCount() : GuessedSlices;
        std::string plan;
        double rows = static_cast<double>(count) + 1;
        for (int i = 0; i < info->nConstraint; ++i) {
            if (!isUsable(info, i))
                continue;
            const auto &constraint = info->aConstraint[i];
            const int column = std::max(constraint.iColumn, 0);
            plan += static_cast<char>('a' + column);
            plan += operatorLetter(constraint.op);
            info->aConstraintUsage[i].argvIndex = static_cast<int>(plan.size() / 2);
            rows *= selectivity(static_cast<SliceColumn>(column), constraint.op);
        }
        planOrder(info, count);
        info->estimatedRows = static_cast<std::int64_t>(std::max(rows, 1.0));
        info->estimatedCost = std::max(rows, 100.0) * (info->idxNum < 0 ? 1.0 : 1.2);
        info->idxStr = sqlite3_mprintf("%s", plan.c_str());
        info->needToFreeIdxStr = 1;
        return info->idxStr ? SQLITE_OK : SQLITE_NOMEM;
    }

    // --- scanning

    IntegerRange *rangeOf(SliceFilter &filter, SliceColumn column)
    {
        switch (column) {
        case SliceColumn::Id:
            return &filter.id;
        case SliceColumn::Track:
            return &filter.track;
        case SliceColumn::Rank:
            return &filter.rank;
        case SliceColumn::StartNs:
            return &filter.startNs;
        case SliceColumn::RawStartNs:
            return &filter.rawStartNs;
        default:
            return nullptr;
        }
    }

    /// The integers around a number; empty for anything else, which SQLite compares itself.
    std::optional<IntegerRange> integersAround(sqlite3_value *value)
    {
        if (sqlite3_value_type(value) == SQLITE_INTEGER) {
            const std::int64_t number = sqlite3_value_int64(value);
            return IntegerRange { number, number };
        }
        const double number = sqlite3_value_double(value);
        if (sqlite3_value_type(value) != SQLITE_FLOAT || !(std::abs(number) < 9e18))
            return std::nullopt;
        return IntegerRange { static_cast<std::int64_t>(std::floor(number)),
                              static_cast<std::int64_t>(std::ceil(number)) };
    }

    void constrain(SliceFilter &filter, SliceColumn column, char op, sqlite3_value *value)
    {
        if (column == SliceColumn::Name) {
            if (sqlite3_value_type(value) == SQLITE_TEXT)
                filter.name = std::string(reinterpret_cast<const char *>(sqlite3_value_text(value)),
                                          static_cast<std::size_t>(sqlite3_value_bytes(value)));
            return;
        }
        IntegerRange *range = rangeOf(filter, column);
        const auto bound = integersAround(value);
        if (!range || !bound)
            return;
        if (op != '<')
            range->from = std::max(range->from, bound->from);
        if (op != '>')
            range->to = std::min(range->to, bound->to);
    }

    int filterRows(sqlite3_vtab_cursor *cursor, int orderBy, const char *plan, int count,
                   sqlite3_value **values)
    {
        return guarded(cursor->pVtab, [&] {
            SliceFilter filter;
            for (int i = 0; i < count; ++i)
                constrain(filter, static_cast<SliceColumn>(plan[2 * i] - 'a'), plan[2 * i + 1],
                          values[i]);
            if (orderBy >= 0)
                filter.orderBy = static_cast<SliceColumn>(orderBy % DescendingFlag);
            filter.isDescending = orderBy >= DescendingFlag;
            static_cast<Cursor *>(cursor)->slices.emplace(tableOf(cursor->pVtab).openStore(),
                                                          filter);
        });
    }

    int nextRow(sqlite3_vtab_cursor *cursor)
    {
        return guarded(cursor->pVtab, [cursor] { slicesOf(cursor).next(); });
    }

    int isAtEnd(sqlite3_vtab_cursor *cursor)
    {
        return slicesOf(cursor).isAtEnd() ? 1 : 0;
    }

    int rowId(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
    {
        *id = static_cast<std::int64_t>(slicesOf(cursor).id().value);
        return SQLITE_OK;
    }

    // --- columns

    void setArgs(sqlite3_context *result, const std::string &args)
    {
        if (!args.empty())
            sqlite3_result_text(result, args.data(), static_cast<int>(args.size()),
                                SQLITE_TRANSIENT);
    }

    void setLinkColumn(sqlite3_context *result, SliceCursor &slices, SliceColumn column)
    {
        const LinkColumns &links = slices.links();
        const std::size_t row = slices.row();
        switch (column) {
        case SliceColumn::Correlation:
            return setLink(result, links.correlation[row]);
        case SliceColumn::ExternalId:
            return setLink(result, links.externalId[row]);
        case SliceColumn::Sequence:
            if (links.sequence[row] != 0) // stored one higher
                sqlite3_result_int64(result, static_cast<std::int64_t>(links.sequence[row] - 1));
            return;
        case SliceColumn::ForwardThread:
            return setLink(result, links.forwardThread[row]);
        case SliceColumn::Bytes:
            return setLink(result, links.bytes[row]);
        case SliceColumn::Node:
            return setLink(result, links.node[row]);
        default:
            return setArgs(result, slices.args());
        }
    }

    void setColumn(sqlite3_context *result, SliceCursor &slices, SliceColumn column,
                   const std::vector<std::string> &names)
    {
        const SliceColumns &columns = slices.columns();
        const std::size_t row = slices.row();
        switch (column) {
        case SliceColumn::Id:
            return sqlite3_result_int64(result, static_cast<std::int64_t>(slices.id().value));
        case SliceColumn::Track:
            return sqlite3_result_int64(result, slices.track().id.value);
        case SliceColumn::Rank:
            return sqlite3_result_int64(result, slices.worker().rank);
        case SliceColumn::TrackName:
            return setText(result, slices.track().name);
        case SliceColumn::Name:
            return setText(result, names[columns.name[row].value]);
        case SliceColumn::Category:
            return setText(result, categoryName(columns.category[row]));
        case SliceColumn::Phase:
            return setText(result, phaseName(columns.phase[row]));
        case SliceColumn::Role:
            return setText(result, roleName(roleOf(columns.category[row], columns.phase[row])));
        case SliceColumn::Depth:
            return sqlite3_result_int64(result, columns.depth[row]);
        case SliceColumn::StartNs:
            return sqlite3_result_int64(result, slices.startNs());
        case SliceColumn::RawStartNs:
            return sqlite3_result_int64(result, columns.startNs[row]);
        case SliceColumn::DurationNs:
            return sqlite3_result_int64(result, columns.durationNs[row]);
        default:
            return setLinkColumn(result, slices, column);
        }
    }

    int columnValue(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int column)
    {
        return guarded(cursor->pVtab, [&] {
            setColumn(result, slicesOf(cursor), static_cast<SliceColumn>(column),
                      tableOf(cursor->pVtab).openStore().names());
        });
    }

    /// Without xCreate the table exists in every connection under the module's name.
    const sqlite3_module *sliceModule()
    {
        static const sqlite3_module module = [] {
            sqlite3_module m = {};
            m.xConnect = connect;
            m.xBestIndex = planScan;
            m.xDisconnect = disconnectTable;
            m.xOpen = openCursor;
            m.xClose = closeCursor;
            m.xFilter = filterRows;
            m.xNext = nextRow;
            m.xEof = isAtEnd;
            m.xColumn = columnValue;
            m.xRowid = rowId;
            return m;
        }();
        return &module;
    }

} // namespace

int registerSliceTable(sqlite3 *db, SliceStore *store)
{
    return sqlite3_create_module_v2(db, "slice", sliceModule(), store, nullptr);
}

} // namespace core
