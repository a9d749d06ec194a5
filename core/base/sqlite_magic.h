#pragma once

#include <string_view>

namespace core {

/// What an SQLite database begins with (https://www.sqlite.org/fileformat.html, "The Database
/// Header").
inline constexpr std::string_view SqliteMagic { "SQLite format 3\0", 16 };

} // namespace core
