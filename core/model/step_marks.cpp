#include "core/model/step_marks.h"

#include <algorithm>
#include <charconv>
#include <map>

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

    /// Raw; without workers that have no slice.
    std::map<WorkerId, TimeRange> recordings(std::span<const Track> tracks)
    {
        std::map<WorkerId, TimeRange> recorded;
        for (const Track &track : tracks) {
            if (track.sliceCount == 0)
                continue;
            TimeRange &whole = recorded.try_emplace(track.worker, track.range).first->second;
            whole.startNs = std::min(whole.startNs, track.range.startNs);
            whole.endNs = std::max(whole.endNs, track.range.endNs);
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

bool hasKnownIterations(std::span<const Track> tracks, std::span<const Iteration> iterations)
{
    const std::map<WorkerId, TimeRange> recorded = recordings(tracks);
    return std::any_of(iterations.begin(), iterations.end(),
                       [&recorded](const Iteration &iteration) {
                           const auto whole = recorded.find(iteration.worker);
                           return iteration.isStated || whole == recorded.end()
                               || iteration.range.startNs != whole->second.startNs
                               || iteration.range.endNs != whole->second.endNs;
                       });
}

bool hasKnownIterations(const Trace &trace)
{
    return hasKnownIterations(trace.tracks, trace.iterations);
}

} // namespace core
