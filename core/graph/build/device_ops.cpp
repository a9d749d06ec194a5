#include "core/graph/build/device_ops.h"

#include "core/graph/build/stream_lanes.h"
#include "core/graph/build/wait_names.h"

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace core {

namespace {

    OpKind kindOf(Category category)
    {
        if (category == Category::CommKernel)
            return OpKind::Communication;
        if (category == Category::Memcpy || category == Category::Memset)
            return OpKind::Memory;
        return OpKind::Compute;
    }

    /// One a lane.
    std::vector<DeviceId> addDevices(GraphContext &context, const Track &track, std::size_t lanes)
    {
        std::vector<DeviceId> devices;
        for (std::size_t lane = 0; lane < lanes; ++lane) {
            Device device;
            device.name = track.name + (lane > 0 ? " (" + std::to_string(lane + 1) + ")" : "");
            device.worker = track.worker;
            device.track = track.id;
            device.hasTrack = true;
            device.isStream = true;
            devices.push_back(context.builder.addDevice(device));
        }
        return devices;
    }

    /// Ops by lane (see streamLanes()).
    std::vector<std::vector<OpId>> addStream(GraphContext &context, const Track &track,
                                             const std::unordered_set<std::uint64_t> &collectives)
    {
        const StreamLanes lanes = streamLanes(context, track);
        const std::vector<DeviceId> devices = addDevices(context, track, lanes.count);
        const SliceColumns &slices = context.trace.slices[track.id.value];
        std::vector<std::vector<OpId>> ops(lanes.count);
        for (std::size_t row = 0; row < slices.size(); ++row) {
            if (!isDeviceActivity(slices.category[row]) || !context.isOfIterations(track, row))
                continue;
            const std::int64_t startNs = context.trace.toAligned(track.worker, slices.startNs[row]);
            const SliceId id = context.sliceId(track.id, row);
            const std::size_t lane = lanes.laneOfRow.empty() ? 0 : lanes.laneOfRow[row];
            const bool isPart = collectives.contains(id.value);
            OpSpec spec;
            spec.name = slices.name[row];
            spec.device = devices[lane];
            spec.kind = isPart ? OpKind::Virtual : kindOf(slices.category[row]);
            spec.phase = slices.phase[row];
            spec.worker = track.worker;
            spec.slice = id;
            spec.measuredStartNs = startNs;
            spec.durationNs = isPart ? 0 : slices.durationNs[row];
            spec.iteration = context.iterationAt(track.worker, startNs);
            const OpId op = context.addOp(spec, startNs + slices.durationNs[row]);
            context.setOpAt(track.id, row, op);
            if (const auto launch = context.launchOf(track, row)) {
                context.builder.addEdge(*launch, op, EdgeKind::Launch);
                if (const auto call = context.callOf(track, row); call != launch)
                    context.earlyCalls.emplace(op.value, *call);
            }
            ops[lane].push_back(op);
        }
        return ops;
    }

    constexpr std::int64_t NotLaunched = std::numeric_limits<std::int64_t>::min();

    /// By OpId: when a device op was launched; NotLaunched where that is not recorded.
    using LaunchTimes = std::vector<std::int64_t>;

    /// When a device op was launched; without a recorded launch, when it began.
    std::int64_t launchedNs(const GraphContext &context, const LaunchTimes &launchNs, OpId op)
    {
        const std::int64_t ns = launchNs[op.value];
        return ns == NotLaunched ? context.builder.op(op).measuredStartNs : ns;
    }

    /// The last op of a stream that was launched before `ns`; ops are in stream order.
    std::optional<OpId> lastLaunchedBy(const GraphContext &context, const std::vector<OpId> &stream,
                                       const LaunchTimes &launchNs, std::int64_t ns)
    {
        const auto end = std::partition_point(stream.begin(), stream.end(), [&](OpId op) {
            return launchedNs(context, launchNs, op) < ns;
        });
        return end == stream.begin() ? std::nullopt : std::optional<OpId>(*(end - 1));
    }

    /// The last op of a stream that had ended by `ns`.
    std::optional<OpId> lastDoneOn(const GraphContext &context, const std::vector<OpId> &stream,
                                   std::int64_t ns)
    {
        const auto end = std::partition_point(stream.begin(), stream.end(), [&](OpId op) {
            return context.measuredEndNs[op.value] <= ns;
        });
        return end == stream.begin() ? std::nullopt : std::optional<OpId>(*(end - 1));
    }

    /// The first op of a stream that was launched at `ns` or later.
    std::optional<OpId> firstLaunchedAfter(const GraphContext &context,
                                           const std::vector<OpId> &stream,
                                           const LaunchTimes &launchNs, std::int64_t ns)
    {
        const auto first = std::partition_point(stream.begin(), stream.end(), [&](OpId op) {
            return launchedNs(context, launchNs, op) < ns;
        });
        return first == stream.end() ? std::nullopt : std::optional<OpId>(*first);
    }

    LaunchTimes launchTimes(const GraphContext &context)
    {
        LaunchTimes times(context.builder.size(), NotLaunched);
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Launch)
                times[edge.to.value] = context.builder.op(edge.from).measuredStartNs;
        for (const auto &[op, call] : context.earlyCalls)
            times[op] = context.builder.op(call).measuredStartNs;
        return times;
    }

    /// By stream: how many ops it begins with that no recorded call launched, which therefore were
    /// launched before the recording was begun.
    using UnseenCounts = std::vector<std::ptrdiff_t>;

    UnseenCounts unseenCounts(const std::vector<std::vector<OpId>> &streams,
                              const LaunchTimes &launchNs)
    {
        UnseenCounts counts;
        counts.reserve(streams.size());
        for (const std::vector<OpId> &stream : streams)
            counts.push_back(
                std::find_if(stream.begin(), stream.end(),
                             [&launchNs](OpId op) { return launchNs[op.value] != NotLaunched; })
                - stream.begin());
        return counts;
    }

    /// Of the first `unseen` ops of a stream (UnseenCounts) the last that the call waited for. A
    /// call that waits for the whole device waited for all that had ended when it returned: of what
    /// ended after that the clocks are off, or its launch came later. Another one waits for all of
    /// it, or for another stream.
    std::optional<OpId> lastLaunchedUnseen(const GraphContext &context,
                                           const std::vector<OpId> &stream, std::ptrdiff_t unseen,
                                           OpId call)
    {
        const auto seen = stream.begin() + unseen;
        const std::int64_t byNs = context.measuredEndNs[call.value] + ClockRoundingNs;
        const auto running = std::partition_point(
            stream.begin(), seen, [&](OpId op) { return context.measuredEndNs[op.value] <= byNs; });
        const NameId name = context.builder.op(call).name;
        const bool isAwaited = running == seen || waitsForDevice(context.trace.nameOf(name));
        return running == stream.begin() || !isAwaited ? std::nullopt
                                                       : std::optional<OpId>(*(running - 1));
    }

    /// The op of a stream whose end the call waited for, if it waited for the stream.
    std::optional<OpId> lastAwaitedOn(const GraphContext &context, const std::vector<OpId> &stream,
                                      const LaunchTimes &launchNs, std::ptrdiff_t unseen, OpId call)
    {
        // Ops of a stream are numbered in their order; none is before them all.
        return std::max(
            lastLaunchedBy(context, stream, launchNs, context.builder.op(call).measuredStartNs),
            lastLaunchedUnseen(context, stream, unseen, call));
    }

    /// `only`: the stream that it waits for; empty: all.
    void waitForStreams(GraphContext &context, OpId call, GraphContext::WorkerOps &worker,
                        std::optional<DeviceId> only, const LaunchTimes &launchNs,
                        const UnseenCounts &unseen)
    {
        OpSpec &spec = context.builder.op(call);
        const std::int64_t callEndNs = context.measuredEndNs[call.value];
        std::int64_t doneNs = spec.measuredStartNs;
        for (std::size_t i = 0; i < worker.streams.size(); ++i) {
            const std::vector<OpId> &stream = worker.streams[i];
            if (only && context.builder.op(stream.front()).device != *only)
                continue;
            // Without a recorded launch, it may have been launched long before it began.
            const auto last = worker.hasHost
                ? lastAwaitedOn(context, stream, launchNs, unseen[i], call)
                : lastDoneOn(context, stream, callEndNs);
            // It cannot have waited for what ended after it returned: another stream than its own.
            if (!last || context.measuredEndNs[last->value] > callEndNs + ClockRoundingNs)
                continue;
            context.builder.addEdge(context.completion(*last), call, EdgeKind::Sync);
            doneNs = std::max(doneNs, std::min(callEndNs, context.measuredEndNs[last->value]));
        }
        OpSpec &waited = context.builder.op(call);
        waited.measuredStartNs = doneNs;
        waited.durationNs = callEndNs - doneNs;
    }

    /// What calls launch, by call; of those that launch one op.
    std::unordered_map<std::uint32_t, OpId> onlyLaunched(const GraphContext &context)
    {
        std::unordered_map<std::uint32_t, OpId> launched;
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Launch && !context.earlyCalls.contains(edge.to.value)
                && !launched.try_emplace(edge.from.value, edge.to).second)
                launched[edge.from.value] = NoOp;
        return launched;
    }

    /// A synchronous copy begins within the call that launches it. That is two ops: one until the
    /// copy begins, which launches it, and one for the rest, which waits for its end where it ends
    /// within the call. (To an accelerator the call may return once the data is staged.)
    ///
    ///     host    |call                |        |head|        |call|
    ///     stream      |copy         |     ->         |copy    |
    ///
    /// `callStartNs` is the recorded one. Returns the first op; empty where it is no such call.
    std::optional<OpId> splitAround(GraphContext &context, OpId call, OpId launched,
                                    std::int64_t callStartNs)
    {
        const std::int64_t startNs = context.builder.op(launched).measuredStartNs;
        const std::int64_t endNs = context.measuredEndNs[launched.value];
        const std::int64_t callEndNs = context.measuredEndNs[call.value];
        if (startNs < callStartNs || startNs >= callEndNs)
            return std::nullopt;
        const bool isAwaited = endNs <= callEndNs + ClockRoundingNs;
        OpSpec &rest = context.builder.op(call);
        // Until then it waited for what the streams still had to do.
        const std::int64_t freeNs = std::min(rest.measuredStartNs, startNs);
        rest.measuredStartNs
            = std::max(rest.measuredStartNs, isAwaited ? std::min(callEndNs, endNs) : startNs);
        rest.durationNs = callEndNs - rest.measuredStartNs;
        OpSpec spec = rest;
        spec.slice = NoSlice; // one op a slice
        spec.measuredStartNs = callStartNs;
        spec.durationNs = startNs - freeNs;
        spec.delayNs = 0;
        const OpId head = context.addOp(spec, callStartNs + spec.durationNs);
        context.builder.addEdge(head, launched, EdgeKind::Launch);
        context.builder.addEdge(head, call, EdgeKind::HostOrder);
        if (isAwaited)
            context.builder.addEdge(launched, call, EdgeKind::Sync);
        return head;
    }

    class BlockingCalls
    {
    public:
        BlockingCalls(GraphContext &context, const std::vector<NameTraits> &traits)
            : m_context(context)
            , m_traits(traits)
            , m_launchNs(launchTimes(context))
            , m_launched(onlyLaunched(context))
        {
        }

        /// Makes the thread's calls wait. Its ops, and those that calls are split into.
        std::vector<OpId> added(GraphContext::WorkerOps &worker, const std::vector<OpId> &thread)
        {
            std::vector<OpId> ops;
            std::optional<UnseenCounts> unseen; // by the first call that blocks
            for (const OpId op : thread) {
                const OpSpec &spec = m_context.builder.op(op);
                const bool waitsForAll = m_traits[spec.name.value].isBlocking;
                const auto stream = waitsForAll ? std::nullopt : streamOfStagedCopy(op);
                if (waitsForAll || stream) {
                    if (!unseen)
                        unseen = unseenCounts(worker.streams, m_launchNs);
                    add(worker, op, stream, *unseen, ops);
                }
                ops.push_back(op);
            }
            return ops;
        }

        /// Of calls that were split.
        void removeOldLaunches()
        {
            m_context.builder.removeEdges([this](const GraphBuilder::EdgeSpec &edge) {
                return edge.kind == EdgeKind::Launch && m_split.contains(edge.from.value);
            });
        }

    private:
        /// The stream of the copy from or to pageable memory that the call launches. CUDA copies
        /// such memory over a staging buffer: also an asynchronous call waits for the stream, and
        /// returns when all is staged (CUDA Runtime API, "API synchronization behavior").
        std::optional<DeviceId> streamOfStagedCopy(OpId call) const
        {
            const auto launched = m_launched.find(call.value);
            if (launched == m_launched.end() || launched->second == NoOp)
                return {};
            const OpSpec &copy = m_context.builder.op(launched->second);
            if (copy.kind != OpKind::Memory
                || m_context.trace.nameOf(copy.name).find("Pageable") == std::string_view::npos
                || !isCallOf(m_context.builder.op(call), copy))
                return {};
            return copy.device;
        }

        /// Whether the op is the call itself: of one that is no op of its own, another op launches
        /// the copy (ThreadCutter), which waits for nothing on its behalf.
        bool isCallOf(const OpSpec &op, const OpSpec &copy) const
        {
            const auto call = m_context.slices.find(op.slice);
            const auto copied = m_context.slices.find(copy.slice);
            if (!call || !copied)
                return false;
            const SliceColumns &calls = m_context.trace.slices[call->track.value];
            return calls.category[call->row] == Category::Runtime
                && calls.correlation[call->row]
                == m_context.trace.slices[copied->track.value].correlation[copied->row];
        }

        void add(GraphContext::WorkerOps &worker, OpId call, std::optional<DeviceId> only,
                 const UnseenCounts &unseen, std::vector<OpId> &before)
        {
            const std::int64_t startNs = m_context.builder.op(call).measuredStartNs;
            waitForStreams(m_context, call, worker, only, m_launchNs, unseen);
            const auto launched = m_launched.find(call.value);
            if (launched == m_launched.end() || launched->second == NoOp)
                return;
            const auto head = splitAround(m_context, call, launched->second, startNs);
            if (!head)
                return;
            m_split.insert(call.value);
            if (!before.empty())
                m_context.builder.addEdge(before.back(), *head, EdgeKind::HostOrder);
            before.push_back(*head);
        }

        GraphContext &m_context;
        const std::vector<NameTraits> &m_traits;
        /// As launched: a call that waited is shortened, and may be a launch (of a copy) itself.
        const LaunchTimes m_launchNs;
        const std::unordered_map<std::uint32_t, OpId> m_launched;
        std::unordered_set<std::uint32_t> m_split;
    };

    /// By worker, those that make a stream wait for another.
    std::vector<std::vector<const SyncCall *>> streamWaits(const Trace &trace)
    {
        std::vector<std::vector<const SyncCall *>> waits(trace.workers.size());
        for (const SyncCall &sync : trace.syncs)
            if (sync.stream && sync.waitOnStream && sync.waitOnCorrelation)
                waits[sync.worker.value].push_back(&sync);
        return waits;
    }

    void addWaitsOf(GraphContext &context, const GraphContext::WorkerOps &ops,
                    const std::vector<const SyncCall *> &syncs, const LaunchTimes &launchNs)
    {
        std::map<std::pair<FileId, std::string>, const std::vector<OpId> *> streams; ///< by number
        for (const std::vector<OpId> &stream : ops.streams) {
            const Device &device
                = context.builder.devices()[context.builder.op(stream.front()).device.value];
            const Track &track = context.trace.tracks[device.track.value];
            streams[{ track.file, track.tid }] = &stream;
        }
        const auto callNs
            = [&](FileId file, std::uint64_t correlation) -> std::optional<std::int64_t> {
            const auto call = ops.launch(file, correlation);
            if (!call)
                return {};
            return context.builder.op(*call).measuredStartNs;
        };
        for (const SyncCall *sync : syncs) {
            const auto place = context.slices.find(sync->slice);
            if (!place)
                continue;
            const FileId file = context.trace.tracks[place->track.value].file;
            const auto waiting = streams.find({ file, std::to_string(*sync->stream) });
            const auto awaited = streams.find({ file, std::to_string(*sync->waitOnStream) });
            const auto recordedNs = callNs(file, *sync->waitOnCorrelation);
            if (waiting == streams.end() || awaited == streams.end() || !recordedNs)
                continue;
            const auto waitNs
                = callNs(file, context.trace.slices[place->track.value].correlation[place->row]);
            const auto before = lastLaunchedBy(context, *awaited->second, launchNs, *recordedNs);
            const auto after = firstLaunchedAfter(context, *waiting->second, launchNs,
                                                  waitNs.value_or(*recordedNs));
            // A wait that the measurement contradicts was matched wrongly.
            const bool isKept = before && after
                && context.measuredEndNs[before->value]
                    <= context.builder.op(*after).measuredStartNs + ClockRoundingNs;
            if (isKept)
                context.builder.addEdge(context.completion(*before), *after, EdgeKind::Sync);
        }
    }

} // namespace

