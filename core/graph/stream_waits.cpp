#include "core/graph/stream_waits.h"

#include "core/graph/device_launches.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace core {

namespace {

    /// Beyond this share of waits that the times contradict, a kind of collective waits otherwise.
    constexpr std::size_t MostContradicted = 20; ///< one in so many

    enum class StreamCall : std::uint8_t { None, EventRecord, StreamWait };

    StreamCall streamCallOf(std::string_view name)
    {
        if (!name.starts_with("cu") && !name.starts_with("hip"))
            return StreamCall::None;
        if (name.find("StreamWaitEvent") != std::string_view::npos)
            return StreamCall::StreamWait;
        return name.find("EventRecord") != std::string_view::npos ? StreamCall::EventRecord
                                                                  : StreamCall::None;
    }

    bool isCollective(const GraphContext &context, OpId op)
    {
        return context.builder.op(op).kind == OpKind::Communication
            || context.transferOfReady.contains(op.value);
    }

    /// Collectives that wait alike.
    struct WaitKind
    {
        DeviceId stream;
        NameId kernel;
        auto operator<=>(const WaitKind &) const = default;
    };

    /// A device op that is taken to wait for another one.
    struct TakenWait
    {
        OpId awaited, waiting;
        bool isRecorded; ///< that there is a wait
    };

    using TakenWaits = std::map<WaitKind, std::vector<TakenWait>>;

    /// Of the whole trace.
    class Launched
    {
    public:
        explicit Launched(const GraphContext &context)
        {
            for (const auto &edge : context.builder.edges())
                if (edge.kind == EdgeKind::Launch)
                    m_by[edge.from].push_back(edge.to);
        }

        /// The only device op that the call launched: what a launched graph's ops wait for is
        /// within it.
        std::optional<OpId> by(OpId call) const
        {
            const auto found = m_by.find(call);
            if (found == m_by.end() || found->second.size() != 1)
                return std::nullopt;
            return found->second.front();
        }

    private:
        std::unordered_map<OpId, std::vector<OpId>> m_by;
    };

    /// Of one worker.
    class StreamWaitFinder
    {
    public:
        StreamWaitFinder(const GraphContext &context, WorkerId worker,
                         const DeviceLaunches &launches, const Launched &launched,
                         const std::vector<StreamCall> &callOfName)
            : m_context(context)
            , m_worker(worker)
            , m_launches(launches)
            , m_launched(launched)
            , m_callOfName(callOfName)
        {
        }

        /// The waits of collectives, and those for them.
        void find()
        {
            const auto &threads = m_context.workers[m_worker.value].threads;
            for (const std::vector<OpId> &thread : threads)
                m_hasCalls
                    = m_hasCalls || std::any_of(thread.begin(), thread.end(), [this](OpId op) {
                          return callOf(op) == StreamCall::StreamWait;
                      });
            for (const std::vector<OpId> &thread : threads)
                follow(thread);
            findAwaited();
        }

        const TakenWaits &begins() const { return m_begins; }
        const TakenWaits &ends() const { return m_ends; }
        /// Where no calls are recorded: a collective, and what was launched next where its thread
        /// launched before.
        const std::vector<TakenWait> &possibleEnds() const { return m_possibleEnds; }

    private:
        /// A thread's calls since it last launched something.
        struct Calls
        {
            std::vector<std::int64_t> waitNs;
            std::optional<std::int64_t> recordNs; ///< the last event before the last wait
            std::size_t waitsBefore = 0; ///< of waitNs, those before that
            std::optional<std::int64_t> lastRecordNs;
        };

        struct ComputeWait
        {
            std::int64_t ns;
            OpId waiting;
        };

        struct CollectiveLaunch
        {
            std::int64_t ns;
            OpId op;
        };

        StreamCall callOf(OpId op) const
        {
            const std::size_t name = m_context.builder.op(op).name.value;
            return name < m_callOfName.size() ? m_callOfName[name] : StreamCall::None;
        }
        void follow(const std::vector<OpId> &thread)
        {
            Calls calls;
            std::optional<DeviceId> current;
            for (const OpId call : thread) {
                const std::int64_t ns = m_context.builder.op(call).measuredStartNs;
                if (callOf(call) == StreamCall::EventRecord) {
                    calls.lastRecordNs = ns;
                } else if (callOf(call) == StreamCall::StreamWait) {
                    addWait(calls, ns);
                } else if (const auto op = m_launched.by(call)) {
                    if (isCollective(m_context, *op)) {
                        addCollective(*op, ns, calls, current);
                    } else {
                        current = m_context.builder.op(*op).device;
                        addComputeWaits(calls.waitNs, *current);
                    }
                    calls = {};
                }
            }
            if (current)
                addComputeWaits(calls.waitNs, *current);
        }

        static void addWait(Calls &calls, std::int64_t ns)
        {
            if (calls.lastRecordNs) {
                calls.recordNs = calls.lastRecordNs;
                calls.waitsBefore = calls.waitNs.size();
                calls.lastRecordNs.reset();
            }
            calls.waitNs.push_back(ns);
        }

