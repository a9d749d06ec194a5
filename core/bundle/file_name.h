#pragma once

#include <string_view>

namespace core {

/// Whether that is the last part of an entry's name.
inline bool hasFileName(std::string_view path, std::string_view name)
{
    return path.ends_with(name)
        && (path.size() == name.size() || path[path.size() - name.size() - 1] == '/');
}

} // namespace core
