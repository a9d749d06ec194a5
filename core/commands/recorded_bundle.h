#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

/// What a recording has left in its folder.
struct RecordedBundle
{
    std::set<int> ranks; ///< of PyTorch's traces
    std::optional<int> worldSize; ///< as rank 0 says in meta.json
    std::optional<int> iterations; ///< recorded of each rank
    std::optional<double> overhead; ///< by how much recorded iterations were longer, a fraction
    std::size_t files = 0; ///< all, in all folders below
    std::uintmax_t bytes = 0;
};

/// Looks at names and at meta.json only. Files that cannot be read count as absent.
RecordedBundle lookAtBundle(const std::filesystem::path &folder);

/// For people: what was recorded, what is missing and what to do about it; one line each.
std::vector<std::string> bundleLines(const RecordedBundle &bundle,
                                     const std::filesystem::path &folder);

} // namespace core
