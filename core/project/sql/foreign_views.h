#pragma once

#include "core/sqlite/database.h"

#include <set>
#include <string>

namespace core {

/// By names as SQLite compares them: large letters are as good as small ones.
struct SqlNameLess
{
    bool operator()(const std::string &a, const std::string &b) const;
};

using SqlNames = std::set<std::string, SqlNameLess>;

/// Views that a project file holds and that no version of Longpole has made: a stranger's, which
/// may never end. By name.
struct ForeignViews
{
    SqlNames stored; ///< all of them
    SqlNames reached; ///< of them, those whose name does not mean another view
};

ForeignViews foreignViews(Database &db);

} // namespace core
