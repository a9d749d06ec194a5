#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Where the ranks of a collective are.
struct GroupPlaces
{
    std::vector<std::size_t> parts; ///< indices into CollectiveNode::parts, in the order of ranks
    std::vector<std::uint32_t> hosts; ///< of these; equal numbers are one host
    bool areHostsKnown = true; ///< else every rank counts as a host of its own
};

GroupPlaces groupPlaces(const CollectiveNode &node, const Trace &trace);

/// Ranks a host, on average; absent where hosts are not recorded.
std::optional<double> ranksOfHost(const CollectiveNode &node, const Trace &trace);

/// ranksOfHost() once for the ranks of a group: it compares the hosts of all of them, and a group
/// has many collectives. Refers to the trace.
class RanksOfHosts
{
public:
    explicit RanksOfHosts(const Trace &trace)
        : m_trace(trace)
    {
    }

    std::optional<double> of(const CollectiveNode &node);

private:
    const Trace &m_trace;
    std::map<std::vector<WorkerId>, std::optional<double>> m_known;
};

/// With another number of ranks, as many a host as recorded, transfers may go between hosts where
/// all that are recorded stay within one, or the other way round: what is assumed of them then, as
/// a sentence. Empty where transfers of that kind are recorded, and where hosts are not.
std::string otherReachText(const Graph &graph, const Trace &trace, double wantedRanks);

/// How many ranks take part in the largest collective; 0 of none.
double largestGroup(const Graph &graph);

} // namespace core
