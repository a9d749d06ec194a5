#include "core/project/kept_values.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"

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

} // namespace

std::optional<std::string> keptValue(const std::filesystem::path &project, std::string_view key)
{
    checkIsThere(project);
    Database db(project, OpenMode::Read);
    checkIsProject(db);
    const std::string name = keptKey(key);
    Statement select(db, "SELECT value FROM property WHERE key = ?");
    select.bindAll(std::string_view(name));
    return select.step() ? std::optional(select.text(0)) : std::nullopt;
}

void keepValue(const std::filesystem::path &project, std::string_view key, std::string_view text)
{
    checkIsThere(project);
    rollBackKilledWrite(project);
    bringUpToDate(project);
    Database db(project, OpenMode::ReadWrite);
    checkIsProject(db);
    const std::string name = keptKey(key);
    Transaction transaction(db);
    Statement(db, "REPLACE INTO property VALUES (?, ?)")
        .bindAll(std::string_view(name), text)
        .run();
    transaction.commit();
}

} // namespace core
