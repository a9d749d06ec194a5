#include "core/fit/links/nccl_choices.h"

#include "core/base/ascii_text.h"
#include "core/fit/links/link_models.h"
#include "core/graph/collectives/nccl_releases.h"
#include "core/graph/collectives/nccl_rule.h"
#include "core/measure/group_places.h"
#include "core/measure/job_metadata.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// (bus bandwidth in GB/s, bytes)
    using BusRates = std::vector<std::pair<double, double>>;

    constexpr double FasterThanPci = 30; ///< GB/s; 16 lanes of PCI 4 carry 24 as NCCL counts

    bool isOfNccl(const Graph &graph, const CollectiveNode &node)
    {
        const OpId ready = node.parts.front().ready;
        return !graph.devices[graph.device[node.transfer.value].value].isHostLink
            && lowered(graph.names[graph.name[ready.value].value]).find("nccl")
            != std::string::npos;
    }

    /// Algorithms differ from three ranks on.
    bool isToBeChosen(const Graph &graph, const CollectiveNode &node)
    {
        const bool hasAlgorithms = node.name == "all_reduce" || node.name == "all_gather"
            || node.name == "reduce_scatter";
        return hasAlgorithms && node.algorithm.empty() && node.bytes > 0 && !node.parts.empty()
            && node.rankCount() > 2 && isOfNccl(graph, node);
    }

    /// Half of the bytes went at that rate or faster; 0 of none.
    double medianOfBytes(BusRates rates)
    {
        std::sort(rates.begin(), rates.end());
        const auto add = [](double sum, const auto &rate) { return sum + rate.second; };
        const double all = std::accumulate(rates.begin(), rates.end(), 0.0, add);
        double below = 0;
        for (const auto &[rate, bytes] : rates)
            if (below += bytes; 2 * below >= all)
                return rate;
        return 0;
    }

    struct MeasuredRates
    {
        double withinHost = 0, betweenHosts = 0; ///< GB/s; 0: nothing tells
    };

    MeasuredRates measuredRates(const Graph &graph, RanksOfHosts &hosts, const JobControl &control)
    {
        BusRates within, between;
        for (const CollectiveNode &node : graph.collectives) {
            throwIfCancelled(control);
            const double ns = static_cast<double>(measuredTransfer(graph, node).durationNs());
            if (node.parts.empty() || node.bytes == 0 || ns <= 0 || !isOfNccl(graph, node))
                continue;
            const std::optional<double> ofHost = hosts.of(node);
            const double bytes = wireBytes(node.name, node.bytes, node.rankCount());
            const bool isWithin = !ofHost || *ofHost >= static_cast<double>(node.rankCount());
            (isWithin ? within : between).emplace_back(bytes / ns, bytes);
        }
        return { medianOfBytes(std::move(within)), medianOfBytes(std::move(between)) };
    }

    /// NCCL's topo.h: links of an accelerator times their rate, in GB/s.
    double nvLinkGBytesPerSec(int computeCapability)
    {
        if (computeCapability >= 100)
            return 18 * 40.1;
        if (computeCapability >= 90)
            return 18 * 20.6;
        if (computeCapability >= 80)
            return 12 * 20.0;
        return computeCapability >= 70 ? 6 * 20.0 : 4 * 18.0;
    }

    /// Of 16 lanes: NCCL's topo.h for the third generation, twice that for each further one.
    double pciGBytesPerSec(int computeCapability)
    {
        return computeCapability >= 90 ? 48 : computeCapability >= 80 ? 24 : 12;
    }

    /// By the names that NVIDIA gives them: modules on boards with NVLink, which cards lack. Those
    /// of H20 and H800 are named as such, their cards with what they are.
    bool isNvLinkModule(std::string_view name)
    {
        constexpr const char *Words[] = { "sxm", "hbm3", "h20", "h800", "b100", "b200", "b300" };
        const std::string text = lowered(name);
        return text.find("nvl") == std::string::npos && text.find("pcie") == std::string::npos
            && std::any_of(std::begin(Words), std::end(Words), [&text](const char *word) {
                   return text.find(word) != std::string::npos;
               });
    }

    void add(std::string &assumed, const std::string &what)
    {
        assumed += (assumed.empty() ? "" : ", ") + what;
    }

    void addAssumed(NcclSystem &system, const std::string &what)
    {
        add(system.assumed, what);
    }

    /// 228: "2.28".
    std::string versionText(int version)
    {
        return std::to_string(version / 100) + '.' + std::to_string(version % 100);
    }

    /// Whose sources were not read are taken to choose as their neighbours do.
    void setVersion(NcclSystem &system, std::optional<int> stated)
    {
        constexpr int FirstWithBlackwell = 225;
        if (stated)
            system.version = *stated;
        else if (system.computeCapability >= 100)
            system.version = FirstWithBlackwell;
        const NcclRelease &release = ncclRelease(system.version);
        if (!stated)
            addAssumed(system, "NCCL " + std::string(release.name));
        else if (*stated < release.readFrom || *stated > release.readTo)
            addAssumed(system,
                       "NCCL " + versionText(*stated) + " chooses as " + std::string(release.name));
    }

    /// `areHostsKnown`: of all that were measured.
    std::string networkAssumption(const MeasuredRates &measured, bool areHostsKnown)
    {
        if (measured.betweenHosts > 0)
            return {};
        if (measured.withinHost <= 0)
            return "12 GB/s between hosts";
        return areHostsKnown ? "between hosts the rate measured within them"
                             : "between hosts the rate of all transfers";
    }

    NcclSystem systemOf(const Accelerators &accelerators, const MeasuredRates &measured,
                        std::optional<int> version)
    {
        NcclSystem system;
        if (accelerators.computeCapability > 0)
            system.computeCapability = accelerators.computeCapability;
        else
            addAssumed(system, "compute capability 8.0");
        if (!accelerators.name.empty())
            system.hasNvLink = isNvLinkModule(accelerators.name);
        else if (measured.withinHost > 0)
            system.hasNvLink = measured.withinHost > FasterThanPci;
        else
            addAssumed(system, "NVLink in each host");
        setVersion(system, version);
        system.hostGBytesPerSec = system.hasNvLink ? nvLinkGBytesPerSec(system.computeCapability)
                                                   : pciGBytesPerSec(system.computeCapability);
        system.networkGBytesPerSec = measured.betweenHosts > 0 ? measured.betweenHosts
            : measured.withinHost > 0                          ? measured.withinHost
                                                               : system.networkGBytesPerSec;
        if (accelerators.ofHost > 0)
            system.acceleratorsOfHost = accelerators.ofHost;
        return system;
    }

    /// Where hosts or ranks are not recorded: as many ranks a host as it has accelerators.
    /// `ranksOfHost`: of those that are recorded.
    NcclGroup groupOf(const CollectiveNode &node, double ranks, const NcclSystem &system,
                      std::optional<double> ranksOfHost)
    {
        const double perHost = !ranksOfHost ? system.acceleratorsOfHost
            : node.hasUnseenRanks()         ? std::max(*ranksOfHost, system.acceleratorsOfHost)
                                            : *ranksOfHost;
        return { ranks, std::max(1.0, std::ceil(ranks / std::max(1.0, perHost))) };
    }

    std::string chosen(const CollectiveNode &node, const NcclChange &change, NcclSystem system,
                       std::optional<double> ranksOfHost)
    {
        system.networkGBytesPerSec *= change.networkScale;
        const double bytes = change.payloadBytes * (node.name == "all_gather" ? change.ranks : 1);
        return std::string(
            ncclChoice(system, groupOf(node, change.ranks, system, ranksOfHost), node.name, bytes));
    }

    /// What of all groups decides which assumptions matter.
    struct AboutGroups
    {
        bool areHostsKnown = true; ///< of the recorded ranks
        bool areRanksKnown = true; ///< all are recorded, with their hosts
        bool areBetweenHosts = false, mayTakeNvls = false;

        void add(const CollectiveNode &node, const NcclGroup &group, const NcclSystem &system,
                 bool isHostKnown)
        {
            areHostsKnown = areHostsKnown && isHostKnown;
            areRanksKnown = areRanksKnown && isHostKnown && !node.hasUnseenRanks();
            areBetweenHosts = areBetweenHosts || group.hosts > 1;
            mayTakeNvls = mayTakeNvls || core::mayTakeNvls(system, group, node.name);
        }
    };

    void addAssumptions(NcclSystem &system, const AboutGroups &about, const MeasuredRates &measured)
    {
        if (!about.areRanksKnown)
            addAssumed(system,
                       std::to_string(std::llround(system.acceleratorsOfHost)) + " ranks a host");
        if (const std::string network = networkAssumption(measured, about.areHostsKnown);
            !network.empty())
            add(about.areBetweenHosts ? system.assumed : system.assumedOfMoreHosts, network);
        if (about.mayTakeNvls)
            addAssumed(system, "no NVLS (sums in the switch; not weighed)");
    }

} // namespace

