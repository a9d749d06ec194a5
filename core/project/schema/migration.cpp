#include "core/project/schema/migration.h"

#include "core/base/file_exists.h"
#include "core/project/schema/schema.h"

namespace core {

namespace {

    std::filesystem::path freeBackupName(const std::string &project, int version)
    {
        const std::string base = project + ".v" + std::to_string(version) + ".bak";
        std::string name = base;
        for (int number = 2; fileExists(name); ++number)
            name = base + "-" + std::to_string(number);
        return name;
    }

    /// The copy has its final name only when it is whole.
    void keepCopy(Database &db, int version)
    {
        const std::filesystem::path backup = freeBackupName(db.fileName(), version);
        const std::filesystem::path part = backup.string() + ".part";
        std::error_code ignored;
        std::filesystem::remove(part, ignored); // of an attempt that was killed
        try {
            db.copyTo(part);
            std::filesystem::rename(part, backup);
        } catch (const std::exception &error) {
            std::filesystem::remove(part, ignored);
            throw Error("this project was written by an older Longpole (file version "
                            + std::to_string(version)
                            + ") and is brought up to date before it is written to; the copy of it "
                              "that is kept for this cannot be made: "
                            + error.what(),
                        { db.fileName(), {} });
        }
    }

} // namespace

void rollBackKilledWrite(const std::filesystem::path &path)
{
    if (!fileExists(path.string() + "-journal"))
        return;
    try {
        Database(path, OpenMode::ReadWrite).tryExecute("SELECT count(*) FROM sqlite_schema");
    } catch (const Error &) {
        // Not writable: the caller's own opening fails with the reason.
    }
}

void readAsCurrent(Database &db, int version)
{
    if (version == 1)
        db.execute(ReadVersion1Sql);
    else if (version == 2)
        db.execute(ReadVersion2Sql);
    else if (version == 3)
        db.execute(ReadVersion3Sql);
    else if (version == 4)
        db.execute(ReadVersion4Sql);
    if (version < 6)
        db.execute(ReadVersion5Sql);
    if (version < 7)
        db.execute(ReadVersion6Sql);
    if (version < 8)
        db.execute(ReadVersion7Sql);
}

void bringUpToDate(Database &db)
{
    const int version = checkIsProject(db);
    if (version == ProjectVersion)
        return;
    keepCopy(db, version);
    migrate(db, version, migrations());
}

} // namespace core
