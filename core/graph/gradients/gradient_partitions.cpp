#include "core/graph/gradients/gradient_partitions.h"

#include "core/graph/framework/forward_ops.h"
#include "core/model/gradient_names.h"

#include <algorithm>
#include <string_view>

namespace core {

namespace {

    class SliceFinder
    {
    public:
        SliceFinder(const GraphContext &context, WorkerId worker, const DeviceLaunches *launches)
            : m_context(context)
            , m_worker(worker)
            , m_launches(launches)
            , m_forwardOps(context, worker, launches)
        {
        }

        std::map<std::int32_t, GradientSlices> find()
        {
            for (const Track *track : m_context.tracks.of(m_worker, TrackKind::HostThread))
                findOn(*track);
            return std::move(m_found);
        }

    private:
        void findOn(const Track &track)
        {
            const SliceColumns &slices = m_context.trace.slices[track.id.value];
            for (std::size_t row = 0; row < slices.size(); ++row) {
                const std::string_view name = m_context.trace.nameOf(slices.name[row]);
                if (isGradientOp(name))
                    addGradient(track, row);
                else if (name.ends_with(CopyOutSuffix))
                    addCopy(track, row);
            }
        }

        void addGradient(const Track &track, std::size_t row)
        {
            GradientSlice slice = sliceAt(track, row);
            look(m_context.trace.slices[track.id.value], row, slice);
            const auto op = m_launches ? lastHostOp(track, slice) : opOfSlice(track, row);
            if (!op)
                return;
            slice.op = *op;
            const std::int32_t iteration = iterationOf(slice);
            const auto forward = m_forwardOps.of(track, row);
            // A graph that is kept may run backward later: then it is no use of this one.
            if (forward && iterationOf(*forward) == iteration)
                slice.forward = *forward;
            m_found[iteration].gradients.push_back(slice);
        }

        void addCopy(const Track &track, std::size_t row)
        {
            GradientSlice slice = sliceAt(track, row);
            const auto op
                = m_launches ? m_launches->firstIn(m_worker, slice.range) : opOfSlice(track, row);
            if (!op)
                return;
            slice.op = *op;
            m_found[iterationOf(slice)].copies.push_back(slice);
        }

        GradientSlice sliceAt(const Track &track, std::size_t row) const
        {
            const SliceColumns &slices = m_context.trace.slices[track.id.value];
            const TimeRange range { aligned(slices.startNs[row]), aligned(slices.endNs(row)) };
            return { range, NoOp, slices.bytes[row], NoOp, false, range.endNs };
        }

        /// The host's: an accelerator may be in another one.
        std::int32_t iterationOf(const GradientSlice &slice) const
        {
            return m_launches ? m_context.iterationAt(m_worker, slice.range.startNs)
                              : m_context.builder.op(slice.op).iteration;
        }

        std::int32_t iterationOf(OpId forward) const
        {
            if (!m_launches)
                return m_context.builder.op(forward).iteration;
            const auto launchedNs = m_launches->launchedNs(forward);
            return launchedNs ? m_context.iterationAt(m_worker, *launchedNs) : -1;
        }

        std::int64_t aligned(std::int64_t rawNs) const
        {
            return m_context.trace.toAligned(m_worker, rawNs);
        }

        std::optional<OpId> opOfSlice(const Track &track, std::size_t row) const
        {
            const OpId op = m_context.opAt(track.id, row);
            return op == NoOp ? std::nullopt : std::optional(op);
        }

        /// A slice that launches device ops is no op itself, it has some inside: the last one
        /// before it hands a collective over.
        std::optional<OpId> lastHostOp(const Track &track, const GradientSlice &slice) const
        {
            const auto startNs
                = [this](OpId op) { return m_context.builder.op(op).measuredStartNs; };
            for (const std::vector<OpId> &thread : m_context.workers[m_worker.value].threads) {
                const DeviceId device = m_context.builder.op(thread.front()).device;
                if (m_context.builder.devices()[device.value].track != track.id)
                    continue;
                const auto next = std::partition_point(thread.begin(), thread.end(), [&](OpId op) {
                    return startNs(op) < slice.handedOverNs;
                });
                if (next != thread.begin() && startNs(*(next - 1)) >= slice.range.startNs)
                    return *(next - 1);
            }
            return std::nullopt;
        }

        /// Inside an AccumulateGrad: the parameter's size, whether it is copied into a bucket, and
        /// whether that is handed over.
        void look(const SliceColumns &slices, std::size_t row, GradientSlice &found) const
        {
            for (std::size_t inner = row + 1;
                 inner < slices.size() && slices.startNs[inner] < slices.endNs(row); ++inner) {
                const std::string_view name = m_context.trace.nameOf(slices.name[inner]);
                if (name == "torch::autograd::AccumulateGrad")
                    found.bytes = std::max(found.bytes, slices.bytes[inner]);
                else if (isBucketCopy(name))
                    found.hasBucketCopy = true;
                else if (name.starts_with(HandOffPrefix))
                    found.handedOverNs
                        = std::min(found.handedOverNs, aligned(slices.startNs[inner]));
            }
        }

        const GraphContext &m_context;
        WorkerId m_worker;
        const DeviceLaunches *m_launches;
        ForwardOps m_forwardOps;
        std::map<std::int32_t, GradientSlices> m_found;
    };

} // namespace

std::map<std::int32_t, GradientSlices>
findGradientSlices(const GraphContext &context, WorkerId worker, const DeviceLaunches *launches)
{
    return SliceFinder(context, worker, launches).find();
}

} // namespace core
