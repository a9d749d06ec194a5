#include "core/align/shared_steps.h"

#include "core/base/median_ns.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string>

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

    std::vector<MatchedCollective> matchedOf(const Trace &trace)
    {
        std::vector<std::string> notes;
        return matchCollectives(trace, notes);
    }

} // namespace

bool SharedSteps::isBelowJitter(std::int64_t errorNs) const
{
    return count >= FewestSteps && errorNs <= jitterNs / JitterParts && jitterNs > 0;
}

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

SharedSteps StepComparison::steps(WorkerId a, WorkerId b) const
{
    Ends ends = collectiveEnds(a, b);
    if (ends.empty())
        ends = iterationEnds(a, b);
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

std::optional<SharedSteps> StepComparison::ofOneRun(WorkerId a, WorkerId b) const
{
    const AlignmentReport &clocks = m_trace.alignment;
    if (clocks.workers.empty() || clocks.violationsAfter > 0)
        return std::nullopt;
    const SharedSteps found = steps(a, b);
    const auto isAligned = [&](WorkerId worker) {
        const Alignment &clock = clocks.workers[worker.value];
        // Without collectives there is no residual.
        const std::int64_t errorNs = clock.residualNs > 0 ? clock.residualNs : clock.uncertaintyNs;
        return clock.isReference || (clock.isKnown && found.isBelowJitter(errorNs));
    };
    if (!found.isBelowJitter(found.apartNs) || !isAligned(a) || !isAligned(b))
        return std::nullopt;
    return found;
}

} // namespace core
