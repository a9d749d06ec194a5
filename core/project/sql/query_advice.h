#pragma once

#include "core/sqlite/database.h"

#include <string>
#include <string_view>

namespace core {

/// What a query could have named where SQLite says that there is no such table or column: the
/// project's tables, or the columns of those tables that the query names. Empty for other messages.
std::string queryAdvice(Database &db, std::string_view message, std::string_view sql);

} // namespace core
