#include "core/graph/collective_ops.h"

#include <algorithm>
#include <cctype>
#include <limits>
#include <map>
#include <set>

namespace core {

namespace {

    /// "c10d::allreduce_" and "all_reduce" are the same kind: letters only.
    std::string bareKind(std::string_view name)
    {
        if (const auto colon = name.rfind(':'); colon != std::string_view::npos)
            name.remove_prefix(colon + 1);
        std::string bare;
        for (const char c : name)
            if (std::isalpha(static_cast<unsigned char>(c)))
                bare += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return bare;
    }

    /// The slice's interval in aligned time.
    TimeRange alignedRange(const GraphContext &context, SliceId id)
    {
        const WorkerId worker = context.slices.worker(id);
        return { context.trace.toAligned(worker, context.slices.startNs(id)),
                 context.trace.toAligned(worker, context.slices.endNs(id)) };
    }

    const Track &trackOf(const GraphContext &context, SliceId id)
    {
        return context.trace.tracks[context.slices.find(id)->track.value];
    }

    /// The op that hands each communication slice of a CPU backend over: its hand-offs and its
    /// slices are both in the order in which they were queued.
    class HandOffs
    {
    public:
        explicit HandOffs(const GraphContext &context)
        {
            for (const auto &[slice, op] : context.handOff) {
                const SliceId id(slice);
                m_queued[{ context.slices.worker(id), bareKind(context.slices.name(id)) }]
                    .push_back({ alignedRange(context, id).startNs, op });
            }
            for (auto &[key, queue] : m_queued)
                std::sort(queue.begin(), queue.end(),
                          [](const auto &a, const auto &b) { return a.first < b.first; });
        }

        /// Call in order of the slices' starts. Empty where no hand-off is recorded.
        std::optional<OpId> take(WorkerId worker, std::string_view name, std::int64_t startNs)
        {
            const auto key = std::make_pair(worker, bareKind(name));
            auto &next = m_next[key];
            const auto &queue = m_queued[key];
            if (next < queue.size() && queue[next].first <= startNs)
                return queue[next++].second;
            return {};
        }

    private:
        using Key = std::pair<WorkerId, std::string>;
        std::map<Key, std::vector<std::pair<std::int64_t, OpId>>> m_queued;
        std::map<Key, std::size_t> m_next;
    };

    /// Adds the ready ops of CPU-backend communication and ops for what has no partner.
    class BackendCalls
    {
    public:
        BackendCalls(GraphContext &context, const std::unordered_set<std::uint64_t> &matched)
            : m_context(context)
            , m_matched(matched)
            , m_handOffs(context)
        {
        }

        void addWorker(WorkerId worker)
        {
            struct Call
            {
                TimeRange range;
                SliceId slice;
            };
            std::vector<Call> calls;
            for (const Track &track : m_context.trace.tracks) {
                if (track.worker != worker || track.kind != TrackKind::Communication)
                    continue;
                const SliceColumns &slices = m_context.trace.slices[track.id.value];
                for (std::size_t row = 0; row < slices.size(); ++row)
                    if (const SliceId id = m_context.sliceId(track.id, row);
                        slices.category[row] == Category::CommOp)
                        calls.push_back({ alignedRange(m_context, id), id });
            }
            std::sort(calls.begin(), calls.end(), [](const Call &a, const Call &b) {
                return a.range.startNs < b.range.startNs;
            });
            for (const Call &call : calls)
                if (m_context.workers[worker.value].window.contains(call.range.startNs))
                    addCall(call.slice, call.range);
        }

    private:
        void addCall(SliceId id, const TimeRange &range)
        {
            const auto place = *m_context.slices.find(id);
            const Track &track = m_context.trace.tracks[place.track.value];
            const SliceColumns &slices = m_context.trace.slices[place.track.value];
            const bool isPart = m_matched.contains(id.value);
            const std::optional<OpId> handOff
                = m_handOffs.take(track.worker, m_context.slices.name(id), range.startNs);
            const GraphContext::WorkerOps &worker = m_context.workers[track.worker.value];
            const OpId from = handOff ? *handOff
                : worker.hasHost      ? m_context.lastHostOpBy(track.worker, range.startNs)
                                      : worker.begin;
            OpSpec spec;
            spec.name = slices.name[place.row];
            spec.device = deviceOf(track);
            spec.kind = isPart ? OpKind::Virtual : OpKind::Communication;
            spec.phase = slices.phase[place.row];
            spec.worker = track.worker;
            spec.slice = id;
            spec.measuredStartNs
                = isPart && handOff ? m_context.measuredEndNs[from.value] : range.startNs;
            spec.durationNs = isPart ? 0 : range.durationNs();
            spec.iteration = m_context.iterationAt(spec.worker, range.startNs);
            const OpId op = m_context.addOp(spec, range.endNs);
            m_context.builder.addEdge(from, op, handOff ? EdgeKind::Data : EdgeKind::Inferred);
            if (!isPart)
                followRow(op);
            m_context.opOfSlice[id.value] = op;
        }

