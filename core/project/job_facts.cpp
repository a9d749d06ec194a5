#include "core/project/job_facts.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/schema/import_tables.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"

#include <string_view>

namespace core {

void saveJobMetadata(const std::filesystem::path &project, const JobMetadata &entry)
{
    if (!fileExists(project))
        throw Error("there is no such project; check its name", { project.string(), {} });
    rollBackKilledWrite(project);
    bringUpToDate(project);
    Database db(project, OpenMode::ReadWrite);
    checkIsProject(db);
    Transaction transaction(db);
    if (entry.text.empty())
        Statement(db, "DELETE FROM job_metadata WHERE name = ?")
            .bindAll(std::string_view(entry.name))
            .run();
    else
        replaceMetadata(db, entry);
    transaction.commit();
}

} // namespace core