void addDeviceOps(GraphContext &context, WorkerId worker,
                  const std::unordered_set<std::uint64_t> &collectives)
{
    for (const Track *track : context.tracks.of(worker, TrackKind::Stream)) {
        for (std::vector<OpId> &ops : addStream(context, *track, collectives))
            if (!ops.empty())
                context.workers[worker.value].streams.push_back(std::move(ops));
    }
}

void addStreamOrder(GraphContext &context)
{
    for (const GraphContext::WorkerOps &worker : context.workers)
        for (const std::vector<OpId> &stream : worker.streams)
            for (std::size_t i = 1; i < stream.size(); ++i)
                context.builder.addEdge(context.completion(stream[i - 1]), stream[i],
                                        EdgeKind::StreamOrder);
}

void addRecordedWaits(GraphContext &context, const JobControl &control)
{
    if (context.trace.syncs.empty())
        return;
    const LaunchTimes launchNs = launchTimes(context);
    const auto waits = streamWaits(context.trace);
    for (std::size_t w = 0; w < waits.size(); ++w) {
        throwIfCancelled(control);
        if (!waits[w].empty())
            addWaitsOf(context, context.workers[w], waits[w], launchNs);
    }
}

void addBlockingCalls(GraphContext &context, const std::vector<NameTraits> &traits,
                      const JobControl &control)
{
    BlockingCalls calls(context, traits);
    for (GraphContext::WorkerOps &worker : context.workers) {
        throwIfCancelled(control);
        if (worker.streams.empty())
            continue;
        for (std::vector<OpId> &thread : worker.threads)
            thread = calls.added(worker, thread);
    }
    calls.removeOldLaunches();
}

} // namespace core
