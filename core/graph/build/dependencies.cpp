#include "core/graph/build/dependencies.h"

#include "core/base/sort_runs.h"

#include <algorithm>
#include <initializer_list>
#include <limits>
#include <tuple>

namespace core {

namespace {

    /// Gaps shorter than this are the program's own: Kineto's clock is good to a microsecond, a
    /// wake-up takes several.
    constexpr std::int64_t ShortestWaitNs = 5'000;

    constexpr std::int64_t NoEnd = std::numeric_limits<std::int64_t>::min();

    struct EndedOp
    {
        std::int64_t endNs;
        OpId op; ///< whose completion to wait for
        std::size_t lane; ///< thread or stream it ran on
    };

    /// Latest end of an op's predecessors, by op; NoEnd where there are none.
    std::vector<std::int64_t> predecessorEnds(const GraphContext &context)
    {
        std::vector<std::int64_t> ends(context.builder.size(), NoEnd);
        for (const auto &edge : context.builder.edges())
            ends[edge.to.value]
                = std::max(ends[edge.to.value], context.measuredEndNs[edge.from.value]);
        return ends;
    }

    /// Looks for explanations among the other lanes' ops.
    class WaitFinder
    {
    public:
        WaitFinder(GraphContext &context, const std::vector<std::int64_t> &predEndNs)
            : m_context(context)
            , m_predEndNs(predEndNs)
        {
        }

        void addLane(const std::vector<OpId> &ops)
        {
            for (const OpId op : ops)
                m_ended.push_back({ m_context.measuredEndNs[op.value], op, m_lanes });
            ++m_lanes;
        }
        void sortEnds()
        {
            sortRuns(m_ended, [](const EndedOp &a, const EndedOp &b) {
                return std::tie(a.endNs, a.op) < std::tie(b.endNs, b.op);
            });
        }
        /// The op is explained by the latest end on another lane inside its gap, if that leaves
        /// less than half of the gap.
        void explain(OpId op, std::size_t lane)
        {
            const std::int64_t startNs = m_context.builder.op(op).measuredStartNs;
            const std::int64_t gapStartNs = m_predEndNs[op.value];
            if (gapStartNs != NoEnd && startNs - gapStartNs < ShortestWaitNs)
                return;
            auto it
                = std::upper_bound(m_ended.begin(), m_ended.end(), startNs,
                                   [](std::int64_t ns, const EndedOp &e) { return ns < e.endNs; });
            while (it != m_ended.begin()) {
                --it;
                if (it->endNs <= gapStartNs)
                    return;
                if (it->lane == lane)
                    continue;
                if (gapStartNs == NoEnd || 2 * (startNs - it->endNs) < startNs - gapStartNs)
                    m_context.builder.addEdge(m_context.completion(it->op), op, EdgeKind::Inferred);
                return;
            }
        }

    private:
        GraphContext &m_context;
        const std::vector<std::int64_t> &m_predEndNs;
        std::vector<EndedOp> m_ended;
        std::size_t m_lanes = 0;
    };

    void inferAmong(GraphContext &context, const std::vector<std::vector<OpId>> &waiters,
                    const std::vector<OpId> *others, const std::vector<std::int64_t> &predEndNs)
    {
        WaitFinder finder(context, predEndNs);
        for (const std::vector<OpId> &lane : waiters)
            finder.addLane(lane);
        if (others)
            finder.addLane(*others);
        finder.sortEnds();
        for (std::size_t lane = 0; lane < waiters.size(); ++lane)
            for (const OpId op : waiters[lane])
                finder.explain(op, lane);
    }

    /// Edges of these kinds between two ops in cycles; how many there were.
    std::size_t dropInCycles(GraphContext &context, const std::vector<char> &isInCycle,
                             std::initializer_list<EdgeKind> kinds)
    {
        std::size_t dropped = 0;
        context.builder.removeEdges([&](const GraphBuilder::EdgeSpec &edge) {
            const bool isDropped = isInCycle[edge.from.value] && isInCycle[edge.to.value]
                && std::find(kinds.begin(), kinds.end(), edge.kind) != kinds.end();
            dropped += isDropped ? 1 : 0;
            return isDropped;
        });
        return dropped;
    }

