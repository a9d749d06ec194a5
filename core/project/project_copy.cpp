#include "core/project/project_copy.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/schema/schema.h"
#include "core/project/write/project_lock.h"
#include "core/sqlite/companion_files.h"
#include "core/sqlite/database.h"

#include <string>

namespace core {

namespace {

    namespace fs = std::filesystem;

    void checkTarget(const fs::path &project, const fs::path &target)
    {
        std::error_code unknown;
        if (fs::equivalent(project, target, unknown))
            throw Error("this is the open project itself; choose another name",
                        { target.string(), {} });
        if (const auto importer = importerOf(target))
            throw Error("it is being imported into by " + importer->text()
                            + "; choose another name",
                        { target.string(), {} });
        if (fileExists(target))
            checkCompanionFiles(target);
    }

    void removeCompanions(const fs::path &path)
    {
        std::error_code ignored;
        for (const char *suffix : { "-journal", "-wal", "-shm" })
            fs::remove(path.string() + suffix, ignored);
    }

    void removeDatabase(const fs::path &path)
    {
        std::error_code ignored;
        fs::remove(path, ignored);
        removeCompanions(path);
    }

} // namespace

void copyProject(const fs::path &project, const fs::path &target, const JobControl &control)
{
    Database source(project, OpenMode::Read);
    checkIsProject(source);
    checkTarget(project, target);
    const fs::path part = target.string() + ".part";
    removeDatabase(part); // of a copy that was killed
    try {
        source.copyTo(part, control);
        removeCompanions(target); // its log would be taken for the copy's
        fs::rename(part, target);
    } catch (const fs::filesystem_error &error) {
        removeDatabase(part);
        throw Error("the copy cannot be written: " + error.code().message(),
                    { target.string(), {} });
    } catch (...) {
        removeDatabase(part);
        throw;
    }
}

} // namespace core
