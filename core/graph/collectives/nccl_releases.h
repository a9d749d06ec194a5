#pragma once

#include <array>
#include <string_view>

namespace core {

/// What NCCL's estimate of times has changed from release to release: constants of
/// src/graph/tuning.cc, in microseconds and GB/s.
struct NcclRelease
{
    using Latencies = std::array<double, 3>; ///< by NcclProtocol

    struct HopLatencies
    {
        Latencies tree, ring;
    };

    /// Releases as NcclSystem::version counts them. From `from` on it is taken; the sources that
    /// were read are of `readFrom` to `readTo`.
    int from, readFrom, readTo;
    int plateauFrom; ///< compute capability from which on `plateau` is meant, before it 1.9
    std::string_view name; ///< "2.20"
    HopLatencies onceUs, nvLinkUs, pciUs, networkUs; ///< baseLat, then hwLat
    double llStepGrowth; ///< of LL's steps within hosts where there are several
    double postUs; ///< least of a ring's step where there are several; three times that for Simple
    double spareSteps; ///< of a ring's all-reduce between hosts, beyond two a further host
    double llShare, llShareOfGathers; ///< of a ring's bandwidth; of gathers within one host
    double hopperLl, blackwellLl; ///< llMaxBws within one host, from 9.0 and 10.0 on
    double lonelyLl128Share; ///< of a ring's bandwidth where each host has one rank
    double mostOfAmpere, mostOfHopper; ///< of any protocol
    double treePatternShare; ///< from 9.0 on, whose trees of hosts are of the simplest pattern
    double plateau; ///< of the latency of a ring with Simple between hosts
    int latestLl128; ///< compute capability; LL128 begins with 7.0
    bool isLonelyRingExposed; ///< where each host has one rank, a ring waits as long as a tree
};

/// The one that speaks for that version: the last that begins with it or before.
const NcclRelease &ncclRelease(int version);

} // namespace core
