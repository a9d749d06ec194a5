#pragma once

#include "core/graph/graph.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// A chunk of a collective that is to become an op.
struct PlannedChunk
{
    /// Members: places in GroupPlaces; a parameter server's is behind the ranks'.
    std::uint32_t from = 0, to = 0;
    bool isHeldByReceiver = false; ///< see ChunkTransfer
    std::optional<int> channel; ///< of a recorded one, beside which other channels go on
    std::string label; ///< "step 2, chunk 5"
    std::int64_t offsetNs = 0; ///< from the transfer's start
    std::int64_t durationNs = 0;
    std::int64_t delayNs = 0; ///< from when all that it needs is there
    SliceId slice = NoSlice; ///< of its SEND, where it was recorded
    std::vector<std::uint32_t> preds; ///< indices of those that it needs
};

/// The chunks of a collective, each behind those that it needs and behind those that have its end
/// of the link before it.
struct PlannedCollective
{
    std::vector<PlannedChunk> chunks;
    /// A chunk goes when both its ranks have come; else when all have.
    bool beginsByPairs = false;
    /// [ranks] or empty: 0 for all; from a rank's last chunk until it is done.
    std::vector<std::int64_t> tailNs;
};

} // namespace core
