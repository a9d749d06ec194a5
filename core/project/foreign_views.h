#pragma once

#include "core/sqlite/database.h"

#include <set>
#include <string>

namespace core {

/// Views that a project file holds and that no version of Longpole has made: a stranger's, which
/// may never end. By name.
struct ForeignViews
{
    std::set<std::string> stored; ///< all of them
    std::set<std::string> reached; ///< of them, those whose name does not mean another view
};

ForeignViews foreignViews(Database &db);

} // namespace core
