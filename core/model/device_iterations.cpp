#include "core/model/device_iterations.h"

#include "core/model/step_marks.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace core {

namespace {

    /// By worker and number: from the first start to the last end of a step's device annotations.
    using AnnotatedSteps = std::map<std::pair<WorkerId, std::int64_t>, TimeRange>;

    AnnotatedSteps annotatedSteps(const Trace &trace)
    {
        AnnotatedSteps steps;
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const SliceColumns &slices = trace.slices[t];
            for (std::size_t row = 0; row < slices.size(); ++row) {
                if (slices.category[row] != Category::GpuAnnotation)
                    continue;
                const auto number = profilerStepNumber(trace.nameOf(slices.name[row]));
                if (!number)
                    continue;
                // One annotation a stream.
                const TimeRange range { slices.startNs[row], slices.endNs(row) };
                TimeRange &whole
                    = steps.try_emplace({ trace.tracks[t].worker, *number }, range).first->second;
                whole.startNs = std::min(whole.startNs, range.startNs);
                whole.endNs = std::max(whole.endNs, range.endNs);
            }
        }
        return steps;
    }

    /// Annotations leave out the waiting before a step's first and after its last kernel, and on
    /// AMD the kernels of the backward pass, which another thread launches.
    TimeRange onDevice(const Iteration &iteration, const AnnotatedSteps &annotated)
    {
        const auto found = annotated.find({ iteration.worker, iteration.index });
        if (found == annotated.end())
            return iteration.range;
        const TimeRange &own = found->second;
        if (own.durationNs() >= iteration.range.durationNs())
            return own;
        const std::int64_t behindNs = own.endNs > iteration.range.endNs
            ? own.endNs - iteration.range.endNs
            : std::min<std::int64_t>(0, own.startNs - iteration.range.startNs);
        TimeRange range { iteration.range.startNs + behindNs, iteration.range.endNs + behindNs };
        if (found != annotated.begin())
            if (const auto &[key, before] = *std::prev(found); key.first == iteration.worker)
                range.startNs = std::max(range.startNs, std::min(before.endNs, own.startNs));
        return range;
    }

} // namespace

std::vector<TimeRange> deviceIterationRanges(const Trace &trace)
{
    const AnnotatedSteps annotated = annotatedSteps(trace);
    std::vector<TimeRange> ranges;
    ranges.reserve(trace.iterations.size());
    for (const Iteration &iteration : trace.iterations)
        ranges.push_back(onDevice(iteration, annotated));
    return ranges;
}

} // namespace core
