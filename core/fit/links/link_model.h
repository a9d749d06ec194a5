#pragma once

#include "core/fit/links/queued_transfers.h"

#include <cstddef>
#include <map>
#include <optional>
#include <string>

namespace core {

/// Cost of a collective's transfer fitted from the trace's own transfers: t = alphaNs +
/// betaNsPerByte * bytes on the wire.
struct LinkModel
{
    std::string group;
    std::string kind; ///< of the collectives: "all_reduce"
    bool isOfMessages = false; ///< CollectiveNode::isMessage
    double alphaNs = 0;
    /// 95 % interval; where the transfers tell alpha but not its error, 0 to twice alpha.
    double alphaLowNs = 0, alphaHighNs = 0;
    /// Number of distinct sizes in the latency fit (overlapping transfers count as one). With two
    /// sizes a line always fits, so alpha is not reliable.
    std::size_t alphaKinds = 0;
    double betaNsPerByte = 0; ///< per byte on the wire of one rank, by the algorithm that NCCL
                              ///< states, else a ring (2(n-1)/n of the payload)
    double betaLow = 0, betaHigh = 0; ///< 95 % interval
    /// Time of a byte on the line at its stated rate, with TCP's headers; 0 if it is not known.
    double lineNsPerByte = 0;
    double pooledBetaNsPerByte = 0; ///< of the same transfers if alpha were 0
    std::size_t transfers = 0; ///< how many transfers the fit rests on
    double meanBytes = 0; ///< on the wire of one rank, of these transfers
    double steps = 0; ///< between two ranks that each of them takes one after another, of which
                      ///< alpha is the sum (a ring's all_reduce 2(n-1)); 0 where they differ
    /// Upper bound on the waiting inside an average transfer, ns, caused by ranks without a
    /// recording. 0 if all ranks are recorded. The longer of two readings: the median lateness of
    /// the last recorded rank behind the one before it, and the time beyond that at the link's
    /// stated rate.
    double unseenWaitNs = 0;
    double medianErrorFraction = 0; ///< of the fit on those transfers
    std::string unknownAlgorithm; ///< that NCCL states of some, and statedShape() does not know
    std::string statedAlgorithms; ///< that are stated, by NCCL's names: "RING, TREE"
    /// By NCCL's name: how many transfers that state nothing are taken so by NCCL's rule.
    std::map<std::string, std::size_t> chosenAlgorithms;
    std::string choiceAssumes; ///< see NcclSystem::assumed
    /// Number of transfers that are assumed to be rings. The library chose by size and topology,
    /// the trace does not state its choice, and its rule is not known.
    std::size_t assumedRings = 0;
    std::string noChoice; ///< why it is not, see NcclSystem::notApplied; empty: nothing tells
    bool hasSizes = false; ///< not all transfers have the same size
    bool areOverlapping = false; ///< some of the transfers do
    bool isAlphaFitted = false; ///< transfers differ enough to tell alpha from beta
    bool isHostLink = false; ///< a CPU backend's network: TCP
    /// Transfers within one host, where those between hosts have a model of their own. Texts about
    /// the network's rate and latency leave it out.
    bool isWithinHost = false;
    /// CPU backends with a known rate of the line: time of a transfer of meanBytes beyond its
    /// bytes' time on the line. It replaces alpha and beta for partitions, predicted ones (see
    /// costOfPartition()) and recorded ones.
    QueuedTransfers queue;
    bool isQueued = false; ///< partitions are recorded, which a program queues itself
    /// Part of a queue's latency that does not depend on the partitions' bytes, ns: how much later
    /// one rank has a partition than another. 0 if no partitions are recorded.
    double steadyLatencyNs = 0;
    double queuedBytes = 0; ///< that a recorded partition waits behind; see typicalBytes()
    double latencyGrowth = 0.5; ///< with which power of its bytes a partition waits for its peers
    double handOverNs = 0; ///< see handOversNs(); 0 where it is not known, or in the queue's times
    /// While one transfer waits for its first bytes others use the link, where it serves several.
    bool isPipelined = true;
    std::optional<double>
        nominalMbit; ///< the link's nominal rate, where the bundle's metadata states it
    /// A nominal rate that the metadata states and the transfers contradict (contradicts());
    /// nominalMbit is empty then. 0: none.
    double doubtedMbit = 0;
    /// The value of bandwidth_mbit that changes nothing. The nominal rate as stated; else derived
    /// from the fitted one (with the headers of TCP on a CPU backend's network), in the digits that
    /// people are shown, and the same for all kinds of collectives on one network.
    double bandwidthMbit = 0;

    bool operator==(const LinkModel &) const = default;

    /// False: the fit found no latency; 0 is used.
    bool isAlphaKnown() const { return isAlphaFitted || alphaNs > 0; }
    /// The interval of alpha holds 0.
    bool isAlphaUnsure() const { return isAlphaFitted && alphaLowNs <= 0; }

    /// On the wire of one rank, of all transfers that the fit rests on.
    double allBytes() const { return meanBytes * static_cast<double>(transfers); }

    double rateMbit() const { return betaNsPerByte > 0 ? 8e3 / betaNsPerByte : 0; }

    /// Share of the line in the bytes' time, 0 to 1. The rest is the hosts' own (copies, sums),
    /// which a faster line does not shorten: the overhead of LogGP beside its gap per byte
    /// (Alexandrov et al., SPAA 1995). 1 if the line's rate is not known.
    double lineShare() const
    {
        const bool isBelow = lineNsPerByte > 0 && lineNsPerByte < betaNsPerByte;
        return isBelow ? lineNsPerByte / betaNsPerByte : 1;
    }
};

} // namespace core
