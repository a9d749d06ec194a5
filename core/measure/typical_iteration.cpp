#include "core/measure/typical_iteration.h"

#include "core/base/median_ns.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

    /// What a self-replay may be off at worst: further off, it is another iteration.
    constexpr double MostOff = 0.05;

    /// What `ns` is off, as a part of the median.
    double distance(std::int64_t ns, std::int64_t medianNs)
    {
        return std::abs(static_cast<double>(ns - medianNs))
            / static_cast<double>(std::max<std::int64_t>(1, medianNs));
    }

} // namespace

std::vector<CommonIteration> commonIterations(const Trace &trace)
{
    std::vector<std::vector<Iteration>> byWorker(trace.workers.size());
    for (const Iteration &iteration : trace.compared.iterations)
        byWorker[iteration.worker.value].push_back(iteration);
    // A worker without any takes no part.
    std::erase_if(byWorker, [](const auto &iterations) { return iterations.empty(); });
    std::size_t count = byWorker.empty() ? 0 : byWorker.front().size();
    for (const auto &iterations : byWorker)
        count = std::min(count, iterations.size());
    std::vector<CommonIteration> pairs(count);
    for (std::size_t i = 0; i < count; ++i) {
        CommonIteration &one = pairs[i];
        one.index = byWorker.front()[i].index;
        one.range = { std::numeric_limits<std::int64_t>::max(),
                      std::numeric_limits<std::int64_t>::min() };
        for (const auto &iterations : byWorker) {
            const Iteration &own = iterations[i];
            one.slowestNs = std::max(one.slowestNs, own.range.durationNs());
            one.range.startNs
                = std::min(one.range.startNs, trace.toAligned(own.worker, own.range.startNs));
            one.range.endNs
                = std::max(one.range.endNs, trace.toAligned(own.worker, own.range.endNs));
        }
    }
    return pairs;
}

std::optional<std::size_t> typicalIteration(const ReplayedJob &result,
                                            const std::vector<CommonIteration> &measured)
{
    const std::size_t count
        = result.iterations.empty() ? 0 : result.iterations.front().periodNs.size();
    std::optional<std::size_t> nearest;
    double least = 0;
    for (std::size_t i = 0; i < count; ++i) {
        if (!result.counts(i))
            continue;
        double farther = distance(slowestNs(result.iterations, i), result.predictedNs);
        if (measured.size() == count)
            farther = std::max(farther, distance(measured[i].slowestNs, result.measuredNs));
        if (nearest && farther > least)
            continue;
        nearest = i;
        least = farther;
    }
    return nearest;
}

std::size_t shownIteration(const ReplayedJob &whatIf, const ReplayedJob &unchanged,
                           const std::vector<CommonIteration> &measured)
{
    const auto countOf = [](const ReplayedJob &result) {
        return result.iterations.empty() ? 0 : result.iterations.front().periodNs.size();
    };
    const std::optional<std::size_t> same = typicalIteration(unchanged, measured);
    // No iteration is near the mean over a period of several kinds.
    if (same && countOf(whatIf) == countOf(unchanged) && whatIf.counts(*same)
        && (whatIf.periodLength() > 1
            || distance(slowestNs(whatIf.iterations, *same), whatIf.predictedNs) <= MostOff))
        return *same;
    return typicalIteration(whatIf, measured).value_or(0);
}

std::size_t longestKind(const ReplayedJob &result, std::size_t typical)
{
    const std::size_t length = result.periodLength();
    if (length < 2)
        return typical;
    const ReplayedIterations &first = result.iterations.front();
    std::vector<std::vector<std::int64_t>> byPosition(length);
    std::vector<std::size_t> last(length, typical);
    for (std::size_t i = 0; i < std::min(first.positions.size(), first.periodNs.size()); ++i)
        if (result.counts(i)) {
            byPosition[first.positions[i]].push_back(slowestNs(result.iterations, i));
            last[first.positions[i]] = i;
        }
    std::size_t longest = 0;
    for (std::size_t p = 1; p < length; ++p)
        if (medianNs(byPosition[p]) > medianNs(byPosition[longest]))
            longest = p;
    return last[longest];
}

std::int64_t slowestNs(const std::vector<ReplayedIterations> &iterations, std::size_t i)
{
    std::int64_t slowest = 0;
    for (const ReplayedIterations &own : iterations)
        slowest = std::max(slowest, own.periodNs[i]);
    return slowest;
}

} // namespace core
