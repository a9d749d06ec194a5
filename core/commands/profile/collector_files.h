#pragma once

#include <filesystem>
#include <optional>
#include <vector>

namespace core {

/// The collectors that came with the program; absent: not there.
struct CollectorFiles
{
    std::optional<std::filesystem::path> python; ///< folder of the package `longpole` and of hook/
    std::optional<std::filesystem::path> cupti, nccl; ///< libraries
};

/// Where collectors are looked for: the folder that LONGPOLE_COLLECTORS names, the running
/// program's own, and share/longpole/collectors, lib/longpole (also below the system's folder of
/// libraries) and lib of its installation. A build has the same places.
std::vector<std::filesystem::path> collectorFolders();

/// The first of each kind.
CollectorFiles findCollectors(const std::vector<std::filesystem::path> &folders);

} // namespace core
