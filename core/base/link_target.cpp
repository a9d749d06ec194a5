#include "core/base/link_target.h"

#include <system_error>

namespace core {

namespace fs = std::filesystem;

fs::path linkTarget(fs::path path)
{
    constexpr int MostLinks = 40; // as the system follows; what goes in circles is no file
    std::error_code error;
    for (int i = 0; i < MostLinks && fs::is_symlink(fs::symlink_status(path, error)); ++i) {
        const fs::path target = fs::read_symlink(path, error);
        if (error)
            break;
        path = path.parent_path() / target;
    }
    return path;
}

} // namespace core