    void inferOf(GraphContext &context, const GraphContext::WorkerOps &ops,
                 const std::vector<std::int64_t> &predEndNs)
    {
        inferAmong(context, ops.threads, &ops.calls, predEndNs);
        if (ops.hasHost) {
            inferAmong(context, ops.streams, nullptr, predEndNs);
            return;
        }
        // A host that waits for a collective, or for input, launches what comes next; where it is
        // not recorded, the stream is taken to wait.
        std::vector<OpId> others = ops.calls;
        for (const std::vector<OpId> &thread : ops.threads)
            others.insert(others.end(), thread.begin(), thread.end());
        inferAmong(context, ops.streams, &others, predEndNs);
    }

} // namespace

void inferWaits(GraphContext &context, const JobControl &control)
{
    // What one worker is found to wait for changes nothing for the others.
    const std::vector<std::int64_t> predEndNs = predecessorEnds(context);
    for (const GraphContext::WorkerOps &ops : context.workers) {
        throwIfCancelled(control);
        inferOf(context, ops, predEndNs);
    }
}

void dropContradictions(GraphContext &context)
{
    // What is recorded goes only where the times of a damaged trace make it impossible.
    const std::vector<char> isInCycle = context.builder.opsInCycles();
    if (std::find(isInCycle.begin(), isInCycle.end(), 1) == isInCycle.end())
        return; // as good as always
    const std::size_t inferred
        = dropInCycles(context, isInCycle, { EdgeKind::Inferred, EdgeKind::Framework });
    if (inferred > 0)
        context.builder.addNote(std::to_string(inferred)
                                + " inferred dependencies contradicted the order of collectives "
                                  "across ranks and were left out.");
    const std::size_t recorded
        = dropInCycles(context, context.builder.opsInCycles(), { EdgeKind::Data, EdgeKind::Sync });
    if (recorded > 0)
        context.builder.addNote(std::to_string(recorded)
                                + " recorded dependencies contradict each other and were left out: "
                                  "the trace is damaged, or its clocks are wrong.");
    // What lost its only explanation starts as long after the first iteration's begin as measured.
    std::vector<char> hasPredecessor(context.builder.size(), 0);
    for (const auto &edge : context.builder.edges())
        hasPredecessor[edge.to.value] = 1;
    for (std::uint32_t i = 0; i < context.builder.size(); ++i)
        if (isInCycle[i] && !hasPredecessor[i])
            context.builder.addEdge(context.workers[context.builder.op(OpId(i)).worker.value].begin,
                                    OpId(i), EdgeKind::Inferred);
}

void setDelays(GraphContext &context)
{
    GraphBuilder &builder = context.builder;
    std::vector<std::int64_t> predEndNs = predecessorEnds(context);
    for (std::uint32_t i = 0; i < builder.size(); ++i) {
        const OpSpec &spec = builder.op(OpId(i));
        if (predEndNs[i] != NoEnd || context.workers[spec.worker.value].begin == OpId(i))
            continue;
        // The op itself may have ended by its own start: then nothing was before it.
        OpId anchor = context.lastHostOpBy(spec.worker, spec.measuredStartNs);
        if (anchor == OpId(i) || !context.workers[spec.worker.value].hasHost)
            anchor = context.workers[spec.worker.value].begin;
        builder.addEdge(anchor, OpId(i), EdgeKind::Inferred);
        predEndNs[i] = context.measuredEndNs[anchor.value];
    }
    for (std::uint32_t i = 0; i < builder.size(); ++i) {
        OpSpec &spec = builder.op(OpId(i));
        const bool isJoin = spec.kind == OpKind::Virtual && spec.slice == NoSlice;
        if (!isJoin && predEndNs[i] != NoEnd)
            spec.delayNs = std::max<std::int64_t>(0, spec.measuredStartNs - predEndNs[i]);
    }
}

} // namespace core
