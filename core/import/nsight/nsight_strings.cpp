#include "core/import/nsight/nsight_strings.h"

#include "core/import/text/clean_text.h"

namespace core {

namespace {

    constexpr std::size_t LongestName = 16 * 1024;
    constexpr std::size_t MostKeptNames = 1'000'000;

} // namespace

std::string nsightName(std::string_view text)
{
    return cleanText(text.substr(0, LongestName));
}

NsightStrings::NsightStrings(NsightDatabase &db, TraceSink &sink)
    : m_db(db)
    , m_sink(sink)
{
    if (!db.has("StringIds", "id") || !db.has("StringIds", "value"))
        return;
    if (db.isRowId("StringIds", "id")) {
        m_lookup.emplace(db.select("StringIds", { "value" }, "WHERE id = ?"));
        return;
    }
    // Files that another tool has rewritten have no key: make one, in SQLite's temporary database.
    db.execute("CREATE TEMP TABLE string_row(id INTEGER PRIMARY KEY, row INTEGER)");
    db.execute("INSERT OR IGNORE INTO temp.string_row SELECT id, rowid FROM main.\"StringIds\" "
               "WHERE typeof(id) = 'integer'");
    m_lookup.emplace(db.select("StringIds", { "value" },
                               "WHERE rowid = (SELECT row FROM temp.string_row WHERE id = ?)"));
}

std::optional<std::string> NsightStrings::text(std::int64_t id)
{
    if (!m_lookup)
        return std::nullopt;
    const std::optional<std::string_view> found = m_db.lookUp(*m_lookup, id);
    return found ? std::optional(nsightName(*found)) : std::nullopt;
}

std::optional<NameId> NsightStrings::name(std::int64_t id)
{
    if (const auto known = m_names.find(id); known != m_names.end())
        return known->second;
    const std::optional<std::string> found = text(id);
    if (!found)
        return std::nullopt;
    if (m_names.size() >= MostKeptNames)
        m_names.clear();
    return m_names.emplace(id, m_sink.intern(*found)).first->second;
}

} // namespace core
