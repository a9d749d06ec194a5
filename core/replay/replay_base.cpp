#include "core/replay/replay_base.h"

#include "core/replay/complete_result.h"
#include "core/replay/event_loop.h"
#include "core/replay/graph_change.h"

#include <algorithm>
#include <chrono>
#include <limits>

namespace core {

namespace {

    /// More cost memory, fewer cost time: what a replay repeats before the first change is at most
    /// one part in so many of the graph.
    constexpr std::size_t CheckpointCount = 64;

} // namespace

ReplayBase::ReplayBase(std::shared_ptr<const Graph> graph, const JobControl &control)
    : m_graph(std::move(graph))
    , m_successors(*m_graph)
{
    const auto begin = std::chrono::steady_clock::now();
    EventLoop loop(*m_graph, m_successors, control);
    loop.recordCheckpoints(m_checkpoints, CheckpointCount);
    m_result = loop.run();
    completeResult(*m_graph, begin, m_result);
}

ReplayResult ReplayBase::replay(const Graph &changed, const JobControl &control) const
{
    if (!haveSameStructure(*m_graph, changed))
        return core::replay(changed, control);
    const auto begin = std::chrono::steady_clock::now();
    EventLoop loop(changed, m_successors, control);
    const bool isAsSlow = changed.slowdown == m_graph->slowdown;
    if (const Checkpoint *checkpoint
        = isAsSlow ? lastCheckpointBefore(firstChangeNs(changed)) : nullptr)
        loop.resumeFrom(*checkpoint, m_result);
    ReplayResult result = loop.run();
    completeResult(changed, begin, result);
    return result;
}

/// Before it the replay of `changed` is that of the base: a changed duration tells from the op's
/// start on, a changed delay from its release.
std::int64_t ReplayBase::firstChangeNs(const Graph &changed) const
{
    std::int64_t firstNs = std::numeric_limits<std::int64_t>::max();
    for (std::uint32_t i = 0; i < changed.size(); ++i) {
        const bool isDelayChanged = changed.delayNs[i] != m_graph->delayNs[i];
        if (changed.durationNs[i] == m_graph->durationNs[i] && !isDelayChanged)
            continue;
        // A device that preempts may have set the op back before it made progress.
        const bool isFromRelease
            = isDelayChanged || m_graph->devices[m_graph->device[i].value].preempts;
        std::int64_t changeNs = isFromRelease ? 0 : m_result.startNs[i];
        if (isFromRelease)
            for (const Edge &edge : changed.predecessors(OpId(i)))
                changeNs = std::max(changeNs, m_result.endNs[edge.op.value]);
        firstNs = std::min(firstNs, changeNs);
    }
    return firstNs;
}

const Checkpoint *ReplayBase::lastCheckpointBefore(std::int64_t timeNs) const
{
    const auto next = std::partition_point(m_checkpoints.begin(), m_checkpoints.end(),
                                           [&](const Checkpoint &c) { return c.timeNs < timeNs; });
    return next == m_checkpoints.begin() ? nullptr : &*std::prev(next);
}

} // namespace core
