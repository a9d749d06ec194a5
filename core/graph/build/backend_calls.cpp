#include "core/graph/build/backend_calls.h"

#include "core/graph/build/hand_offs.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace core {

namespace {

    /// The slice's interval in aligned time.
    TimeRange callRange(const GraphContext &context, SliceId id)
    {
        const WorkerId worker = context.slices.worker(id);
        return { context.trace.toAligned(worker, context.slices.startNs(id)),
                 context.trace.toAligned(worker, context.slices.endNs(id)) };
    }

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
            std::erase_if(calls, [&](const Call &call) {
                return !m_context.workers[worker.value].window.contains(call.range.startNs);
            });
            std::vector<HandOffs::Call> queued;
            queued.reserve(calls.size());
            for (const Call &call : calls)
                queued.push_back(
                    { m_context.slices.name(call.slice), readyNsOf(call.slice, call.range) });
            const std::vector<std::optional<OpId>> handOffs = m_handOffs.of(worker, queued);
            for (std::size_t i = 0; i < calls.size(); ++i)
                addCall(calls[i].slice, calls[i].range, handOffs[i]);
        }

    private:
        std::int64_t readyNsOf(SliceId id, const TimeRange &range) const
        {
            const auto part = m_parts.find(id.value);
            return part == m_parts.end() ? range.startNs : part->second.value_or(range.startNs);
        }

        void addCall(SliceId id, const TimeRange &range, std::optional<OpId> handOff)
        {
            const auto place = *m_context.slices.find(id);
            const Track &track = m_context.trace.tracks[place.track.value];
            const SliceColumns &slices = m_context.trace.slices[place.track.value];
            const bool isPart = m_parts.contains(id.value);
            const std::int64_t readyNs = readyNsOf(id, range);
            const Origin origin
                = handOff ? Origin { *handOff, true, true } : originOf(id, track.worker, readyNs);
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
            m_context.setOpAt(place.track, place.row, op);
            m_context.workers[track.worker.value].calls.push_back(op);
        }

        /// What a call comes from.
        struct Origin
        {
            OpId op;
            bool isKnown = false, isHandOff = false;
        };

        /// Where no op handed it over.
        Origin originOf(SliceId id, WorkerId worker, std::int64_t readyNs)
        {
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
