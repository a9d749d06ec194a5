#include "core/measure/shortest_iteration.h"

#include "core/model/iteration_period.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace core {

namespace {

    constexpr std::uint32_t None = ~std::uint32_t { 0 };

    /// The ops of one device, by their ids.
    std::vector<std::uint32_t> opsByDevice(const Graph &graph)
    {
        std::vector<std::uint32_t> next(graph.devices.size() + 1, 0);
        for (const DeviceId device : graph.device)
            ++next[device.value + 1];
        for (std::size_t device = 1; device < next.size(); ++device)
            next[device] += next[device - 1];
        std::vector<std::uint32_t> ops(graph.size());
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            ops[next[graph.device[op].value]++] = op;
        return ops;
    }

    /// The shortest times of an op in any iteration. Without a hash: a what-if must not wait for
    /// it.
    class ShortestTimes
    {
    public:
        explicit ShortestTimes(const Graph &graph)
            : m_graph(graph)
            , m_familyOf(graph.size(), None)
            , m_names(graph.names.size())
        {
            m_families.reserve(graph.size() / 2);
            for (const std::uint32_t op : opsByDevice(graph))
                if (graph.iteration[op] >= 0)
                    add(op);
        }

        std::int64_t durationNs(std::uint32_t op) const
        {
            const std::uint32_t family = m_familyOf[op];
            return family == None ? m_graph.durationNs[op] : m_families[family].durationNs;
        }
        std::int64_t delayNs(std::uint32_t op) const
        {
            const std::uint32_t family = m_familyOf[op];
            return family == None ? m_graph.delayNs[op] : m_families[family].delayNs;
        }

    private:
        struct Family
        {
            std::int64_t durationNs, delayNs;
            std::uint32_t next = None; ///< of the next op of that name in an iteration
        };
        /// Of a name on the device that is looked at: its families, and the one that had an op
        /// last.
        struct Name
        {
            std::uint32_t device = None;
            std::int32_t iteration = -1;
            std::uint32_t first = None, last = None;
        };

        void add(std::uint32_t op)
        {
            Name &name = m_names[m_graph.name[op].value];
            if (name.device != m_graph.device[op].value)
                name = { m_graph.device[op].value, -1, None, None };
            const bool isFirst = name.iteration != m_graph.iteration[op];
            std::uint32_t &family = isFirst ? name.first : m_families[name.last].next;
            if (family == None) {
                family = static_cast<std::uint32_t>(m_families.size());
                name.last = family;
                m_families.push_back({ m_graph.durationNs[op], m_graph.delayNs[op] });
            } else {
                name.last = family;
                Family &known = m_families[name.last];
                known.durationNs = std::min(known.durationNs, m_graph.durationNs[op]);
                known.delayNs = std::min(known.delayNs, m_graph.delayNs[op]);
            }
            name.iteration = m_graph.iteration[op];
            m_familyOf[op] = name.last;
        }

        const Graph &m_graph;
        std::vector<std::uint32_t> m_familyOf; ///< by OpId
        std::vector<Family> m_families;
        std::vector<Name> m_names; ///< by NameId
    };

    ReplayResult longestPath(const Graph &graph)
    {
        const ShortestTimes times(graph);
        ReplayResult result;
        result.startNs.resize(graph.size());
        result.endNs.resize(graph.size());
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            const bool isTransfer = graph.kind[op] == OpKind::Communication;
            std::int64_t readyNs = 0;
            for (const Edge &edge : graph.predecessors(OpId(op)))
                readyNs = std::max(readyNs, result.endNs[edge.op.value]);
            // Of a predicted transfer the delay is its latency.
            const bool isPredicted = isTransfer && graph.isPredicted(OpId(op));
            result.startNs[op] = isPredicted ? readyNs : laterNs(readyNs, times.delayNs(op));
            result.endNs[op] = isTransfer ? result.startNs[op]
                                          : laterNs(result.startNs[op], times.durationNs(op));
        }
        for (const OpId end : graph.iterationEnds)
            result.iterationEndNs.push_back(result.endNs[end.value]);
        return result;
    }

    /// The mean over a period of the least at each of its positions.
    std::int64_t leastOfPeriod(const std::vector<std::int64_t> &values, const IterationsAt &which)
    {
        return meanOverPositions(which, [&values](const std::vector<std::size_t> &here) {
            std::int64_t least = values[here.front()];
            for (const std::size_t i : here)
                least = std::min(least, values[i]);
            return least;
        });
    }

} // namespace

std::int64_t shortestIterationNs(const Graph &graph,
                                 const std::vector<ReplayedIterations> &unchanged)
{
    const std::vector<ReplayedIterations> all
        = replayedIterations(graph, longestPath(graph), unchanged);
    const auto count = static_cast<std::size_t>(graph.iterationCount);
    std::vector<std::int64_t> slowestNs(count, 0);
    for (const ReplayedIterations &own : all) {
        for (std::size_t i = 0; i < count; ++i)
            slowestNs[i] = std::max(slowestNs[i], own.periodNs[i]);
    }
    const auto counts = [&all](std::size_t i) {
        return std::all_of(all.begin(), all.end(),
                           [i](const ReplayedIterations &own) { return own.counts(i); });
    };
    return leastOfPeriod(slowestNs, iterationsAt(count, graph.positions, counts));
}

std::int64_t busiestLinkNs(const Graph &graph)
{
    const auto count = static_cast<std::size_t>(graph.iterationCount);
    std::vector<std::int64_t> busyNs(graph.devices.size() * count, 0); // [devices x iterations]
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Communication && graph.iteration[op] >= 0
            && graph.devices[graph.device[op].value].isLink) {
            std::int64_t &ns = busyNs[graph.device[op].value * count
                                      + static_cast<std::size_t>(graph.iteration[op])];
            ns = laterNs(ns, graph.durationNs[op]);
        }
    std::vector<std::int64_t> mostNs(count, 0);
    for (std::size_t i = 0; i < count; ++i)
        for (std::size_t device = 0; device < graph.devices.size(); ++device)
            mostNs[i] = std::max(mostNs[i], busyNs[device * count + i]);
    return leastOfPeriod(mostNs,
                         iterationsAt(count, graph.positions, [](std::size_t) { return true; }));
}

} // namespace core
