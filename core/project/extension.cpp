// The project file's SQL tables as a loadable extension, for sqlite3, Python and other programs.
#include "core/project/record_sql.h"
#include "core/project/slice_table.h"
#include "core/sqlite/sqlite_api.h"

SQLITE_EXTENSION_INIT1

// SQLite looks for an entry point of this name.
// NOLINTBEGIN(readability-identifier-naming)
extern "C" __attribute__((visibility("default"))) int
sqlite3_longpole_init(sqlite3 *db, char **, const sqlite3_api_routines *api)
{
    SQLITE_EXTENSION_INIT2(api)
    const int code = core::registerSliceTable(db, nullptr);
    return code == SQLITE_OK ? core::registerRecordTables(db, nullptr) : code;
}
// NOLINTEND(readability-identifier-naming)
