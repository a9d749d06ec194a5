#include "core/project/schema/schema.h"

#include "core/base/sqlite_magic.h"
#include "core/project/write/unfinished_import.h"

#include <algorithm>
#include <string_view>
#include <vector>

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

    /// Names of the tables of schema.sql, as a list of SQL.
    std::string ownTables()
    {
        constexpr std::string_view Create = "\nCREATE TABLE ";
        const std::string_view schema = SchemaSql;
        std::string names;
        for (auto at = schema.find(Create); at != schema.npos; at = schema.find(Create, at)) {
            at += Create.size();
            names += (names.empty() ? "'" : ", '")
                + std::string(schema.substr(at, schema.find(' ', at) - at)) + "'";
        }
        return names;
    }

    /// A stranger's file may call a view or a virtual table `worker`. Every table that the program
    /// reads unseen must be a plain one.
    void checkTables(Database &db)
    {
        const std::string names = ownTables();
        const auto expected = std::count(names.begin(), names.end(), ',') + 1;
        if (db.integer("SELECT count(*) FROM sqlite_schema WHERE type = 'table' "
                       "AND sql LIKE 'CREATE TABLE%' AND name IN ("
                       + names + ")")
            != expected)
            db.failDamaged("a table is missing");
    }

    std::string inQuotes(const std::string &name)
    {
        std::string quoted = "'";
        for (const char c : name)
            quoted += c == '\'' ? std::string("''") : std::string(1, c);
        return quoted + "'";
    }

    /// They cost no byte of the file, and may be of any length.
    void refuseGeneratedColumns(Database &db)
    {
        std::vector<std::string> tables;
        Statement stored(db,
                         "SELECT name FROM main.sqlite_schema WHERE type = 'table' "
                         "AND sql LIKE 'CREATE TABLE%'"); // the others' modules must not run
        while (stored.step())
            tables.push_back(stored.text(0));
        for (const std::string &table : tables) {
            constexpr int Hidden = 6, Virtual = 2, Stored = 3; // https://www.sqlite.org/pragma.html
            Statement columns(db, "PRAGMA main.table_xinfo(" + inQuotes(table) + ")");
            while (columns.step())
                if (columns.integer(Hidden) == Virtual || columns.integer(Hidden) == Stored)
                    db.failDamaged("a table has a generated column, which Longpole writes none of");
        }
    }

} // namespace

void createSchema(Database &db)
{
    Transaction transaction(db);
    db.execute(SchemaSql);
    db.execute("PRAGMA user_version = " + std::to_string(ProjectVersion));
    transaction.commit();
}

int projectVersion(Database &db)
{
    if (db.head(SqliteMagic.size()) != SqliteMagic
        || db.integer("PRAGMA application_id") != ProjectApplicationId)
        failNoProject(db);
    return static_cast<int>(db.integer("PRAGMA user_version"));
}

void checkIsProject(Database &db)
{
    const int version = projectVersion(db);
    if (version != ProjectVersion)
        throw Error("this project was written by another version of Longpole (file version "
                        + std::to_string(version) + ", this program reads "
                        + std::to_string(ProjectVersion)
                        + "); import its traces again into a new project",
                    { db.fileName(), {} });
    checkTables(db);
    refuseGeneratedColumns(db);
}

} // namespace core
