#include "core/project/write/clocks_by_hand.h"

#include "core/base/error.h"
#include "core/base/file_exists.h"
#include "core/project/schema/migration.h"
#include "core/project/schema/schema.h"
#include "core/project/schema/timing_tables.h"

namespace core {

void saveClocksByHand(const std::filesystem::path &project, const ClocksByHand &byHand,
                      const AlignmentReport &used)
{
    if (!fileExists(project))
        throw Error("there is no such project; check its name", { project.string(), {} });
    rollBackKilledWrite(project);
    bringUpToDate(project);
    Database db(project, OpenMode::ReadWrite);
    checkIsProject(db);
    replaceClocksByHand(db, byHand, used);
}

} // namespace core
