#include "core/project/schema/migration.h"

#include "core/base/file_exists.h"
#include "core/project/schema/schema.h"
#include "core/sqlite/companion_files.h"

namespace core {

namespace {

    namespace fs = std::filesystem;

    int versionOf(const fs::path &path)
    {
        Database db(path, OpenMode::Read);
        return projectVersion(db);
    }

    fs::path freeBackupName(const fs::path &project, int version)
    {
        const std::string base = project.string() + ".v" + std::to_string(version) + ".bak";
        std::string name = base;
        for (int number = 2; fileExists(name); ++number)
            name = base + "-" + std::to_string(number);
        return name;
    }

    /// The copy has its final name only when it is whole.
    void keepCopy(Database &db, int version)
    {
        const fs::path backup = freeBackupName(db.fileName(), version);
        const fs::path part = backup.string() + ".part";
        std::error_code ignored;
        fs::remove(part, ignored); // of an attempt that was killed
        try {
            db.copyTo(part);
            fs::rename(part, backup);
        } catch (const std::exception &error) {
            fs::remove(part, ignored);
            throw Error("this project was written by an older Longpole (file version "
                            + std::to_string(version)
                            + ") and is to be brought up to date; the copy of it that is kept for "
                              "this cannot be made: "
                            + error.what(),
                        { db.fileName(), {} });
        }
    }

    /// Each step is a transaction.
    void migrate(Database &db, std::span<const Migration> steps)
    {
        for (const Migration &step : steps) {
            Transaction transaction(db);
            // Another program may have been faster.
            if (step.toVersion <= projectVersion(db))
                continue;
            db.execute(step.sql);
            db.execute("PRAGMA user_version = " + std::to_string(step.toVersion));
            transaction.commit();
        }
    }

} // namespace

std::span<const Migration> migrations()
{
    return {};
}

void rollBackKilledWrite(const fs::path &path)
{
    if (!fileExists(path.string() + "-journal"))
        return;
    checkCompanionFiles(path);
    try {
        Database(path, OpenMode::ReadWrite).tryExecute("SELECT count(*) FROM sqlite_schema");
    } catch (const Error &) {
        // Not writable: the caller's own opening fails with the reason.
    }
}

void bringUpToDate(const fs::path &path, std::span<const Migration> steps)
{
    if (steps.empty())
        return;
    const int version = versionOf(path);
    if (version + 1 < steps.front().toVersion || version >= steps.back().toVersion)
        return;
    Database db(path, OpenMode::ReadWrite);
    keepCopy(db, version);
    migrate(db, steps);
}

} // namespace core