Graph withNcclChoices(Graph graph, const Trace &trace, const JobControl &control)
{
    std::vector<CollectiveNode *> nodes;
    for (CollectiveNode &node : graph.collectives)
        if (isToBeChosen(graph, node))
            nodes.push_back(&node);
    if (nodes.empty())
        return graph;
    const Accelerators accelerators = recordedAccelerators(trace);
    if (accelerators.areAmds) {
        graph.nccl = NcclSystem {};
        graph.nccl->notApplied = "RCCL, which AMD's accelerators use, does not choose by NCCL's "
                                 "rule, and its own is not known here";
        return graph;
    }
    RanksOfHosts hosts(trace);
    const MeasuredRates measured = measuredRates(graph, hosts, control);
    graph.nccl = systemOf(accelerators, measured, statedNcclVersion(trace));
    AboutGroups about;
    for (CollectiveNode *node : nodes) {
        throwIfCancelled(control);
        const std::optional<double> ranksOfHost = hosts.of(*node);
        const NcclChange same { static_cast<double>(node->bytes),
                                static_cast<double>(node->rankCount()) };
        node->chosenAlgorithm = chosen(*node, same, *graph.nccl, ranksOfHost);
        about.add(*node, groupOf(*node, same.ranks, *graph.nccl, ranksOfHost), *graph.nccl,
                  ranksOfHost.has_value());
    }
    addAssumptions(*graph.nccl, about, measured);
    return graph;
}

std::string takenAfter(const CollectiveNode &node, const NcclChange &change, const Graph &graph,
                       const Trace &trace)
{
    if (node.chosenAlgorithm.empty() || !graph.nccl)
        return node.algorithm;
    return chosen(node, change, *graph.nccl, ranksOfHost(node, trace));
}

} // namespace core
