#pragma once

#include <string>
#include <string_view>

namespace core {

/// A file as one tells of it beside another: its name alone where both are in one folder.
inline std::string nameBeside(std::string_view file, std::string_view other)
{
    const auto nameAt = [](std::string_view path) { return path.find_last_of("/\\") + 1; };
    const std::size_t at = nameAt(file);
    const bool isSameFolder = at == nameAt(other) && file.substr(0, at) == other.substr(0, at);
    return std::string(isSameFolder ? file.substr(at) : file);
}

} // namespace core