        /// A call that has no partner waits for the one before it on its row: what was handed over
        /// earlier is sent first.
        void followRow(OpId op)
        {
            const OpSpec &spec = m_context.builder.op(op);
            const auto [before, isFirst] = m_lastOnRow.try_emplace(spec.device, op);
            if (isFirst)
                return;
            if (m_context.measuredEndNs[before->second.value] <= spec.measuredStartNs)
                m_context.builder.addEdge(before->second, op, EdgeKind::StreamOrder);
            before->second = op;
        }

        DeviceId deviceOf(const Track &track)
        {
            const auto [it, isNew] = m_devices.try_emplace(track.id);
            if (isNew) {
                Device device;
                device.name = track.name;
                device.worker = track.worker;
                device.track = track.id;
                device.hasTrack = true;
                device.isBackend = true;
                it->second = m_context.builder.addDevice(device);
            }
            return it->second;
        }

        GraphContext &m_context;
        const std::unordered_set<std::uint64_t> &m_matched;
        HandOffs m_handOffs;
        std::map<TrackId, DeviceId> m_devices;
        std::map<DeviceId, OpId> m_lastOnRow; ///< of calls without a partner
    };

    /// Processor sharing undone: work = integral over the interval of 1 / (number of transfers
    /// under way).
    std::vector<std::int64_t> unsharedWork(const std::vector<TimeRange> &intervals)
    {
        std::vector<std::pair<std::int64_t, std::pair<int, std::size_t>>> events;
        for (std::size_t i = 0; i < intervals.size(); ++i) {
            events.push_back({ intervals[i].startNs, { +1, i } });
            events.push_back({ intervals[i].endNs, { -1, i } });
        }
        std::sort(events.begin(), events.end());
        std::vector<double> work(intervals.size(), 0);
        std::set<std::size_t> active;
        std::int64_t lastNs = 0;
        for (const auto &[ns, event] : events) {
            for (const std::size_t i : active)
                work[i] += static_cast<double>(ns - lastNs) / static_cast<double>(active.size());
            lastNs = ns;
            if (event.first > 0)
                active.insert(event.second);
            else
                active.erase(event.second);
        }
        return { work.begin(), work.end() };
    }

    /// Device activities and a backend's calls do; what else claims to be a collective is damage.
    bool becomesOp(const GraphContext &context, const CollectiveCall &call)
    {
        if (!context.slices.find(call.slice) || context.slices.worker(call.slice) != call.worker)
            return false;
        const Category category = context.slices.category(call.slice);
        const TrackKind kind = trackOf(context, call.slice).kind;
        return (kind == TrackKind::Stream && isDeviceActivity(category))
            || (kind == TrackKind::Communication && category == Category::CommOp);
    }

    class CollectiveAdder
    {
    public:
        CollectiveAdder(GraphContext &context, const std::vector<MatchedCollective> &matched)
            : m_context(context)
            , m_matched(matched)
        {
        }

        void add()
        {
            for (const MatchedCollective &match : m_matched)
                addOne(match);
            for (const auto &[link, nodes] : m_onLink)
                setWork(nodes);
        }

    private:
        void addOne(const MatchedCollective &match)
        {
            const Trace &trace = m_context.trace;
            const CollectiveCall &first = trace.collectives[match.calls.front()];
            CollectiveNode node;
            node.name = first.kind;
            node.group = first.group;
            node.sequence = match.sequence;
            std::int64_t lastStartNs = std::numeric_limits<std::int64_t>::min();
            std::int64_t lastEndNs = std::numeric_limits<std::int64_t>::min();
            for (const std::size_t index : match.calls) {
                const CollectiveCall &call = trace.collectives[index];
                const TimeRange range = alignedRange(m_context, call.slice);
                node.bytes = std::max(node.bytes, call.bytes);
                node.parts.push_back({ call.worker, call.slice, range.startNs, range.endNs,
                                       m_context.opOfSlice.at(call.slice.value) });
                lastStartNs = std::max(lastStartNs, range.startNs);
                lastEndNs = std::max(lastEndNs, range.endNs);
            }
            addOps(node, { lastStartNs, std::max(lastStartNs, lastEndNs) });
        }

