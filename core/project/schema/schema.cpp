#include "core/project/schema/schema.h"

#include "core/base/sqlite_magic.h"
#include "core/project/write/unfinished_import.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    /// Says in words what a file is, from its first bytes.
    std::string describeContent(const Database &db)
    {
        const std::string text = db.head(SqliteMagic.size());
        if (text.starts_with(SqliteMagic))
            return "an SQLite database of another program; name one that longpole import has made";
        if (text.substr(0, 2) == "PK")
            return "a .zip archive; to read it, import it";
        if (text.substr(0, 2) == "\x1f\x8b")
            return "a gzip file; to read it, import it";
        if (text.find_first_of("{[") != std::string_view::npos)
            return "a JSON file, perhaps a trace; to read it, import it";
        return "something else; name one that longpole import has made";
    }

    [[noreturn]] void failNoProject(const Database &db)
    {
        if (db.head(1).empty())
            throw Error("this is an empty file: nothing was stored by the import that made it, "
                        "which was interrupted. To begin again, "
                            + std::string(HowToGoOn) + ", or remove the file",
                        { db.fileName(), {} });
        throw Error("this is not a Longpole project but " + describeContent(db),
                    { db.fileName(), {} });
    }

    /// A stranger's file may call a view or a virtual table `worker`; all that is read unseen must
    /// be plain tables.
    void checkTables(Database &db, int version)
    {
        const auto countTables = [&db](const std::string &names) {
            return db.integer(
                "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND sql LIKE "
                "'CREATE TABLE%' AND name IN ("
                + names + ")");
        };
        const bool hasFirst
            = countTables("'source_file', 'worker', 'worker_file', 'track', 'name', 'event_count', "
                          "'collective_call', 'sync_call', 'iteration', 'alignment', 'property', "
                          "'job_metadata', 'diagnostic', 'slice_chunk', 'slice_hot', "
                          "'slice_links', 'args_block', 'level', 'level_chunk'")
            == 19;
        const bool hasSecond = version < 2
            || countTables("'transfer_call', 'tensor', 'tensor_use', 'memory_chunk', "
                           "'dependency_chunk', 'slice_index', 'args_filter', "
                           "'file_event_count'")
                == 8;
        const bool hasSixth = version < 6 || countTables("'alignment_by_hand'") == 1;
        const bool hasSeventh = version < 7 || countTables("'file_clock'") == 1;
        if (!hasFirst || !hasSecond || !hasSixth || !hasSeventh)
            db.failDamaged("a table is missing");
    }

    /// Whether the tables have what the versions up to this one brought, and nothing of later ones.
    bool hasShapeOf(Database &db, int version)
    {
        constexpr std::array marks
            = { "sqlite_schema WHERE name = 'transfer_call'",
                "pragma_table_info('source_file', 'main') WHERE name = 'fingerprint'",
                "pragma_table_info('alignment', 'main') WHERE name = 'uncertainty_ns'",
                "pragma_table_info('collective_call', 'main') WHERE name = 'raw_ready_ns'",
                "sqlite_schema WHERE name = 'alignment_by_hand'",
                "sqlite_schema WHERE name = 'file_clock'",
                "pragma_table_info('memory_chunk', 'main') WHERE name = 'source_file'" };
        static_assert(marks.size() + 1 == ProjectVersion, "each version after the first has one");
        int since = 1;
        return std::all_of(marks.begin(), marks.end(), [&](const char *mark) {
            const bool isThere = db.integer(std::string("SELECT count(*) FROM ") + mark) > 0;
            return isThere == (++since <= version);
        });
    }

    /// A file whose version was changed would be migrated once more, or read as what it is not.
    void checkVersion(Database &db, int version)
    {
        if (!hasShapeOf(db, version) && db.integer("PRAGMA user_version") == version)
            throw Error("the project file says that its version is " + std::to_string(version)
                            + ", but its tables are of another one: it is damaged, or another "
                              "program changed it. Go back to a copy of it, or import the bundle "
                              "again into a new project",
                        { db.fileName(), {} });
    }

} // namespace

std::span<const Migration> migrations()
{
    static const std::array steps
        = { Migration { 2, MigrateTo2Sql }, Migration { 3, MigrateTo3Sql },
            Migration { 4, MigrateTo4Sql }, Migration { 5, MigrateTo5Sql },
            Migration { 6, MigrateTo6Sql }, Migration { 7, MigrateTo7Sql },
            Migration { 8, MigrateTo8Sql } };
    return steps;
}

void createSchema(Database &db)
{
    Transaction transaction(db);
    db.execute(SchemaSql);
    db.execute("PRAGMA user_version = " + std::to_string(ProjectVersion));
    transaction.commit();
}

int checkIsProject(Database &db)
{
    if (db.head(SqliteMagic.size()) != SqliteMagic)
        failNoProject(db);
    const auto id = db.integer("PRAGMA application_id");
    const auto version = static_cast<int>(db.integer("PRAGMA user_version"));
    if (id != ProjectApplicationId)
        failNoProject(db);
    if (version > ProjectVersion)
        throw Error("this project was written by a newer Longpole (file version "
                        + std::to_string(version) + ", this program reads up to "
                        + std::to_string(ProjectVersion) + "); update Longpole",
                    { db.fileName(), {} });
    if (version < 1)
        db.failDamaged("it has no version");
    checkTables(db, version);
    checkVersion(db, version);
    return version;
}

void migrate(Database &db, int fromVersion, std::span<const Migration> steps)
{
    for (const Migration &step : steps) {
        Transaction transaction(db);
        // Another program may have been faster.
        const auto version = static_cast<int>(db.integer("PRAGMA user_version"));
        if (step.toVersion <= std::max(fromVersion, version))
            continue;
        db.execute(step.sql);
        db.execute("PRAGMA user_version = " + std::to_string(step.toVersion));
        transaction.commit();
    }
}

} // namespace core
