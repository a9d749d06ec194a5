#include "core/project/sql/query_advice.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace core {

namespace {

    /// That a reader offers; PRAGMA table_list does not have them.
    constexpr std::array<std::string_view, 4> VirtualTables
        = { "slice", "slice_total", "memory", "dependency" };

    /// How slices, their arguments and records are stored: tables of their own show them readably.
    constexpr std::array<std::string_view, 10> StorageTables
        = { "args_block",   "args_filter", "dependency_chunk", "level",       "level_chunk",
            "memory_chunk", "slice_chunk", "slice_hot",        "slice_index", "slice_links" };

    std::vector<std::string> tablesOf(Database &db)
    {
        std::vector<std::string> names(VirtualTables.begin(), VirtualTables.end());
        Statement select(db, "PRAGMA table_list");
        while (select.step()) {
            const std::string name = select.text(1);
            const bool isOwn = !name.starts_with("sqlite_") && !name.starts_with("pragma_");
            if (isOwn
                && std::find(StorageTables.begin(), StorageTables.end(), name)
                    == StorageTables.end())
                names.push_back(name);
        }
        std::sort(names.begin(), names.end());
        names.erase(std::unique(names.begin(), names.end()), names.end());
        return names;
    }

    std::string columnsOf(Database &db, const std::string &table)
    {
        std::string columns;
        Statement select(db, "SELECT name FROM pragma_table_info(?)");
        select.bindAll(std::string_view(table));
        while (select.step())
            columns += (columns.empty() ? "" : ", ") + select.text(0);
        return columns;
    }

    bool isPartOfName(char c)
    {
        return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0;
    }

    /// Whether a word of the query is the name; SQL does not tell upper from lower case.
    bool isNamedIn(std::string_view sql, const std::string &name)
    {
        const std::string text = lowered(sql);
        for (std::size_t at = text.find(name); at != std::string::npos;
             at = text.find(name, at + 1)) {
            const std::size_t end = at + name.size();
            if ((at == 0 || !isPartOfName(text[at - 1]))
                && (end == text.size() || !isPartOfName(text[end])))
                return true;
        }
        return false;
    }

} // namespace

std::string queryAdvice(Database &db, std::string_view message, std::string_view sql)
{
    std::string advice;
    if (message.starts_with("no such table")) {
        for (const std::string &table : tablesOf(db))
            advice += (advice.empty() ? ". The tables are: " : ", ") + table;
        return advice + ". PRAGMA table_info(NAME) lists the columns of one";
    }
    if (!message.starts_with("no such column"))
        return {};
    for (const std::string &table : tablesOf(db))
        if (isNamedIn(sql, table))
            advice += ". Columns of " + table + ": " + columnsOf(db, table);
    return advice;
}

} // namespace core