        void addOps(CollectiveNode &node, const TimeRange &transfer)
        {
            const OpSpec ready = m_context.builder.op(node.parts.front().ready);
            node.iteration = ready.iteration;
            OpSpec spec = ready;
            spec.slice = NoSlice;
            spec.kind = OpKind::Virtual;
            spec.durationNs = spec.delayNs = 0;
            spec.measuredStartNs = transfer.startNs;
            node.arrival = m_context.addOp(spec, transfer.startNs);
            spec.kind = OpKind::Communication;
            spec.device = linkOf(node, ready.slice);
            spec.slice = node.parts.front().slice;
            spec.durationNs = transfer.durationNs();
            node.transfer = m_context.addOp(spec, transfer.endNs);
            m_context.builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
            for (const CollectiveNode::Part &part : node.parts) {
                m_context.builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
                m_context.transferOfReady[part.ready.value] = node.transfer;
            }
            m_onLink[spec.device].push_back(m_context.builder.collectives().size());
            m_context.builder.addCollective(node);
        }

        DeviceId linkOf(const CollectiveNode &node, SliceId slice)
        {
            const Track &track = trackOf(m_context, slice);
            const bool isBackend = track.kind == TrackKind::Communication;
            const auto key = isBackend ? std::make_pair(std::string(), std::uint32_t { 0 })
                                       : std::make_pair(node.group, track.id.value);
            const auto [it, isNew] = m_links.try_emplace(key);
            if (isNew) {
                Device device;
                device.name = isBackend
                    ? "network"
                    : "network " + node.group + (node.group.empty() ? "" : " ") + track.name;
                device.worker = node.parts.front().worker;
                device.isLink = true;
                device.isHostLink = isBackend;
                device.discipline = Discipline::Shared;
                device.capacity = isBackend ? backendCapacity() : 1;
                it->second = m_context.builder.addDevice(device);
            }
            return it->second;
        }

        /// Communication threads of a worker that carry matched collectives: so many can be under
        /// way at once.
        std::uint32_t backendCapacity() const
        {
            std::map<WorkerId, std::set<TrackId>> tracks;
            for (const MatchedCollective &match : m_matched)
                for (const std::size_t index : match.calls) {
                    const CollectiveCall &call = m_context.trace.collectives[index];
                    tracks[call.worker].insert(trackOf(m_context, call.slice).id);
                }
            std::size_t capacity = 1;
            for (const auto &[worker, ids] : tracks)
                capacity = std::max(capacity, ids.size());
            return static_cast<std::uint32_t>(capacity);
        }

        void setWork(const std::vector<std::size_t> &nodes)
        {
            std::vector<TimeRange> intervals;
            for (const std::size_t index : nodes) {
                const OpId op = m_context.builder.collectives()[index].transfer;
                intervals.push_back({ m_context.builder.op(op).measuredStartNs,
                                      m_context.measuredEndNs[op.value] });
            }
            const std::vector<std::int64_t> work = unsharedWork(intervals);
            for (std::size_t i = 0; i < nodes.size(); ++i)
                m_context.builder.op(m_context.builder.collectives()[nodes[i]].transfer).durationNs
                    = work[i];
        }

        GraphContext &m_context;
        const std::vector<MatchedCollective> &m_matched;
        std::map<std::pair<std::string, std::uint32_t>, DeviceId> m_links;
        std::map<DeviceId, std::vector<std::size_t>> m_onLink; ///< link -> indices of collectives
    };

} // namespace

std::unordered_set<std::uint64_t> slicesOf(const GraphContext &context,
                                           std::vector<MatchedCollective> &matched)
{
    const Trace &trace = context.trace;
    const auto isOutside = [&](const MatchedCollective &match) {
        return match.calls.size() < 2
            || std::any_of(match.calls.begin(), match.calls.end(), [&](std::size_t index) {
                   const CollectiveCall &call = trace.collectives[index];
                   return !becomesOp(context, call)
                       || !context.workers[call.worker.value].window.contains(
                           alignedRange(context, call.slice).startNs);
               });
    };
    std::erase_if(matched, isOutside);
    std::unordered_set<std::uint64_t> slices;
    for (const MatchedCollective &match : matched)
        for (const std::size_t index : match.calls)
            slices.insert(trace.collectives[index].slice.value);
    return slices;
}

void addCollectives(GraphContext &context, const std::vector<MatchedCollective> &matched)
{
    std::unordered_set<std::uint64_t> slices;
    for (const MatchedCollective &match : matched)
        for (const std::size_t index : match.calls)
            slices.insert(context.trace.collectives[index].slice.value);
    BackendCalls calls(context, slices);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w)
        calls.addWorker(WorkerId(w));
    CollectiveAdder(context, matched).add();
}

} // namespace core
