#pragma once

#include "core/fit/contention/core_sharing.h"
#include "core/fit/contention/overlap_reading.h"
#include "core/fit/layers/batch_growth.h"
#include "core/fit/layers/memory_shares.h"

#include <memory>
#include <vector>

namespace core {

class BucketBase;

/// What of a rank's work another speed of its processor changes. Of an accelerator all of its
/// kernels, or those of the layers alone: what the optimizer does, and what adds up and copies
/// gradients, is bound by memory, which need not change with the rest. Of a host, whose memory is
/// not the core's, the other way round: that of the layers without what they set and copy, or all
/// that its threads compute.
enum class ComputeReading {
    Likely, ///< as named first
    Other
};

/// How the time of the ranks' own work changes, as far as it has been found, and other things that
/// strategies have in common.
struct Models
{
    BatchModel batch; ///< with the batch
    /// With the number of ranks, and what each of them does; null: not at all.
    std::shared_ptr<const CoreSharing> cores;
    /// With the transfers that it overlaps, for intervals; null: as estimated.
    std::shared_ptr<const std::vector<OverlapReading>> overlap;
    std::shared_ptr<const MemoryShares> memory = {}; ///< with the processor's speed; null: none
    ComputeReading compute = ComputeReading::Likely;
    /// With which gradients share a bucket; null: found for each strategy anew.
    std::shared_ptr<const BucketBase> bucketBase = {};
    /// The same where layers wait for their own tensors, of a schedule.
    std::shared_ptr<const BucketBase> tensorBase = {};
};

} // namespace core
