#include "core/project/kept_values.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/codec/compression.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/sqlite/database.h"

#include <memory>
#include <vector>

namespace core {

namespace {

    /// In `property`, whose other keys are the import's.
    std::string keptKey(std::string_view key)
    {
        return "kept." + std::string(key);
    }

    void checkIsThere(const std::filesystem::path &project)
    {
        if (!fileExists(project))
            throw Error("there is no such project; check its name", { project.string(), {} });
    }

    /// Ready to be read; throws Error.
    std::unique_ptr<Database> openKept(const std::filesystem::path &project)
    {
        checkIsThere(project);
        auto db = std::make_unique<Database>(project, OpenMode::Read);
        checkIsProject(*db);
        return db;
    }

    template <class Value>
    void replaceValue(const std::filesystem::path &project, std::string_view key,
                      const Value &value)
    {
        checkIsThere(project);
        rollBackKilledWrite(project);
        bringUpToDate(project);
        Database db(project, OpenMode::ReadWrite);
        checkIsProject(db);
        const std::string name = keptKey(key);
        Transaction transaction(db);
        Statement(db, "REPLACE INTO property VALUES (?, ?)")
            .bindAll(std::string_view(name), value)
            .run();
        transaction.commit();
    }

    ByteSpan spanOf(std::string_view text)
    {
        return { reinterpret_cast<const std::uint8_t *>(text.data()), text.size() };
    }

    constexpr std::size_t SizeBytes = 8; ///< before the compressed bytes: their size before
    constexpr std::uint64_t MostBytes = 256 * 1024 * 1024;

    /// An expression: all columns of a table's row as one text.
    std::string rowText(Database &db, const std::string &table)
    {
        constexpr int Name = 1; // https://www.sqlite.org/pragma.html#pragma_table_info
        std::string text = "''";
        Statement columns(db, "PRAGMA main.table_info(" + table + ")");
        while (columns.step())
            text += " || quote(" + columns.text(Name) + ") || '|'";
        return text;
    }

    /// 64-bit FNV-1a (http://www.isthe.com/chongo/tech/comp/fnv).
    class Fnv
    {
    public:
        void add(std::string_view text)
        {
            for (const char c : text)
                m_hash = (m_hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
        }
        std::uint64_t value() const { return m_hash; }

    private:
        std::uint64_t m_hash = 14695981039346656037U;
    };

} // namespace

std::optional<std::string> keptValue(const std::filesystem::path &project, std::string_view key)
{
    const auto db = openKept(project);
    const std::string name = keptKey(key);
    Statement select(*db, "SELECT value FROM property WHERE key = ?");
    select.bindAll(std::string_view(name));
    return select.step() ? std::optional(select.text(0)) : std::nullopt;
}

void keepValue(const std::filesystem::path &project, std::string_view key, std::string_view text)
{
    replaceValue(project, key, text);
}

std::optional<std::string> keptBytes(const std::filesystem::path &project, std::string_view key)
{
    const auto db = openKept(project);
    const std::string name = keptKey(key);
    Statement select(*db, "SELECT value FROM property WHERE key = ?");
    select.bindAll(std::string_view(name));
    if (!select.step())
        return std::nullopt;
    const ByteSpan stored = select.bytes(0);
    std::uint64_t size = 0;
    for (std::size_t i = 0; i < SizeBytes && i < stored.size(); ++i)
        size |= std::uint64_t(stored[i]) << (8 * i);
    if (stored.size() < SizeBytes || size > MostBytes)
        db->failDamaged("the size of what is kept");
    const ByteBuffer raw = decompress(stored.subspan(SizeBytes), size);
    return std::string(raw.begin(), raw.end());
}

void keepBytes(const std::filesystem::path &project, std::string_view key, std::string_view bytes)
{
    if (bytes.size() > MostBytes)
        throw Error("it has " + std::to_string(bytes.size() >> 20) + " MB, more than the "
                        + std::to_string(MostBytes >> 20) + " MB that a project keeps",
                    { project.string(), {} });
    Compressor compressor;
    const ByteSpan small = compressor.compress(spanOf(bytes));
    ByteBuffer stored;
    stored.reserve(SizeBytes + small.size());
    for (unsigned shift = 0; shift < 8 * SizeBytes; shift += 8)
        stored.push_back(static_cast<std::uint8_t>(std::uint64_t(bytes.size()) >> shift));
    stored.insert(stored.end(), small.begin(), small.end());
    replaceValue(project, key, ByteSpan(stored));
}

std::uint64_t contentStamp(const std::filesystem::path &project)
{
    const auto db = openKept(project);
    Fnv hash;
    hash.add(std::to_string(ProjectVersion));
    for (const std::string &table : std::vector<std::string> {
             "source_file", "worker", "worker_file", "alignment", "alignment_by_hand", "file_clock",
             "iteration", "job_metadata", "property" }) {
        hash.add(table);
        Statement rows(*db,
                       "SELECT " + rowText(*db, table) + " FROM " + table
                           + (table == "property" ? " WHERE key NOT GLOB 'kept.*'" : ""));
        while (rows.step())
            hash.add(rows.textView(0));
    }
    return hash.value();
}

} // namespace core
