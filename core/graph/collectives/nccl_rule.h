#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// What NCCL's choice of an algorithm rests on, beside the collective.
struct NcclSystem
{
    int computeCapability = 80; ///< of the accelerators: 90 is 9.0
    bool hasNvLink = true; ///< between the accelerators of a host
    /// What NCCL counts for all channels together, in GB/s: inside a host and between hosts.
    double hostGBytesPerSec = 240;
    double networkGBytesPerSec = 12;
    double acceleratorsOfHost = 8; ///< where it is not known which ranks share a host
    std::string assumed; ///< for people: what of it no file tells; empty: nothing
    int version = 220; ///< of NCCL: 100 times the first part and the second, 228 for 2.28.3
    /// As `assumed`: what matters only where ranks are on more hosts than recorded.
    std::string assumedOfMoreHosts = {};
    /// For people: why nothing is chosen by NCCL's rule although its names are recorded.
    std::string notApplied = {};
};

/// Who takes part; those of a host are next to each other.
struct NcclGroup
{
    double ranks = 2;
    double hosts = 1; ///< at most `ranks`
};

enum class NcclProtocol : std::uint8_t { Ll, Ll128, Simple };

/// How long NCCL thinks that a collective takes, in microseconds; infinite where it would not use
/// the protocol (LL128 is for NVLink on few architectures) or the algorithm (trees: all-reduces
/// only). `bytes`: what NCCL counts, which is the payload of an all-reduce and the whole result or
/// input of an all-gather or reduce-scatter.
///
/// Source: src/graph/tuning.cc (ncclTopoTuneModel, ncclTopoGetAlgoTime) of the release that speaks
/// for NcclSystem::version, see NcclRelease: a latency and a bandwidth for each algorithm and
/// protocol. Not known from traces and therefore left out: limits a channel, which bind few
/// systems; the CPU (Intel's is taken, on which LL is up to 1.7 times as fast between two hosts as
/// on AMD's); the latency of the network card. Between two hosts a tree gets twice the network's
/// rate, as it sends half as much there (github.com/NVIDIA/nccl/issues/946).
double ncclTimeUs(const NcclSystem &system, const NcclGroup &group, bool isTree,
                  NcclProtocol protocol, std::string_view kind, double bytes);

/// "RING" or "TREE": which is faster by ncclTimeUs(), whatever the protocol. What switches do
/// (NVLS, CollNet) is not weighed: whether a job may use it is in no trace; see mayTakeNvls().
std::string_view ncclChoice(const NcclSystem &system, const NcclGroup &group, std::string_view kind,
                            double bytes);

/// Whether NCCL would weigh sums in the switch, too, where the driver lets it: NVLS of a host from
/// 2.17 on, NVLSTree of several from 2.18 on; accelerators from 9.0 on with NVLink.
bool mayTakeNvls(const NcclSystem &system, const NcclGroup &group, std::string_view kind);

} // namespace core
