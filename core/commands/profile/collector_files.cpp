#include "core/commands/profile/collector_files.h"

#include <cstdlib>
#include <system_error>

namespace core {

namespace fs = std::filesystem;

namespace {

    constexpr const char *PythonPackage = "pytorch/longpole/__init__.py";
    constexpr const char *CuptiLibrary = "liblongpole_cupti.so";
    constexpr const char *NcclLibrary = "libnccl-profiler-longpole.so";

    /// Absolute, since it is for another process.
    std::optional<fs::path> firstWith(const std::vector<fs::path> &folders, const char *name)
    {
        for (const fs::path &folder : folders) {
            std::error_code ignored; // a folder that cannot be entered has none for us
            if (fs::exists(folder / name, ignored))
                return fs::absolute(folder / name).lexically_normal();
        }
        return std::nullopt;
    }

} // namespace

std::vector<fs::path> collectorFolders()
{
    std::vector<fs::path> folders;
    if (const char *named = std::getenv("LONGPOLE_COLLECTORS"); named != nullptr && *named != '\0')
        folders.emplace_back(named);
    std::error_code error; // no /proc: only what is named is found
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error)
        return folders;
    const fs::path own = program.parent_path(), prefix = own.parent_path();
    for (const fs::path &folder :
         { own, prefix / "share/longpole/collectors", prefix / LONGPOLE_LIBDIR / "longpole",
           prefix / "lib/longpole", prefix / "lib" })
        folders.push_back(folder);
    return folders;
}

CollectorFiles findCollectors(const std::vector<fs::path> &folders)
{
    CollectorFiles files;
    if (const auto package = firstWith(folders, PythonPackage))
        files.python = package->parent_path().parent_path();
    files.cupti = firstWith(folders, CuptiLibrary);
    files.nccl = firstWith(folders, NcclLibrary);
    return files;
}

} // namespace core
