#pragma once

#include "core/sqlite/database.h"

#include <span>

namespace core {

/// SQL that brings a project from version `toVersion - 1` to `toVersion`.
struct Migration
{
    int toVersion = 0;
    const char *sql = nullptr;
};

/// All migrations, ascending, without gaps, the last one to ProjectVersion. A new version of the
/// schema adds its line here, and nowhere else.
std::span<const Migration> migrations();

/// Undoes what a killed program began to write: a connection that only reads may not.
/// Does nothing where it cannot; opening the project then says why. Throws Error where a file
/// beside the project is not this program's, see checkCompanionFiles().
void rollBackKilledWrite(const std::filesystem::path &path);

/// Upgrades a project if `steps` begin at or below its version. Leaves every other file as it is.
/// Keeps a copy beside it, "P.longpole.v1.bak"; a number is added if that name is taken.
/// Throws Error, with the project as it was, if it cannot be copied or changed.
void bringUpToDate(const std::filesystem::path &path,
                   std::span<const Migration> steps = migrations());

} // namespace core
