// The project file's SQL tables as a loadable extension, for sqlite3, Python and other programs.
#include "core/project/sql/record_sql.h"
#include "core/project/sql/slice_table.h"
#include "core/project/sql/totals_table.h"
#include "core/sqlite/sqlite_api.h"

#include <initializer_list>

SQLITE_EXTENSION_INIT1

// SQLite looks for an entry point of this name.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int
sqlite3_longpole_init(sqlite3 *db, char **, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    for (const auto registerTables :
         { core::registerSliceTable, core::registerRecordTables, core::registerTotalsTable })
        if (const int code = registerTables(db, nullptr); code != SQLITE_OK)
            return code;
    return SQLITE_OK;
}
// NOLINTEND(readability-identifier-naming)
