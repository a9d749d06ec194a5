#pragma once

#include "core/graph/graph.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <limits>
#include <vector>

namespace core {

/// A replayed schedule read backwards: how much later each op could end without an end moving
/// (latest finish of the critical path method, Kelley and Walker 1959). Every device keeps the
/// order in which it served, which makes the slack exact where devices serve one op at a time. Of
/// ops that a device serves side by side or sets back, one that ends later is taken to delay those
/// that end after it by as much, less the time for which the device is idle before them, and to
/// keep the share of the device that it had; with other shares it may delay more. Graph::slowdown
/// is taken to stretch what it stretched.
class Slack
{
public:
    Slack(const Graph &graph, const ReplayResult &result);

    struct Entry
    {
        OpId op;
        std::int64_t ns; ///< 0 along the critical path of what is looked at
        friend bool operator==(const Entry &, const Entry &) = default;
    };
    /// The slack before the end of `last` of the ops for which it waits and that end after
    /// `fromNs`, by op. Takes time by what ends between the two, not by the whole graph.
    std::vector<Entry> before(OpId last,
                              std::int64_t fromNs = std::numeric_limits<std::int64_t>::min());

private:
    bool isSerial(std::size_t device) const;
    void linkDevices();

    const Graph &m_graph;
    const ReplayResult &m_result;
    std::vector<std::uint32_t> m_order; ///< ops by (end, start, id): a topological order of the
                                        ///< edges and of the devices' orders
    std::vector<std::uint32_t> m_place; ///< by op: where it is in m_order
    std::vector<OpId> m_before; ///< by op: the one before it on its device, in the order of ends;
                                ///< NoOp for none
    std::vector<std::int64_t> m_heldFromNs; ///< by op: from when on m_before would delay it: its
                                            ///< start; on a device that is not serial the start of
                                            ///< the time for which it is busy without a break
    std::vector<std::int64_t> m_ns; ///< by op: scratch of before(); NoLimit between its calls
};

} // namespace core
