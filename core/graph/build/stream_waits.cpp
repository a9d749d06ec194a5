#include "core/graph/build/stream_waits.h"

#include "core/graph/build/stream_wait_finder.h"

#include <algorithm>
#include <map>
#include <unordered_set>

namespace core {

namespace {

    /// Beyond this share of waits that the times contradict, a kind of collective waits otherwise.
    constexpr std::size_t MostContradicted = 20; ///< one in so many

    /// Turns one worker's waits into edges, or possible ones.
    class WaitAdder
    {
    public:
        /// `isTold`: by the framework's own graph, what there are no calls for. `ofBuckets`:
        /// collectives that reduce DDP's buckets, whose waits are there.
        WaitAdder(GraphContext &context, WorkerId worker, bool isTold,
                  const std::unordered_set<OpId> &ofBuckets)
            : m_context(context)
            , m_isTold(isTold)
            , m_ofBuckets(ofBuckets)
        {
            for (const std::vector<OpId> &stream : context.workers[worker.value].streams)
                m_streams[context.builder.op(stream.front()).device] = &stream;
        }

        /// Those that the times allow.
        void add(const TakenWaits &waits)
        {
            for (const auto &[kind, taken] : waits) {
                const auto contradicted = static_cast<std::size_t>(
                    std::count_if(taken.begin(), taken.end(),
                                  [this](const TakenWait &wait) { return isContradicted(wait); }));
                if (contradicted * MostContradicted > taken.size()) {
                    addPossible(taken);
                    continue;
                }
                for (const TakenWait &wait : taken)
                    if (!isContradicted(wait))
                        m_context.builder.addEdge(m_context.completion(wait.awaited), wait.waiting,
                                                  EdgeKind::Inferred);
            }
        }

        /// The nearest ones that the times allow: of an earlier op of the awaited one's stream, if
        /// a collective waits, else of a later op of the waiting one's.
        void addPossible(const std::vector<TakenWait> &taken)
        {
            if (m_isTold)
                return;
            for (const TakenWait &wait : taken) {
                if (m_ofBuckets.contains(wait.awaited) || m_ofBuckets.contains(wait.waiting))
                    continue;
                const bool isBegin = isCollectiveOp(m_context, wait.waiting);
                const auto possible = isBegin ? withEarlier(wait) : withLater(wait);
                if (possible)
                    m_context.builder.addPossibleWait(
                        { m_context.completion(possible->awaited), possible->waiting });
            }
        }

    private:
        std::int64_t endNs(OpId op) const { return m_context.measuredEndNs[op.value]; }
        std::int64_t startNs(OpId op) const { return m_context.builder.op(op).measuredStartNs; }
        bool isContradicted(const TakenWait &wait) const
        {
            return endNs(wait.awaited) > startNs(wait.waiting) + ClockRoundingNs;
        }

        std::optional<TakenWait> withEarlier(TakenWait wait) const
        {
            const std::vector<OpId> &stream = streamOf(wait.awaited);
            const std::int64_t ns = startNs(wait.waiting) + ClockRoundingNs;
            const auto next = std::partition_point(stream.begin(), stream.end(),
                                                   [&](OpId op) { return endNs(op) <= ns; });
            if (next == stream.begin())
                return std::nullopt;
            wait.awaited = std::min(wait.awaited, *(next - 1));
            return wait;
        }

        std::optional<TakenWait> withLater(TakenWait wait) const
        {
            const std::vector<OpId> &stream = streamOf(wait.waiting);
            const std::int64_t ns = endNs(wait.awaited) - ClockRoundingNs;
            const auto first = std::partition_point(stream.begin(), stream.end(),
                                                    [&](OpId op) { return startNs(op) < ns; });
            if (first == stream.end())
                return std::nullopt;
            wait.waiting = std::max(wait.waiting, *first);
            return wait;
        }

        /// Its ops are numbered in their order.
        const std::vector<OpId> &streamOf(OpId op) const
        {
            return *m_streams.at(m_context.builder.op(op).device);
        }

        GraphContext &m_context;
        bool m_isTold;
        const std::unordered_set<OpId> &m_ofBuckets;
        std::map<DeviceId, const std::vector<OpId> *> m_streams;
    };

    /// The ranks' parts of the all-reduces that reduce DDP's buckets.
    std::unordered_set<OpId> bucketParts(GraphContext &context)
    {
        std::vector<char> reducesBucket(context.builder.collectives().size(), 0);
        for (const GradientStep &step : context.builder.gradientSteps())
            for (const GradientStep::Bucket &bucket : step.buckets)
                reducesBucket[bucket.collective] = 1;
        std::unordered_set<OpId> parts;
        for (std::size_t i = 0; i < reducesBucket.size(); ++i)
            if (reducesBucket[i])
                for (const CollectiveNode::Part &part : context.builder.collectives()[i].parts)
                    parts.insert(part.ready);
        return parts;
    }

    /// By worker: whether stream waits are recorded with their streams.
    std::vector<char> haveRecordedWaits(const Trace &trace)
    {
        std::vector<char> have(trace.workers.size(), 0);
        for (const SyncCall &sync : trace.syncs)
            if (sync.stream && sync.waitOnStream)
                have[sync.worker.value] = 1;
        return have;
    }

} // namespace

void addStreamWaits(GraphContext &context, const JobControl &control)
{
    const std::vector<char> isRecorded = haveRecordedWaits(context.trace);
    const StreamWaitFinder finder(context);
    const std::unordered_set<OpId> ofBuckets = bucketParts(context);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        throwIfCancelled(control);
        if (isRecorded[w] || context.workers[w].streams.empty())
            continue;
        const FoundWaits found = finder.find(WorkerId(w));
        WaitAdder adder(context, WorkerId(w), !context.trace.dependencies.empty(), ofBuckets);
        adder.add(found.begins);
        adder.add(found.ends);
        adder.addPossible(found.possibleEnds);
    }
}

Graph withPossibleWaits(const Graph &graph)
{
    GraphBuilder builder(graph);
    for (const PossibleWait &wait : graph.possibleWaits) {
        if (wait.waiting < wait.awaited) // as all edges: there are no cycles
            continue;
        builder.addEdge(wait.awaited, wait.waiting, EdgeKind::Inferred);
        // Its delay was from what it waited for before; counted from the new one it begins when it
        // was measured to.
        const std::int64_t doneNs
            = graph.measuredStartNs[wait.awaited.value] + graph.durationNs[wait.awaited.value];
        OpSpec &waiting = builder.op(wait.waiting);
        waiting.delayNs
            = std::clamp<std::int64_t>(waiting.measuredStartNs - doneNs, 0, waiting.delayNs);
    }
    return builder.build();
}

} // namespace core
