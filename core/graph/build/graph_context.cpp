#include "core/graph/build/graph_context.h"

#include <algorithm>

namespace core {

bool GraphContext::isOfIterations(const Track &track, std::size_t row) const
{
    const TimeRange &window = workers[track.worker.value].window;
    const std::int64_t startNs
        = trace.toAligned(track.worker, trace.slices[track.id.value].startNs[row]);
    return window.contains(startNs)
        || (startNs >= window.endNs && !window.isEmpty() && launchOf(track, row));
}

std::optional<OpId> GraphContext::launchOf(const Track &track, std::size_t row) const
{
    const auto launch = callOf(track, row);
    if (!launch)
        return std::nullopt;
    const std::int64_t startNs
        = trace.toAligned(track.worker, trace.slices[track.id.value].startNs[row]);
    const std::int64_t earlyNs = builder.op(*launch).measuredStartNs - startNs;
    if (earlyNs <= ClockRoundingNs)
        return launch;
    return earlyNs <= MostClockSkewNs ? lastOfThreadBy(*launch, startNs) : std::nullopt;
}

std::optional<OpId> GraphContext::callOf(const Track &track, std::size_t row) const
{
    return workers[track.worker.value].launch(track.file,
                                              trace.slices[track.id.value].correlation[row]);
}

std::optional<OpId> GraphContext::lastOfThreadBy(OpId op, std::int64_t ns) const
{
    for (const std::vector<OpId> &thread : workers[builder.op(op).worker.value].threads) {
        if (!std::binary_search(thread.begin(), thread.end(), op))
            continue;
        const auto next = std::partition_point(
            thread.begin(), thread.end(), [&](OpId o) { return measuredEndNs[o.value] <= ns; });
        return next == thread.begin() ? std::nullopt : std::optional<OpId>(*(next - 1));
    }
    return std::nullopt;
}

std::int32_t GraphContext::iterationAt(WorkerId worker, std::int64_t ns) const
{
    const std::vector<TimeRange> &iterations = workers[worker.value].iterations;
    const auto next
        = std::partition_point(iterations.begin(), iterations.end(),
                               [ns](const TimeRange &range) { return range.startNs <= ns; });
    return static_cast<std::int32_t>(next - iterations.begin()) - 1;
}

OpId GraphContext::lastHostOpBy(WorkerId worker, std::int64_t ns) const
{
    const WorkerOps &ops = workers[worker.value];
    if (!ops.mainOps)
        return ops.begin;
    const std::vector<OpId> &thread = ops.threads[*ops.mainOps];
    const auto next = std::partition_point(thread.begin(), thread.end(),
                                           [&](OpId op) { return measuredEndNs[op.value] <= ns; });
    return next == thread.begin() ? ops.begin : *(next - 1);
}

OpId GraphContext::firstOfCopyGroup(WorkerId worker, OpId firstCopy) const
{
    for (const std::vector<OpId> &thread : workers[worker.value].threads) {
        auto it = std::lower_bound(thread.begin(), thread.end(), firstCopy);
        if (it == thread.end() || *it != firstCopy)
            continue;
        while (it != thread.begin()
               && trace.nameOf(builder.op(*(it - 1)).name) == "aten::as_strided")
            --it;
        return *it;
    }
    return firstCopy;
}

} // namespace core
