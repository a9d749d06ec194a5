#include "core/graph/backend_calls.h"

#include "core/base/ascii_text.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

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
                bare += lowered(c);
        return bare;
    }

    /// The slice's interval in aligned time.
    TimeRange callRange(const GraphContext &context, SliceId id)
    {
        const WorkerId worker = context.slices.worker(id);
        return { context.trace.toAligned(worker, context.slices.startNs(id)),
                 context.trace.toAligned(worker, context.slices.endNs(id)) };
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
                    .push_back({ callRange(context, id).startNs, op });
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
        BackendCalls(GraphContext &context, const std::vector<Exchange> &exchanges,
                     const Producers &producers)
            : m_context(context)
            , m_producers(producers)
            , m_handOffs(context)
        {
            for (const Exchange &exchange : exchanges)
                for (const Exchange::Part &part : exchange.parts)
                    m_parts.emplace(part.slice.value, part.readyNs);
        }

        void addWorker(WorkerId worker)
        {
            struct Call
            {
                TimeRange range;
                SliceId slice;
            };
            std::vector<Call> calls;
            for (const Track *track : m_context.tracks.of(worker, TrackKind::Communication)) {
                const SliceColumns &slices = m_context.trace.slices[track->id.value];
                for (std::size_t row = 0; row < slices.size(); ++row)
                    if (const SliceId id = m_context.sliceId(track->id, row);
                        slices.category[row] == Category::CommOp)
                        calls.push_back({ callRange(m_context, id), id });
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
            const auto part = m_parts.find(id.value);
            const bool isPart = part != m_parts.end();
            const std::int64_t readyNs
                = isPart ? part->second.value_or(range.startNs) : range.startNs;
            const Origin origin = originOf(id, track.worker, readyNs);
            OpSpec spec;
            spec.name = slices.name[place.row];
            spec.device = deviceOf(track);
            spec.kind = isPart ? OpKind::Virtual : OpKind::Communication;
            spec.phase = slices.phase[place.row];
            spec.worker = track.worker;
            spec.slice = id;
            spec.measuredStartNs
                = isPart && origin.isHandOff ? m_context.measuredEndNs[origin.op.value] : readyNs;
            spec.durationNs = isPart ? 0 : range.durationNs();
            spec.iteration = m_context.iterationAt(spec.worker, range.startNs);
            const OpId op = m_context.addOp(spec, range.endNs);
            m_context.builder.addEdge(origin.op, op,
                                      origin.isKnown ? EdgeKind::Data : EdgeKind::Inferred);
            m_context.opOfSlice[id.value] = op;
            m_context.workers[track.worker.value].calls.push_back(op);
        }

        /// What a call comes from.
        struct Origin
        {
            OpId op;
            bool isKnown = false, isHandOff = false;
        };

        Origin originOf(SliceId id, WorkerId worker, std::int64_t readyNs)
        {
            if (const auto handOff = m_handOffs.take(worker, m_context.slices.name(id), readyNs))
                return { *handOff, true, true };
            if (const auto producer = m_producers.of(id))
                return { *producer, true, false };
            const GraphContext::WorkerOps &ops = m_context.workers[worker.value];
            return { ops.hasHost ? m_context.lastHostOpBy(worker, readyNs) : ops.begin };
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
        const Producers &m_producers;
        HandOffs m_handOffs;
        /// By slice of a part: when its data was complete, where that is known.
        std::unordered_map<std::uint64_t, std::optional<std::int64_t>> m_parts;
        std::map<TrackId, DeviceId> m_devices;
    };

} // namespace

void addBackendCalls(GraphContext &context, const std::vector<Exchange> &exchanges,
                     const Producers &producers)
{
    BackendCalls calls(context, exchanges, producers);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w)
        calls.addWorker(WorkerId(w));
}

} // namespace core
