#include "core/project/sql/foreign_views.h"

#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/sqlite/sqlite_api.h"

#include <string_view>

namespace core {

namespace {

    /// SQLite keeps a view's text as it was written.
    bool isOwn(const std::string &sql)
    {
        if (std::string_view(SchemaSql).find(sql) != std::string_view::npos)
            return true;
        for (const Migration &step : migrations())
            if (std::string_view(step.sql).find(sql) != std::string_view::npos)
                return true;
        return false;
    }

} // namespace

bool SqlNameLess::operator()(const std::string &a, const std::string &b) const
{
    return sqlite3_stricmp(a.c_str(), b.c_str()) < 0;
}

SqlNames foreignViews(Database &db)
{
    SqlNames views;
    // SQLite takes "VIEW" for a type, too.
    Statement stored(db,
                     "SELECT name, coalesce(sql, '') FROM main.sqlite_schema "
                     "WHERE type = 'view' COLLATE NOCASE");
    while (stored.step())
        if (!isOwn(std::string(stored.text(1))))
            views.emplace(stored.text(0));
    return views;
}

} // namespace core
