#pragma once

#include "core/sqlite/database.h"

#include <set>
#include <string>

namespace core {

/// Order of names in SQLite: upper and lower case of a letter are the same.
struct SqlNameLess
{
    bool operator()(const std::string &a, const std::string &b) const;
};

using SqlNames = std::set<std::string, SqlNameLess>;

/// Names of the views of a project file that Longpole has not made. Such a view may never end.
SqlNames foreignViews(Database &db);

} // namespace core
