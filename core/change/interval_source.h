#pragma once

namespace core {

/// What an interval reaches farthest for: that of which the trace tells least.
enum class IntervalSource {
    Iterations, ///< they lie apart, or the self-replay misses them
    Links, ///< what their transfers take at other rates or sizes
    Overlap, ///< what transfers cost the computation that they overlap
    Waits, ///< what collectives on accelerators wait for
    Unchecked, ///< it goes beyond what predictions were checked for
    Batch, ///< how the layers' time goes with it
    Compute, ///< what of a rank's work goes with its processor's speed
    OtherRanks, ///< how long they wait, and whose cores they share
    Latency, ///< whether others use the link during one's latency
};

} // namespace core
