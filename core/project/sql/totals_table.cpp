#include "core/project/sql/totals_table.h"

#include "core/project/sql/slice_totals.h"
#include "core/project/sql/virtual_table.h"

namespace core {

namespace {

    constexpr const char *Declaration
        = "CREATE TABLE slice_total (rank INTEGER, track INTEGER, track_name TEXT, name TEXT, "
          "category TEXT, phase TEXT, role TEXT, slice_count INTEGER, dur_ns INTEGER, min_dur_ns "
          "INTEGER, max_dur_ns INTEGER)";

    struct Cursor : sqlite3_vtab_cursor
    {
        std::vector<SliceTotal> totals;
        std::size_t row = 0;

        SliceStore &store() const { return *static_cast<ProjectTable *>(pVtab)->store; }
    };

    Cursor &of(sqlite3_vtab_cursor *cursor)
    {
        return *static_cast<Cursor *>(cursor);
    }

    int connect(sqlite3 *db, void *store, int, const char *const *, sqlite3_vtab **table, char **)
    {
        return connectTable(db, store, Declaration, table);
    }

    int open(sqlite3_vtab *, sqlite3_vtab_cursor **cursor)
    {
        *cursor = new (std::nothrow) Cursor; // SQLite owns it until close()
        return *cursor ? SQLITE_OK : SQLITE_NOMEM;
    }

    int close(sqlite3_vtab_cursor *cursor)
    {
        delete &of(cursor);
        return SQLITE_OK;
    }

    /// All slices are added up, whatever is asked: few rows come of it, which SQLite filters.
    int plan(sqlite3_vtab *, sqlite3_index_info *info)
    {
        info->estimatedCost = 1e6;
        info->estimatedRows = 1000;
        return SQLITE_OK;
    }

    int filter(sqlite3_vtab_cursor *cursor, int, const char *, int, sqlite3_value **)
    {
        return guarded(cursor->pVtab, [cursor] {
            of(cursor).totals
                = sliceTotals(static_cast<ProjectTable *>(cursor->pVtab)->openStore());
            of(cursor).row = 0;
        });
    }

    int next(sqlite3_vtab_cursor *cursor)
    {
        ++of(cursor).row;
        return SQLITE_OK;
    }

    int isAtEnd(sqlite3_vtab_cursor *cursor)
    {
        return of(cursor).row == of(cursor).totals.size() ? 1 : 0;
    }

    int rowId(sqlite3_vtab_cursor *cursor, sqlite3_int64 *id)
    {
        *id = static_cast<sqlite3_int64>(of(cursor).row);
        return SQLITE_OK;
    }

    void setColumn(sqlite3_context *result, SliceStore &store, const SliceTotal &total, int column)
    {
        const Track &track = store.tables().tracks[total.track.value];
        switch (column) {
        case 0:
            return sqlite3_result_int(result, store.tables().workers[track.worker.value].rank);
        case 1:
            return sqlite3_result_int64(result, track.id.value);
        case 2:
            return setText(result, track.name);
        case 3:
            return setText(result, store.names()[total.name.value]);
        case 4:
            return setText(result, categoryName(total.category));
        case 5:
            return setText(result, phaseName(total.phase));
        case 6:
            return setText(result, roleName(roleOf(total.category, total.phase)));
        case 7:
            return sqlite3_result_int64(result, static_cast<std::int64_t>(total.count));
        case 8:
            return sqlite3_result_int64(result, total.durationNs);
        case 9:
            return sqlite3_result_int64(result, total.shortestNs);
        default:
            return sqlite3_result_int64(result, total.longestNs);
        }
    }

    int columnValue(sqlite3_vtab_cursor *cursor, sqlite3_context *result, int column)
    {
        return guarded(cursor->pVtab, [&] {
            setColumn(result, of(cursor).store(), of(cursor).totals[of(cursor).row], column);
        });
    }

    /// Without xCreate the table exists in every connection under the module's name.
    const sqlite3_module *totalsModule()
    {
        static const sqlite3_module module = [] {
            sqlite3_module m = {};
            m.xConnect = connect;
            m.xBestIndex = plan;
            m.xDisconnect = disconnectTable;
            m.xOpen = open;
            m.xClose = close;
            m.xFilter = filter;
            m.xNext = next;
            m.xEof = isAtEnd;
            m.xColumn = columnValue;
            m.xRowid = rowId;
            return m;
        }();
        return &module;
    }

} // namespace

int registerTotalsTable(sqlite3 *db, SliceStore *store)
{
    return sqlite3_create_module_v2(db, "slice_total", totalsModule(), store, nullptr);
}

} // namespace core
