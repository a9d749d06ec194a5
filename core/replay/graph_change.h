#pragma once

#include "core/graph/graph.h"

namespace core {

/// Whether both have the same ops, edges and devices, so that their replays differ at most by what
/// durations, delays and the slowdown change.
bool haveSameStructure(const Graph &a, const Graph &b);

/// What a rewritten graph changes of the one that it was made from.
struct GraphChange
{
    bool isStructural = false; ///< not haveSameStructure(); the others then say nothing
    bool isLonger = false, isShorter = false; ///< the duration or the delay of some op
    bool isTransferShorter = false; ///< of communication
    double slowdown = 1; ///< the new Graph::slowdown, of the old one

    bool isNone() const { return !isStructural && !isLonger && !isShorter && slowdown == 1; }
    /// No op takes less time, so nothing can end earlier. What transfers cost the cores that they
    /// share goes with their bytes: slower ones cost less at a time, and not less in all.
    bool isNowhereFaster() const { return !isStructural && !isShorter; }
    /// Faster transfers likewise cost more at a time, and not more in all.
    bool isNowhereSlower() const
    {
        return !isStructural && !isLonger && (slowdown <= 1 || isTransferShorter);
    }
};

GraphChange graphChange(const Graph &from, const Graph &to);

} // namespace core