        void addCollective(OpId op, std::int64_t ns, Calls &calls, std::optional<DeviceId> current)
        {
            m_collectives[kindOf(op)].push_back({ ns, op });
            if (!current)
                current = m_launches.streamOfKernelBefore(m_worker, ns);
            if (!current)
                return;
            const bool isOnOwnStream = *current != m_context.builder.op(op).device;
            if (!isOnOwnStream)
                return addComputeWaits(calls.waitNs, *current);
            const std::size_t before = calls.recordNs ? calls.waitsBefore : 0;
            const bool waits = calls.waitNs.size() > before;
            calls.waitNs.resize(before);
            addComputeWaits(calls.waitNs, *current);
            if (m_hasCalls && !waits)
                return;
            const auto next = m_launches.firstFrom(*current, ns);
            if (!m_hasCalls && next)
                m_possibleEnds.push_back({ op, *next, false });
            const auto awaited = m_launches.lastBefore(*current, calls.recordNs.value_or(ns));
            if (awaited)
                m_begins[kindOf(op)].push_back({ *awaited, op, m_hasCalls });
        }

        WaitKind kindOf(OpId op) const
        {
            return { m_context.builder.op(op).device, m_context.builder.op(op).name };
        }

        void addComputeWaits(const std::vector<std::int64_t> &waitNs, DeviceId stream)
        {
            for (const std::int64_t ns : waitNs)
                if (const auto waiting = m_launches.firstFrom(stream, ns))
                    m_waits.push_back({ ns, *waiting });
        }

        /// Waits for collectives, each for one in their order; where there are fewer, each for all
        /// that were launched.
        void findAwaited()
        {
            std::sort(m_waits.begin(), m_waits.end(), [](const auto &a, const auto &b) {
                return std::tie(a.ns, a.waiting) < std::tie(b.ns, b.waiting);
            });
            for (auto &[kind, launches] : m_collectives) {
                std::sort(launches.begin(), launches.end(), [](const auto &a, const auto &b) {
                    return std::tie(a.ns, a.op) < std::tie(b.ns, b.op);
                });
                const bool isForEach = m_waits.size() >= launches.size();
                std::size_t next = 0;
                for (const ComputeWait &wait : m_waits) {
                    const std::size_t first = next;
                    while (next < launches.size() && launches[next].ns < wait.ns
                           && (!isForEach || next == first))
                        ++next;
                    const bool isOnOwnStream
                        = m_context.builder.op(wait.waiting).device != kind.stream;
                    if (next > first && isOnOwnStream)
                        m_ends[kind].push_back({ launches[next - 1].op, wait.waiting, true });
                }
            }
        }

        const GraphContext &m_context;
        WorkerId m_worker;
        const DeviceLaunches &m_launches;
        const Launched &m_launched;
        const std::vector<StreamCall> &m_callOfName;
        bool m_hasCalls = false;
        std::vector<ComputeWait> m_waits;
        std::map<WaitKind, std::vector<CollectiveLaunch>> m_collectives;
        TakenWaits m_begins, m_ends;
        std::vector<TakenWait> m_possibleEnds;
    };

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
                                                  wait.isRecorded ? EdgeKind::Sync
                                                                  : EdgeKind::Inferred);
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
                const bool isBegin = isCollective(m_context, wait.waiting);
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
    std::vector<StreamCall> callOfName;
    callOfName.reserve(context.trace.names.size());
    for (const std::string &name : context.trace.names)
        callOfName.push_back(streamCallOf(name));
    const DeviceLaunches launches(context);
    const Launched launched(context);
    const std::unordered_set<OpId> ofBuckets = bucketParts(context);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        throwIfCancelled(control);
        if (isRecorded[w] || context.workers[w].streams.empty())
            continue;
        StreamWaitFinder finder(context, WorkerId(w), launches, launched, callOfName);
        finder.find();
        WaitAdder adder(context, WorkerId(w), !context.trace.dependencies.empty(), ofBuckets);
        adder.add(finder.begins());
        adder.add(finder.ends());
        adder.addPossible(finder.possibleEnds());
    }
}

Graph withPossibleWaits(const Graph &graph)
{
    GraphBuilder builder(graph);
    for (const PossibleWait &wait : graph.possibleWaits) {
        if (wait.waiting < wait.awaited) // as all edges: there are no cycles
            continue;
        builder.addEdge(wait.awaited, wait.waiting, EdgeKind::Inferred);
        // It begins as measured, so soon after what it waits for now.
        const std::int64_t doneNs
            = graph.measuredStartNs[wait.awaited.value] + graph.durationNs[wait.awaited.value];
        OpSpec &waiting = builder.op(wait.waiting);
        waiting.delayNs
            = std::clamp<std::int64_t>(waiting.measuredStartNs - doneNs, 0, waiting.delayNs);
    }
    return builder.build();
}

} // namespace core
