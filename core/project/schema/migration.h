#pragma once

#include "core/sqlite/database.h"

namespace core {

/// Undoes what a killed program had begun to write: a connection that only reads may not. Does
/// nothing where it cannot; reading then says why.
void rollBackKilledWrite(const std::filesystem::path &path);

/// Lets a connection that only reads see an older project as one of this version. The file stays
/// as it is, so it may lie on read-only media.
void readAsCurrent(Database &db, int version);

/// Brings an older project up to date before it is written to. A copy of it is kept beside it,
/// "P.longpole.v1.bak"; a copy that is there already is never touched, the new one gets a number.
/// Throws Error, with the project as it was, if it cannot be copied or changed. Throws as
/// checkIsProject() does for what is no project.
void bringUpToDate(Database &db);

} // namespace core
