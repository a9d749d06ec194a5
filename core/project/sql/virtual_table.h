#pragma once

#include "core/project/read/slice_store.h"
#include "core/project/schema/schema.h"
#include "core/sqlite/sqlite_api.h"

#include <memory>
#include <new>
#include <string>
#include <string_view>

// Common parts of the project's SQL tables (slice, memory, dependency) at SQLite's C boundary.

namespace core {

/// A table in one connection. SQLite frees the error message of the base class.
struct ProjectTable : sqlite3_vtab
{
    sqlite3 *connection = nullptr;
    SliceStore *store = nullptr;
    std::unique_ptr<Database> ownDatabase; ///< only in the loadable extension
    std::unique_ptr<SliceStore> ownStore;

    /// Opens the project, the first time in the loadable extension.
    SliceStore &openStore()
    {
        if (!store) {
            ownDatabase = std::make_unique<Database>(connection, databaseFile());
            checkIsProject(*ownDatabase);
            ownStore = std::make_unique<SliceStore>(*ownDatabase);
            store = ownStore.get();
        }
        return *store;
    }

private:
    std::string databaseFile() const
    {
        const char *name = sqlite3_db_filename(connection, "main");
        return name ? name : "";
    }
};

/// Runs `work` and turns an exception into the table's error message; returns SQLite's code.
template <class Work>
int guarded(sqlite3_vtab *table, Work work)
{
    try {
        work();
        return SQLITE_OK;
    } catch (const std::bad_alloc &) {
        return SQLITE_NOMEM;
    } catch (const std::exception &error) {
        sqlite3_free(table->zErrMsg);
        table->zErrMsg = sqlite3_mprintf("%s", error.what());
        return SQLITE_ERROR;
    }
}

/// Creates a table; the body of xConnect. SQLite owns the table until disconnectTable().
inline int connectTable(sqlite3 *db, void *store, const char *declaration, sqlite3_vtab **table)
{
    const int code = sqlite3_declare_vtab(db, declaration);
    if (code != SQLITE_OK)
        return code;
    sqlite3_vtab_config(db, SQLITE_VTAB_INNOCUOUS); // it only reads the project itself
    auto *created = new (std::nothrow) ProjectTable;
    if (!created)
        return SQLITE_NOMEM;
    created->connection = db;
    created->store = static_cast<SliceStore *>(store);
    *table = created;
    return SQLITE_OK;
}

inline int disconnectTable(sqlite3_vtab *table)
{
    delete static_cast<ProjectTable *>(table);
    return SQLITE_OK;
}

/// Sets a text as result. The text must outlive the query: names, constants and tables do.
inline void setText(sqlite3_context *result, std::string_view text)
{
    sqlite3_result_text(result, text.empty() ? "" : text.data(), static_cast<int>(text.size()),
                        SQLITE_STATIC);
}

/// Sets a link as result; 0 gives NULL.
inline void setLink(sqlite3_context *result, std::uint64_t link)
{
    if (link != 0)
        sqlite3_result_int64(result, static_cast<std::int64_t>(link));
}

} // namespace core
