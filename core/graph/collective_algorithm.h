#pragma once

#include <cstdint>

namespace core {

/// How a collective's bytes travel.
enum class CollectiveAlgorithm : std::uint8_t {
    Ring,
    Tree, ///< all-reduce only
    Hierarchical, ///< all-reduce only: in each host, between hosts, in each host
    ParameterServer ///< all-reduce only
};

} // namespace core
