#pragma once

#include "core/project/write/project_lock.h"
#include "core/sqlite/database.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// How to go on with an import that was interrupted; the window and the command line both show it.
inline constexpr std::string_view HowToGoOn
    = "import the same files once more (\"Import the rest\" in the window, or longpole import "
      "--append)";
/// Behind it, where something was stored.
inline constexpr std::string_view HowToDoWithout
    = "; to do without the rest: longpole import --discard-rest";

/// An import that has begun and not ended: it was killed, it failed, or it still runs.
struct UnfinishedImport
{
    std::vector<std::string> inputs; ///< files and folders as the user gave them; may be empty
    std::optional<ProjectImporter> importer = {}; ///< absent: it was interrupted
    bool hasStoredNothing = false; ///< neither it nor any before it

    /// Says it to people, with what to do.
    std::string message() const;
};

/// Absent: every import into the project came to its end.
std::optional<UnfinishedImport> readUnfinishedImport(Database &db);
/// Marks the project until clearUnfinishedImport(); inputs of an earlier unfinished import stay, by
/// the names that they had. Relative ones are taken from the project's folder. In the caller's
/// transaction.
void markUnfinishedImport(Database &db, const std::vector<std::string> &inputs);
/// Takes the mark away: what the project holds stays, and is all of it. Its ranks are not looked at
/// together here, see discardImportRest(). Throws Error where nothing was stored, while an import
/// runs, and where none is unfinished.
void giveUpUnfinishedImport(const std::filesystem::path &project);
/// These inputs, and what lies in them, have been imported; the mark stays while there are others.
/// Those that no longer exist are taken from it, too, as nothing can go on with them: returns them.
std::vector<std::string> clearUnfinishedImport(Database &db,
                                               const std::vector<std::string> &inputs);

} // namespace core
