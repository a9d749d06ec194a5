#include "core/measure/replayed_host_time.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    bool isHostOp(const Graph &graph, std::uint32_t op)
    {
        const Device &device = graph.devices[graph.device[op].value];
        return device.hasTrack && !device.isStream && !device.isLink && !device.isBackend
            && graph.slice[op] != NoSlice
            && (graph.kind[op] == OpKind::Host || graph.kind[op] == OpKind::Compute);
    }

    /// `ns` of the measured range, in the replayed one.
    std::int64_t interpolated(std::int64_t ns, std::int64_t fromNs, std::int64_t toNs,
                              std::int64_t replayFromNs, std::int64_t replayToNs)
    {
        if (toNs <= fromNs || replayToNs <= replayFromNs)
            return replayFromNs;
        const double share = static_cast<double>(ns - fromNs) / static_cast<double>(toNs - fromNs);
        return replayFromNs
            + std::llround(std::clamp(share, 0.0, 1.0)
                           * static_cast<double>(replayToNs - replayFromNs));
    }

    /// What an op keeps when the graph is rewritten: the pieces of one slice begin apart.
    using HostOpKey = std::pair<std::uint64_t, std::int64_t>;

    HostOpKey keyOf(const Graph &graph, std::uint32_t op)
    {
        return { graph.slice[op].value, graph.measuredStartNs[op] };
    }

    using KeyedOp = std::pair<HostOpKey, std::uint32_t>;

    std::vector<KeyedOp> keyedOps(const HostOps &ops, WorkerId worker)
    {
        std::vector<KeyedOp> keyed;
        keyed.reserve(ops.of(worker).size());
        for (const std::uint32_t op : ops.of(worker))
            keyed.emplace_back(keyOf(ops.graph(), op), op);
        std::sort(keyed.begin(), keyed.end());
        return keyed;
    }

} // namespace

HostOps::HostOps(const Graph &graph)
    : m_graph(graph)
    , m_offset(graph.workerCount() + 1, 0)
{
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (isHostOp(graph, op))
            ++m_offset[graph.worker[op].value + 1];
    std::partial_sum(m_offset.begin(), m_offset.end(), m_offset.begin());
    m_ops.resize(m_offset.back());
    std::vector<std::size_t> next(m_offset.begin(), m_offset.end() - 1);
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (isHostOp(graph, op))
            m_ops[next[graph.worker[op].value]++] = op;
}

std::span<const std::uint32_t> HostOps::of(WorkerId worker) const
{
    if (worker.value + std::size_t { 1 } >= m_offset.size())
        return {}; // a what-if has fewer ranks
    return std::span(m_ops).subspan(m_offset[worker.value],
                                    m_offset[worker.value + 1] - m_offset[worker.value]);
}

ReplayedHostTime::ReplayedHostTime(const HostOps &measured, const HostOps &replayed,
                                   const ReplayResult &result, WorkerId worker)
{
    const Graph &graph = measured.graph();
    const std::vector<KeyedOp> replayedOps = keyedOps(replayed, worker);
    m_ops.reserve(measured.of(worker).size());
    for (const std::uint32_t op : measured.of(worker)) {
        const KeyedOp wanted { keyOf(graph, op), 0 };
        const auto moved = std::lower_bound(replayedOps.begin(), replayedOps.end(), wanted);
        if (moved == replayedOps.end() || moved->first != wanted.first)
            continue;
        const std::int64_t startNs = graph.measuredStartNs[op];
        m_ops.push_back({ startNs,
                          startNs + graph.durationNs[op],
                          result.startNs[moved->second],
                          result.endNs[moved->second],
                          graph.device[op].value,
                          {} });
    }
    std::stable_sort(m_ops.begin(), m_ops.end(), [](const HostOp &a, const HostOp &b) {
        return a.measuredStartNs < b.measuredStartNs;
    });
    m_byEnd.resize(m_ops.size());
    std::iota(m_byEnd.begin(), m_byEnd.end(), std::size_t { 0 });
    std::stable_sort(m_byEnd.begin(), m_byEnd.end(), [this](std::size_t a, std::size_t b) {
        return m_ops[a].measuredEndNs < m_ops[b].measuredEndNs;
    });
    linkThreads();
}

void ReplayedHostTime::linkThreads()
{
    std::unordered_map<std::uint32_t, std::size_t> lastOf;
    for (std::size_t i = 0; i < m_ops.size(); ++i) {
        const auto [last, isFirst] = lastOf.emplace(m_ops[i].device, i);
        if (!isFirst)
            m_ops[std::exchange(last->second, i)].next = i;
    }
}

std::int64_t ReplayedHostTime::at(std::int64_t measuredNs)
{
    for (; m_begun < m_ops.size() && m_ops[m_begun].measuredStartNs <= measuredNs; ++m_begun)
        m_running.push_back(m_begun);
    for (; m_ended < m_ops.size() && m_ops[m_byEnd[m_ended]].measuredEndNs <= measuredNs; ++m_ended)
        ;
    while (!m_running.empty() && m_ops[m_running.back()].measuredEndNs <= measuredNs)
        m_running.pop_back();
    if (!m_running.empty()) {
        const HostOp &op = m_ops[m_running.back()];
        return interpolated(measuredNs, op.measuredStartNs, op.measuredEndNs, op.replayStartNs,
                            op.replayEndNs);
    }
    if (m_ended > 0)
        return afterOp(m_ops[m_byEnd[m_ended - 1]], measuredNs);
    const HostOp &first = m_ops.front();
    return first.replayStartNs - (first.measuredStartNs - measuredNs);
}

std::int64_t ReplayedHostTime::afterOp(const HostOp &op, std::int64_t measuredNs) const
{
    if (!op.next)
        return op.replayEndNs + (measuredNs - op.measuredEndNs);
    const HostOp &next = m_ops[*op.next];
    return interpolated(measuredNs, op.measuredEndNs, next.measuredStartNs, op.replayEndNs,
                        next.replayStartNs);
}

} // namespace core
