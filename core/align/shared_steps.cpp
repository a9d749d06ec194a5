#include "core/align/shared_steps.h"

#include "core/base/median_ns.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

namespace core {

namespace {

    /// By 114 pairs of ranks of which one was moved by a step, in testbed recordings of six steps:
    /// the residual was never below half of the jitter.
    constexpr std::size_t FewestSteps = 5;
    constexpr std::int64_t JitterParts = 4;
    constexpr std::int64_t StepParts = 10; ///< of a step, that a clock is known to

    std::int64_t medianDeviationNs(std::vector<std::int64_t> values)
    {
        const std::int64_t middleNs = medianNs(values);
        for (std::int64_t &value : values)
            value = std::abs(value - middleNs);
        return medianNs(std::move(values));
    }

    std::vector<MatchedCollective> matchedOf(const Trace &trace)
    {
        std::vector<std::string> notes;
        return matchCollectives(trace, notes);
    }

    struct StepVariation
    {
        std::int64_t jitterNs = 0; ///< of the steadier worker
        std::int64_t apartNs = 0; ///< of the differences between both
    };

    StepVariation variationOf(const std::vector<std::pair<std::int64_t, std::int64_t>> &ends)
    {
        std::vector<std::int64_t> own, other, apart;
        for (std::size_t i = 1; i < ends.size(); ++i) {
            own.push_back(ends[i].first - ends[i - 1].first);
            other.push_back(ends[i].second - ends[i - 1].second);
            apart.push_back(other.back() - own.back());
        }
        return { std::min(medianDeviationNs(std::move(own)), medianDeviationNs(std::move(other))),
                 medianDeviationNs(std::move(apart)) };
    }

} // namespace

StepComparison::StepComparison(const Trace &trace)
    : m_trace(trace)
    , m_slices(trace)
    , m_matched(matchedOf(trace))
{
}

const CollectiveCall *StepComparison::callOf(const MatchedCollective &matched,
                                             WorkerId worker) const
{
    const auto call
        = std::lower_bound(matched.calls.begin(), matched.calls.end(), worker,
                           [this](std::size_t one, WorkerId wanted) {
                               return m_trace.collectives[one].worker.value < wanted.value;
                           });
    if (call == matched.calls.end() || m_trace.collectives[*call].worker != worker)
        return nullptr;
    return &m_trace.collectives[*call];
}

StepComparison::Ends StepComparison::collectiveEnds(WorkerId a, WorkerId b) const
{
    std::vector<std::int64_t> starts;
    for (const Iteration &iteration : m_trace.iterations)
        if (iteration.worker == a)
            starts.push_back(iteration.range.startNs);
    std::map<std::ptrdiff_t, std::pair<std::int64_t, std::int64_t>> ends; // by step
    for (const MatchedCollective &matched : m_matched) {
        const CollectiveCall *own = callOf(matched, a);
        const CollectiveCall *other = callOf(matched, b);
        if (own == nullptr || other == nullptr)
            continue;
        const std::int64_t startNs = m_slices.startNs(own->slice);
        const auto step = std::upper_bound(starts.begin(), starts.end(), startNs) - starts.begin();
        const std::pair end(m_slices.endNs(own->slice), m_slices.endNs(other->slice));
        auto &last = ends.try_emplace(step, end).first->second;
        last = std::max(last, end);
    }
    ends.erase(0); // before the first
    Ends list;
    for (const auto &[step, end] : ends)
        list.push_back(end);
    return list;
}

StepComparison::Ends StepComparison::iterationEnds(WorkerId a, WorkerId b) const
{
    std::map<std::int64_t, std::int64_t> others;
    for (const Iteration &iteration : m_trace.iterations)
        if (iteration.worker == b && iteration.isWhole)
            others.emplace(iteration.index, iteration.range.endNs);
    Ends list;
    for (const Iteration &iteration : m_trace.iterations) {
        const auto other = others.find(iteration.index);
        if (iteration.worker == a && iteration.isWhole && other != others.end())
            list.emplace_back(iteration.range.endNs, other->second);
    }
    return list;
}

std::vector<std::int64_t> StepComparison::durations(WorkerId worker) const
{
    std::vector<std::int64_t> found;
    for (const Iteration &iteration : m_trace.iterations)
        if (iteration.worker == worker && iteration.isWhole)
            found.push_back(iteration.range.durationNs());
    return found;
}

/// Absent where steps are too few, or the clocks of both are not known or contradict the records.
std::optional<StepComparison::Steps> StepComparison::stepsOf(WorkerId a, WorkerId b) const
{
    const AlignmentReport &clocks = m_trace.alignment;
    if (clocks.workers.empty() || clocks.violationsAfter > 0)
        return std::nullopt;
    std::vector<std::int64_t> own = durations(a), other = durations(b);
    if (std::min(own.size(), other.size()) < FewestSteps)
        return std::nullopt;
    Steps steps;
    steps.shortestNs = std::min(medianNs(own), medianNs(other));
    steps.jitterNs
        = std::min(medianDeviationNs(std::move(own)), medianDeviationNs(std::move(other)));
    for (const WorkerId worker : { a, b }) {
        const Alignment &clock = clocks.workers[worker.value];
        if (clock.isReference)
            continue;
        if (!clock.isKnown)
            return std::nullopt;
        steps.uncertaintyNs = std::max(steps.uncertaintyNs, clock.uncertaintyNs);
        steps.residualNs = std::max(steps.residualNs, clock.residualNs);
    }
    return steps;
}

std::optional<SharedSteps> StepComparison::ofOneRun(WorkerId a, WorkerId b) const
{
    const std::optional<Steps> steps = stepsOf(a, b);
    if (!steps || steps->jitterNs == 0)
        return std::nullopt;
    SharedSteps found { steps->jitterNs, 0 };
    const Ends shared = collectiveEnds(a, b);
    bool isSure = true;
    if (shared.empty()) { // a parameter server's: without collectives there is no residual
        found.errorNs = std::max(steps->uncertaintyNs, variationOf(iterationEnds(a, b)).apartNs);
    } else { // hosts that run ahead may vary where what they wait for does not
        found.errorNs = steps->residualNs;
        isSure = found.errorNs <= variationOf(shared).jitterNs;
    }
    if (!isSure || found.errorNs > found.jitterNs / JitterParts)
        return std::nullopt;
    return found;
}

std::optional<std::int64_t> StepComparison::tiedWithin(WorkerId a, WorkerId b) const
{
    const std::optional<Steps> steps = stepsOf(a, b);
    if (!steps || steps->uncertaintyNs > steps->shortestNs / StepParts
        || steps->uncertaintyNs <= steps->jitterNs / JitterParts // else steps can tell
        || !collectiveEnds(a, b).empty())
        return std::nullopt;
    return steps->uncertaintyNs;
}

} // namespace core
