#include "core/align/shared_steps.h"

#include "core/align/align.h"
#include "core/base/median_ns.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace core {

namespace {

    /// Of five durations that vary each for itself, the difference's median is this small beside
    /// that of their variation once in a hundred times.
    constexpr std::size_t FewestSteps = 5;
    constexpr std::int64_t JitterParts = 4;

    std::int64_t medianDeviationNs(std::vector<std::int64_t> values)
    {
        const std::int64_t middleNs = medianNs(values);
        for (std::int64_t &value : values)
            value = std::abs(value - middleNs);
        return medianNs(std::move(values));
    }

    const CollectiveCall *callOf(const Trace &trace, const MatchedCollective &matched,
                                 WorkerId worker)
    {
        for (const std::size_t call : matched.calls)
            if (trace.collectives[call].worker == worker)
                return &trace.collectives[call];
        return nullptr;
    }

    /// When the last shared collective of each step of `a` ended, by the clocks of both.
    std::vector<std::pair<std::int64_t, std::int64_t>> stepEnds(const Trace &trace, WorkerId a,
                                                                WorkerId b)
    {
        std::vector<std::int64_t> starts;
        for (const Iteration &iteration : trace.iterations)
            if (iteration.worker == a)
                starts.push_back(iteration.range.startNs);
        std::vector<std::string> notes;
        const SliceIndex slices(trace);
        std::map<std::ptrdiff_t, std::pair<std::int64_t, std::int64_t>> ends; // by step
        for (const MatchedCollective &matched : matchCollectives(trace, notes)) {
            const CollectiveCall *own = callOf(trace, matched, a);
            const CollectiveCall *other = callOf(trace, matched, b);
            if (own == nullptr || other == nullptr)
                continue;
            const std::int64_t startNs = slices.startNs(own->slice);
            const auto step
                = std::upper_bound(starts.begin(), starts.end(), startNs) - starts.begin();
            const std::pair end(slices.endNs(own->slice), slices.endNs(other->slice));
            auto &last = ends.try_emplace(step, end).first->second;
            last = std::max(last, end);
        }
        ends.erase(0); // before the first
        std::vector<std::pair<std::int64_t, std::int64_t>> list;
        for (const auto &[step, end] : ends)
            list.push_back(end);
        return list;
    }

} // namespace

bool SharedSteps::isBelowJitter(std::int64_t errorNs) const
{
    return count >= FewestSteps && errorNs <= jitterNs / JitterParts && jitterNs > 0;
}

SharedSteps sharedSteps(const Trace &trace, WorkerId a, WorkerId b)
{
    const auto ends = stepEnds(trace, a, b);
    std::vector<std::int64_t> own, other, apart;
    for (std::size_t i = 1; i < ends.size(); ++i) {
        own.push_back(ends[i].first - ends[i - 1].first);
        other.push_back(ends[i].second - ends[i - 1].second);
        apart.push_back(other.back() - own.back());
    }
    SharedSteps found;
    found.count = own.size();
    found.jitterNs
        = std::min(medianDeviationNs(std::move(own)), medianDeviationNs(std::move(other)));
    found.apartNs = medianDeviationNs(std::move(apart));
    return found;
}

std::optional<SharedSteps> stepsOfOneRun(const Trace &trace, WorkerId a, WorkerId b)
{
    const AlignmentReport &clocks = trace.alignment;
    if (clocks.workers.empty() || clocks.violationsAfter > 0)
        return std::nullopt;
    const SharedSteps steps = sharedSteps(trace, a, b);
    const auto isAligned = [&](WorkerId worker) {
        const Alignment &clock = clocks.workers[worker.value];
        return clock.isReference || (clock.isKnown && steps.isBelowJitter(clock.residualNs));
    };
    if (!steps.areOfOneRun() || !isAligned(a) || !isAligned(b))
        return std::nullopt;
    return steps;
}

} // namespace core
