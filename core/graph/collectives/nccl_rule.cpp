#include "core/graph/collectives/nccl_rule.h"

#include "core/graph/collectives/nccl_releases.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace core {

namespace {

    constexpr std::array Protocols
        = { NcclProtocol::Ll, NcclProtocol::Ll128, NcclProtocol::Simple };

    constexpr double OldPlateau = 1.9; ///< of older accelerators' rings; see NcclRelease::plateau

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
        const bool isKnown
            = capability == 70 || capability == 80 || (capability >= 90 && capability < 110);
        return system.hasNvLink && isKnown && capability <= ncclRelease(system.version).latestLl128;
    }

    /// tuning.cc, llMaxBws.
    double mostOfLl(const NcclSystem &system, double hosts)
    {
        if (hosts > 2)
            return 20.4;
        if (hosts > 1 || system.computeCapability < 80)
            return 39;
        const NcclRelease &release = ncclRelease(system.version);
        return system.computeCapability >= 100 ? release.blackwellLl
            : system.computeCapability >= 90   ? release.hopperLl
                                               : 87.7;
    }

    /// Of any algorithm and protocol.
    double limitedGBytesPerSec(const NcclSystem &system, double all)
    {
        const NcclRelease &release = ncclRelease(system.version);
        if (system.computeCapability < 80)
            return all;
        return std::min(
            all, system.computeCapability < 90 ? release.mostOfAmpere : release.mostOfHopper);
    }

    /// Each host has one rank.
    bool areLonely(const NcclGroup &group)
    {
        return group.hosts > 1 && group.ranks / group.hosts < 2;
    }

    double ringGBytesPerSec(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                            bool isReducing)
    {
        const NcclRelease &release = ncclRelease(system.version);
        const double all = limitedGBytesPerSec(
            system, group.hosts > 1 ? system.networkGBytesPerSec : system.hostGBytesPerSec);
        switch (protocol) {
        case NcclProtocol::Ll:
            return std::min(
                mostOfLl(system, group.hosts),
                all * (group.hosts > 1 || isReducing ? release.llShare : release.llShareOfGathers));
        case NcclProtocol::Ll128:
            return all * (areLonely(group) ? release.lonelyLl128Share : 0.92);
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
        all = 0.92 * limitedGBytesPerSec(system, all);
        if (protocol == NcclProtocol::Ll)
            all = std::min(all / 3.8, mostOfLl(system, group.hosts));
        if (protocol == NcclProtocol::Ll128)
            all *= group.hosts == 1 ? 7.0 / 9 : 120.0 / 128;
        // search.cc: from 9.0 on the trees of hosts are of the simplest pattern.
        return group.hosts > 1 && system.computeCapability >= 90
            ? ncclRelease(system.version).treePatternShare * all
            : all;
    }

    /// Of a step within a host, by the protocol's latency there.
    double stepWithinUs(const NcclRelease &release, const NcclGroup &group, NcclProtocol protocol,
                        double us)
    {
        return group.hosts > 1 && protocol == NcclProtocol::Ll ? release.llStepGrowth * us : us;
    }

    double treeUs(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                  double bytes)
    {
        const NcclRelease &release = ncclRelease(system.version);
        const std::size_t p = indexOf(protocol);
        const double withinUs
            = stepWithinUs(release, group, protocol,
                           (system.hasNvLink ? release.nvLinkUs : release.pciUs).tree[p]);
        const double latencyUs = release.onceUs.tree[p]
            + 2
                * ((std::floor(group.ranks / group.hosts) - 1) * withinUs
                   + std::floor(std::log2(group.hosts)) * release.networkUs.tree[p]);
        const double power = std::floor(std::log2(std::max(64.0, bytes) / 64));
        const double share = power < static_cast<double>(TreeShares[p].size())
            ? TreeShares[p][static_cast<std::size_t>(power)]
            : 1;
        return latencyUs + bytes / (1e3 * treeGBytesPerSec(system, group, protocol) / 2 * share);
    }

    double ringUs(const NcclSystem &system, const NcclGroup &group, NcclProtocol protocol,
                  bool isAllReduce, double bytes)
    {
        const NcclRelease &release = ncclRelease(system.version);
        const std::size_t p = indexOf(protocol);
        const bool isSimple = protocol == NcclProtocol::Simple;
        const bool isBetweenHosts = group.hosts > 1;
        const double steps = (isAllReduce ? 2 : 1) * (group.ranks - 1);
        const double between = !isBetweenHosts ? 0
            : isAllReduce                      ? 2 * (group.hosts - 1) + release.spareSteps
                                               : group.hosts - 1;
        double withinUs
            = stepWithinUs(release, group, protocol,
                           (system.hasNvLink ? release.nvLinkUs : release.pciUs).ring[p]);
        if (isBetweenHosts)
            withinUs = std::max(withinUs, isSimple ? 3 * release.postUs : release.postUs);
        const bool isExposed = release.isLonelyRingExposed && areLonely(group);
        const double betweenUs = (isExposed ? release.networkUs.tree : release.networkUs.ring)[p];
        double latencyUs
            = release.onceUs.ring[p] + (steps - between) * withinUs + between * betweenUs;
        // Of what is smaller no ring of that protocol is ever the fastest.
        if (isBetweenHosts && isAllReduce && isSimple)
            latencyUs
                *= system.computeCapability < release.plateauFrom ? OldPlateau : release.plateau;
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

bool mayTakeNvls(const NcclSystem &system, const NcclGroup &group, std::string_view kind)
{
    constexpr int FirstNvls = 217, FirstNvlsTree = 218;
    const bool hasAlgorithm = group.hosts > 1
        ? kind == "all_reduce" && system.version >= FirstNvlsTree
        : system.version >= FirstNvls;
    return hasAlgorithm && system.hasNvLink && system.computeCapability >= 90
        && group.ranks >= 2 * group.hosts;
}

} // namespace core
