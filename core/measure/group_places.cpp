#include "core/measure/group_places.h"

#include "core/measure/exact_text.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace core {

GroupPlaces groupPlaces(const CollectiveNode &node, const Trace &trace)
{
    GroupPlaces places;
    const auto workerOf = [&](std::size_t part) -> const Worker & {
        return trace.workers[node.parts[part].worker.value];
    };
    places.parts.resize(node.parts.size());
    std::iota(places.parts.begin(), places.parts.end(), std::size_t { 0 });
    std::stable_sort(places.parts.begin(), places.parts.end(), [&](std::size_t a, std::size_t b) {
        return workerOf(a).rank < workerOf(b).rank;
    });
    places.areHostsKnown
        = std::none_of(places.parts.begin(), places.parts.end(),
                       [&](std::size_t part) { return workerOf(part).host.empty(); });
    std::map<std::string_view, std::uint32_t> numbers;
    places.hosts.reserve(places.parts.size());
    for (std::size_t i = 0; i < places.parts.size(); ++i)
        places.hosts.push_back(places.areHostsKnown
                                   ? numbers
                                         .try_emplace(workerOf(places.parts[i]).host,
                                                      static_cast<std::uint32_t>(numbers.size()))
                                         .first->second
                                   : static_cast<std::uint32_t>(i));
    return places;
}

std::optional<double> ranksOfHost(const CollectiveNode &node, const Trace &trace)
{
    const GroupPlaces places = groupPlaces(node, trace);
    if (!places.areHostsKnown)
        return {};
    const std::set<std::uint32_t> hosts(places.hosts.begin(), places.hosts.end());
    return static_cast<double>(places.hosts.size())
        / static_cast<double>(std::max<std::size_t>(1, hosts.size()));
}

std::optional<double> RanksOfHosts::of(const CollectiveNode &node)
{
    std::vector<WorkerId> workers;
    workers.reserve(node.parts.size());
    for (const CollectiveNode::Part &part : node.parts)
        workers.push_back(part.worker);
    const auto [known, isNew] = m_known.try_emplace(std::move(workers));
    if (isNew)
        known->second = ranksOfHost(node, m_trace);
    return known->second;
}

std::string otherReachText(const Graph &graph, const Trace &trace, double wantedRanks)
{
    RanksOfHosts hosts(trace);
    std::size_t within = 0, between = 0;
    double most = 0, ofHost = 0; // ranks: of the largest group, and of a host there
    for (const CollectiveNode &node : graph.collectives) {
        if (node.parts.size() < 2 || node.bytes == 0)
            continue;
        const auto ranks = static_cast<double>(node.rankCount());
        const std::optional<double> here = hosts.of(node);
        if (!here || node.hasUnseenRanks())
            return {};
        ++(*here >= ranks ? within : between);
        if (ranks > most) {
            most = ranks;
            ofHost = *here;
        }
    }
    if (wantedRanks <= 1 || wantedRanks == most || within + between == 0)
        return {};
    if (wantedRanks > ofHost && between == 0) {
        const std::optional<double> &statedMbit = trace.stated.bandwidthMbit;
        return "No transfer between hosts is recorded: those of ranks on more hosts are taken to "
               "be as fast as within a host. Set bandwidth_mbit to the network's rate"
            + (statedMbit ? " (meta.json states " + exactText(*statedMbit) + ")." : ".");
    }
    if (wantedRanks <= ofHost && within == 0)
        return "No transfer within a host is recorded: those of ranks on one host are taken to be "
               "as fast as between hosts.";
    return {};
}

double largestGroup(const Graph &graph)
{
    std::size_t ranks = 0;
    for (const CollectiveNode &node : graph.collectives)
        ranks = std::max(ranks, node.rankCount());
    return static_cast<double>(ranks);
}

} // namespace core
