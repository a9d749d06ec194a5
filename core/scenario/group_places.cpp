#include "core/scenario/group_places.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>
#include <string_view>

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

} // namespace core
