#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// How a collective's bytes travel.
enum class CollectiveAlgorithm : std::uint8_t {
    Ring,
    Tree, ///< all-reduce only
    Hierarchical, ///< all-reduce only: in each host, between hosts, in each host
    ParameterServer, ///< all-reduce only
    ColocatedServers ///< all-reduce only: each rank's link is that of a server, too
};

/// By NCCL's name for it. Absent for what switches do (NVLS, CollNet) and for PAT, whose steps are
/// not modelled.
inline std::optional<CollectiveAlgorithm> collectiveAlgorithmNamed(std::string_view ncclName)
{
    if (ncclName == "RING")
        return CollectiveAlgorithm::Ring;
    if (ncclName == "TREE")
        return CollectiveAlgorithm::Tree;
    return std::nullopt;
}

} // namespace core
