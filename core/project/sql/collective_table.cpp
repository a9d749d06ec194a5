#include "core/project/sql/collective_table.h"

#include "core/project/sql/collective_times.h"
#include "core/project/sql/virtual_table.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    constexpr const char *CollectiveTimeDeclaration
        = "CREATE TABLE collective_time (slice INTEGER, wait_ns INTEGER, transfer_ns INTEGER, "
          "matched_group TEXT, matched_sequence INTEGER, last_rank INTEGER)";

    /// Hides the stored view of this name, in this connection alone. Each column is a query of its
    /// own: SQLite runs none that is not asked for, while it would not leave out a join of a sum.
    std::string collectiveView()
    {
        std::string columns;
        for (const char *column :
             { "wait_ns", "transfer_ns", "matched_group", "matched_sequence", "last_rank" })
            columns += std::string(", (SELECT t.") + column
                + " FROM collective_time t WHERE t.slice = c.slice) AS " + column;
        return "CREATE TEMP VIEW collective AS SELECT c.*" + columns + " FROM main.collective c";
    }

    struct CollectiveTimeTable : sqlite3_vtab
    {
        CollectiveTimes *times = nullptr;
    };

    struct CollectiveTimeCursor : sqlite3_vtab_cursor
    {
        std::size_t row = 0, end = 0;
    };

    CollectiveTimes &timesOf(const sqlite3_vtab_cursor *cursor)
    {
        return *static_cast<CollectiveTimeTable *>(cursor->pVtab)->times;
    }

    CollectiveTimeCursor &cursorOf(sqlite3_vtab_cursor *cursor)
    {
        return *static_cast<CollectiveTimeCursor *>(cursor);
    }

    int connectTimes(sqlite3 *db, void *times, int, const char *const *, sqlite3_vtab **table,
                     char **)
    {
        const int code = sqlite3_declare_vtab(db, CollectiveTimeDeclaration);
        if (code != SQLITE_OK)
            return code;
        sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS); // it only reads the project itself
        auto *created = new (std::nothrow) CollectiveTimeTable; // SQLite owns it until disconnect
        if (!created)
            return SQLITE_NOMEM;
        created->times = static_cast<CollectiveTimes *>(times);
        *table = created;
        return SQLITE_OK;
    }

    int disconnectTimes(sqlite3_vtab *table)
    {
        delete static_cast<CollectiveTimeTable *>(table);
        return SQLITE_OK;
    }

    int openTimes(sqlite3_vtab *, sqlite3_vtab_cursor **cursor)
    {
        *cursor = new (std::nothrow) CollectiveTimeCursor; // SQLite owns it until close
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }

    int closeTimes(sqlite3_vtab_cursor *cursor)
    {
        delete &cursorOf(cursor);
        return SQLITE_OK;
    }

    constexpr int OfOneSlice = 1;

    int planTimes(sqlite3_vtab *, sqlite3_index_info *info)
    {
        info->estimatedCost = 1e6;
        info->estimatedRows = 100'000;
        for (int i = 0; i < info->nConstraint; ++i) {
            const auto &constraint = info->aConstraint[i];
            if (constraint.iColumn != 0 || constraint.op != SQLITE_INDEX_CONSTRAINT_EQ
                || !constraint.usable)
                continue;
            info->aConstraintUsage[i].argvIndex = 1;
            info->idxNum = OfOneSlice;
            info->idxFlags = SQLITE_INDEX_SCAN_UNIQUE;
            info->estimatedCost = 10;
            info->estimatedRows = 1;
            break;
        }
        return SQLITE_OK;
    }

    void seekSlice(CollectiveTimeCursor &cursor, const std::vector<CollectiveTime> &rows,
                   sqlite3_value *slice)
    {
        const sqlite3_int64 id = sqlite3_value_int64(slice);
        const auto found = std::ranges::lower_bound(rows, id, {}, [](const CollectiveTime &row) {
            return static_cast<sqlite3_int64>(row.slice.value);
        });
        const bool isThere = sqlite3_value_numeric_type(slice) == SQLITE_INTEGER
            && found != rows.end() && static_cast<sqlite3_int64>(found->slice.value) == id;
        cursor.row = static_cast<std::size_t>(found - rows.begin());
        cursor.end = cursor.row + (isThere ? 1 : 0);
    }

    int filterTimes(sqlite3_vtab_cursor *cursor, int plan, const char *, int,
                    sqlite3_value **arguments)
    {
        CollectiveTimes &times = timesOf(cursor);
        if (!times.isComputed() && times.mayPutOff) {
            times.isAwaited = true;
            return SQLITE_INTERRUPT;
        }
        return guarded(cursor->pVtab, [&] {
            times.compute(times.queryControl ? *times.queryControl : JobControl());
            cursorOf(cursor).row = 0;
            cursorOf(cursor).end = times.rows().size();
            if (plan == OfOneSlice)
                seekSlice(cursorOf(cursor), times.rows(), arguments[0]);
        });
    }

    int nextTime(sqlite3_vtab_cursor *cursor)
    {
        ++cursorOf(cursor).row;
        return SQLITE_OK;
    }

    int isAfterTimes(sqlite3_vtab_cursor *cursor)
    {
        return cursorOf(cursor).row >= cursorOf(cursor).end ? 1 : 0;
    }

    int idOfTime(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
    {
        *id = static_cast<sqlite3_int64>(cursorOf(cursor).row);
        return SQLITE_OK;
    }

    int valueOfTime(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int column)
    {
        const CollectiveTime &time = timesOf(cursor).rows()[cursorOf(cursor).row];
        switch (column) {
        case 0:
            sqlite3_result_int64(result, static_cast<sqlite3_int64>(time.slice.value));
            break;
        case 1:
            sqlite3_result_int64(result, time.waitNs);
            break;
        case 2:
            sqlite3_result_int64(result, time.transferNs);
            break;
        case 3:
            setText(result, time.group);
            break;
        case 4:
            sqlite3_result_int64(result, static_cast<sqlite3_int64>(time.sequence));
            break;
        default:
            sqlite3_result_int(result, time.lastRank);
            break;
        }
        return SQLITE_OK;
    }

    const sqlite3_module *collectiveTimeModule()
    {
        static const sqlite3_module module = [] {
            sqlite3_module m = {};
            m.xConnect = connectTimes;
            m.xBestIndex = planTimes;
            m.xDisconnect = disconnectTimes;
            m.xOpen = openTimes;
            m.xClose = closeTimes;
            m.xFilter = filterTimes;
            m.xNext = nextTime;
            m.xEof = isAfterTimes;
            m.xColumn = valueOfTime;
            m.xRowid = idOfTime;
            return m;
        }();
        return &module;
    }

} // namespace

int registerCollectiveTable(sqlite3 *db, CollectiveTimes *times)
{
    const int code
        = sqlite3_create_module_v2(db, "collective_time", collectiveTimeModule(), times, nullptr);
    return code == SQLITE_OK ? sqlite3_exec(db, collectiveView().c_str(), nullptr, nullptr, nullptr)
                             : code;
}

} // namespace core
