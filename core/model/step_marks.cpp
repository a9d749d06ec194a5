#include "core/model/step_marks.h"

#include <algorithm>
#include <charconv>

namespace core {

namespace {

    constexpr std::string_view StepPrefix = "ProfilerStep#";

    void addProfilerSteps(const Trace &trace, std::vector<StepMarks> &marks)
    {
        const std::vector<bool> isStated = [&marks] {
            std::vector<bool> stated;
            stated.reserve(marks.size());
            for (const StepMarks &own : marks)
                stated.push_back(!own.empty());
            return stated;
        }();
        std::vector<std::optional<std::int64_t>> numberOf;
        numberOf.reserve(trace.names.size());
        for (const std::string &name : trace.names)
            numberOf.push_back(profilerStepNumber(name));
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            const std::uint32_t worker = trace.tracks[t].worker.value;
            if (trace.tracks[t].kind != TrackKind::HostThread || isStated[worker])
                continue;
            const SliceColumns &slices = trace.slices[t];
            for (std::size_t row = 0; row < slices.size(); ++row)
                if (const auto number = numberOf[slices.name[row].value])
                    marks[worker].emplace(*number,
                                          TimeRange { slices.startNs[row], slices.endNs(row) });
        }
    }

    /// Raw; empty for a worker without slices.
    std::vector<std::optional<TimeRange>> recordings(const Trace &trace)
    {
        std::vector<std::optional<TimeRange>> recorded(trace.workers.size());
        for (std::size_t t = 0; t < trace.tracks.size(); ++t) {
            std::optional<TimeRange> &whole = recorded[trace.tracks[t].worker.value];
            const SliceColumns &slices = trace.slices[t];
            for (std::size_t row = 0; row < slices.size(); ++row) {
                const TimeRange range { slices.startNs[row], slices.endNs(row) };
                if (!whole)
                    whole = range;
                whole->startNs = std::min(whole->startNs, range.startNs);
                whole->endNs = std::max(whole->endNs, range.endNs);
            }
        }
        return recorded;
    }

} // namespace

std::optional<std::int64_t> profilerStepNumber(std::string_view name)
{
    if (!name.starts_with(StepPrefix))
        return std::nullopt;
    const std::string_view digits = name.substr(StepPrefix.size());
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    if (error != std::errc {} || end != digits.data() + digits.size())
        return std::nullopt;
    return number;
}

std::vector<StepMarks> stepMarks(const Trace &trace)
{
    std::vector<StepMarks> marks(trace.workers.size());
    for (const Iteration &iteration : trace.iterations)
        if (iteration.isStated)
            marks[iteration.worker.value].emplace(iteration.index, iteration.range);
    addProfilerSteps(trace, marks);
    return marks;
}

bool hasKnownIterations(const Trace &trace)
{
    const std::vector<std::optional<TimeRange>> recorded = recordings(trace);
    return std::any_of(
        trace.iterations.begin(), trace.iterations.end(), [&recorded](const Iteration &iteration) {
            const std::optional<TimeRange> &whole = recorded[iteration.worker.value];
            return iteration.isStated || !whole || iteration.range.startNs != whole->startNs
                || iteration.range.endNs != whole->endNs;
        });
}

} // namespace core
