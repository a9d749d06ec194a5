#include "core/project/saved_strategies.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"

#include <optional>

namespace core {

namespace {

    /// A project that is there.
    Database openStrategies(const std::filesystem::path &project, OpenMode mode)
    {
        if (!fileExists(project))
            throw Error("there is no such project; check its name", { project.string(), {} });
        rollBackKilledWrite(project);
        bringUpToDate(project);
        return { project, mode };
    }

} // namespace

std::vector<SavedStrategy> savedStrategies(const std::filesystem::path &project)
{
    Database db = openStrategies(project, OpenMode::Read);
    checkIsProject(db);
    std::vector<SavedStrategy> found;
    Statement select(db, "SELECT id, name, file FROM strategy ORDER BY id");
    while (select.step())
        found.push_back({ select.integer(0), select.text(1), select.text(2) });
    return found;
}

std::int64_t saveStrategy(const std::filesystem::path &project, const SavedStrategy &strategy)
{
    Database db = openStrategies(project, OpenMode::ReadWrite);
    checkIsProject(db);
    const std::optional<std::int64_t> id
        = strategy.id == 0 ? std::nullopt : std::optional(strategy.id);
    Transaction transaction(db);
    Statement(db, "INSERT OR REPLACE INTO strategy VALUES (?, ?, ?)")
        .bindAll(id, std::string_view(strategy.name), std::string_view(strategy.file))
        .run();
    const std::int64_t saved = db.integer("SELECT last_insert_rowid()");
    transaction.commit();
    return saved;
}

void replaceStrategies(const std::filesystem::path &project,
                       const std::vector<SavedStrategy> &strategies)
{
    Database db = openStrategies(project, OpenMode::ReadWrite);
    checkIsProject(db);
    Transaction transaction(db);
    Statement(db, "DELETE FROM strategy").run();
    for (const SavedStrategy &one : strategies)
        Statement(db, "INSERT INTO strategy VALUES (?, ?, ?)")
            .bindAll(one.id, std::string_view(one.name), std::string_view(one.file))
            .run();
    transaction.commit();
}

void removeStrategy(const std::filesystem::path &project, std::int64_t id)
{
    Database db = openStrategies(project, OpenMode::ReadWrite);
    checkIsProject(db);
    Transaction transaction(db);
    Statement(db, "DELETE FROM strategy WHERE id = ?").bindAll(id).run();
    transaction.commit();
}

} // namespace core
