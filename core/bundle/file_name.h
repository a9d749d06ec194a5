#pragma once

#include <string_view>

namespace core {

/// The last part of an entry's name; archives made elsewhere have backslashes.
inline std::string_view fileName(std::string_view path)
{
    return path.substr(path.find_last_of("/\\") + 1);
}

/// What is before, with the last separator.
inline std::string_view folderName(std::string_view path)
{
    return path.substr(0, path.find_last_of("/\\") + 1);
}

} // namespace core
