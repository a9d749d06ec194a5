#include "core/bundle/pseudo_folder.h"

#include <array>
#include <cstdint>

#ifdef __linux__
#include <sys/vfs.h>
#endif

namespace core {

std::string_view pseudoFileSystemOf(const std::filesystem::path &folder)
{
#ifdef __linux__
    struct Kind
    {
        std::uint32_t magic; ///< as linux/magic.h has it
        std::string_view name;
    };
    constexpr std::array Kinds {
        Kind { 0x9fa0, "proc" },           Kind { 0x62656572, "sysfs" },
        Kind { 0x63677270, "cgroup2" },    Kind { 0x27e0eb, "cgroup" },
        Kind { 0x64626720, "debugfs" },    Kind { 0x74726163, "tracefs" },
        Kind { 0x73636673, "securityfs" }, Kind { 0x1cd1, "devpts" },
    };
    struct statfs found
    {
    };
    if (statfs(folder.c_str(), &found) != 0)
        return {};
    for (const Kind &kind : Kinds)
        if (static_cast<std::uint32_t>(found.f_type) == kind.magic)
            return kind.name;
#else
    static_cast<void>(folder);
#endif
    return {};
}

} // namespace core
