#include "core/graph/nccl_rule.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace core {

namespace {

    constexpr std::array Protocols
        = { NcclProtocol::Ll, NcclProtocol::Ll128, NcclProtocol::Simple };

    /// By protocol, in microseconds.
    using Latencies = std::array<double, 3>;

    struct HopLatencies
    {
        Latencies tree, ring;
    };

    // tuning.cc: baseLat, then hwLat of NVLink, PCI and the network.
    constexpr HopLatencies OnceUs = { { 6.8, 14.0, 0 }, { 6.6, 14.0, 8.4 } };
    constexpr HopLatencies NvLinkUs = { { 0.6, 1.25, 28 }, { 0.6, 1.9, 3.4 } };
    constexpr HopLatencies PciUs = { { 1.0, 1.9, 28 }, { 1.0, 2.5, 5.7 } };
    constexpr HopLatencies NetworkUs = { { 5.0, 8.5, 28 }, { 2.7, 4.0, 14.0 } };
    constexpr double PostUs = 1; ///< of a step between hosts; three times that for Simple

    /// tuning.cc, treeCorrectionFactor: what trees have of their bandwidth, by powers of two from
    /// 64 bytes.
    constexpr std::array<std::array<double, 23>, 3> TreeShares = {
        { { 1, 1, 1, 1, .9, .8, .7, .7, .7, .7, .6, .5, .4, .4, .5, .6, .7, .8, .9, 1, 1, 1, 1 },
          { 1, 1, 1, 1, 1, .9, .8, .8, .8, .7, .6, .6, .6, .6, .6, .6, .8, .9, .9, .9, .9, 1, 1 },
          { .9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
            .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9 } }
    };

    std::size_t indexOf(NcclProtocol protocol)
    {
        return static_cast<std::size_t>(protocol);
    }

    bool usesLl128(const NcclSystem &system)
    {
        const int capability = system.computeCapability;
        return system.hasNvLink
            && (capability == 70 || capability == 80 || capability == 90 || capability == 100);
    }

    /// tuning.cc, llMaxBws.
    double mostOfLl(const NcclSystem &system, double hosts)
    {
        if (hosts > 2)
            return 20.4;
        return hosts == 1 && system.computeCapability >= 80 ? 87.7 : 39;
    }

    double ringGBytesPerSec(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                            bool isReducing)
    {
        const double all = group.hosts > 1 ? system.networkGBytesPerSec : system.hostGBytesPerSec;
        switch (protocol) {
        case NcclProtocol::Ll:
            return std::min(mostOfLl(system, group.hosts),
                            all / (group.hosts > 1 || isReducing ? 4 : 3));
        case NcclProtocol::Ll128:
            return all * (group.ranks / group.hosts < 2 ? 0.7 : 0.92);
        case NcclProtocol::Simple:
            break;
        }
        return all;
    }

    double treeGBytesPerSec(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol)
    {
        double all = system.hostGBytesPerSec;
        if (group.hosts > 1)
            all = group.hosts > 2 ? system.networkGBytesPerSec
                                  : std::min(all, 2 * system.networkGBytesPerSec);
        all *= 0.92;
        if (protocol == NcclProtocol::Ll)
            all = std::min(all / 3.8, mostOfLl(system, group.hosts));
        if (protocol == NcclProtocol::Ll128)
            all *= group.hosts == 1 ? 7.0 / 9 : 120.0 / 128;
        // search.cc: from 9.0 on the trees of hosts are of the simplest pattern.
        return group.hosts > 1 && system.computeCapability >= 90 ? 0.85 * all : all;
    }

    double treeUs(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                  double bytes)
    {
        const std::size_t p = indexOf(protocol);
        const double withinUs = (system.hasNvLink ? NvLinkUs : PciUs).tree[p];
        const double latencyUs = OnceUs.tree[p]
            + 2
                * ((std::floor(group.ranks / group.hosts) - 1) * withinUs
                   + std::floor(std::log2(group.hosts)) * NetworkUs.tree[p]);
        const double power = std::floor(std::log2(std::max(64.0, bytes) / 64));
        const double share = power < static_cast<double>(TreeShares[p].size())
            ? TreeShares[p][static_cast<std::size_t>(power)]
            : 1;
        return latencyUs + bytes / (1e3 * treeGBytesPerSec(system, group, protocol) / 2 * share);
    }

    double ringUs(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                  bool isAllReduce, double bytes)
    {
        const std::size_t p = indexOf(protocol);
        const bool isSimple = protocol == NcclProtocol::Simple;
        const bool isBetweenHosts = group.hosts > 1;
        const double steps = (isAllReduce ? 2 : 1) * (group.ranks - 1);
        const double between = !isBetweenHosts ? 0
            : isAllReduce                      ? 2 * group.hosts
                                               : group.hosts - 1;
        double withinUs = (system.hasNvLink ? NvLinkUs : PciUs).ring[p];
        if (isBetweenHosts)
            withinUs = std::max(withinUs, isSimple ? 3 * PostUs : PostUs);
        double latencyUs
            = OnceUs.ring[p] + (steps - between) * withinUs + between * NetworkUs.ring[p];
        // Of what is smaller no ring of that protocol is ever the fastest.
        if (isBetweenHosts && isAllReduce && isSimple)
            latencyUs *= system.computeCapability < 80 ? 1.9 : 1.4;
        return latencyUs
            + bytes * steps
            / (1e3 * group.ranks * ringGBytesPerSec(system, group, protocol, isAllReduce));
    }

    double fastestUs(const NcclSystem &system, const NcclGroup &group, bool isTree,
                     std::string_view kind, double bytes)
    {
        double leastUs = std::numeric_limits<double>::infinity();
        for (const NcclProtocol protocol : Protocols)
            leastUs = std::min(leastUs, ncclTimeUs(system, group, isTree, protocol, kind, bytes));
        return leastUs;
    }

} // namespace

double ncclTimeUs(const NcclSystem &system, const NcclGroup &group, bool isTree,
                  NcclProtocol protocol, std::string_view kind, double bytes)
{
    const bool isAllReduce = kind == "all_reduce";
    if ((isTree && !isAllReduce) || (protocol == NcclProtocol::Ll128 && !usesLl128(system)))
        return std::numeric_limits<double>::infinity();
    return isTree ? treeUs(system, group, protocol, bytes)
                  : ringUs(system, group, protocol, isAllReduce, bytes);
}

std::string_view ncclChoice(const NcclSystem &system, const NcclGroup &group, std::string_view kind,
                            double bytes)
{
    return fastestUs(system, group, true, kind, bytes)
            < fastestUs(system, group, false, kind, bytes)
        ? "TREE"
        : "RING";
}

} // namespace core
