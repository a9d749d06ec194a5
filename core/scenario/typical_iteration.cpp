#include "core/scenario/typical_iteration.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace core {

namespace {

    /// Of those that the prediction counts on every rank.
    std::optional<std::size_t> nearestTo(const std::vector<std::int64_t> &durationNs,
                                         std::int64_t medianNs,
                                         const std::vector<ReplayedIterations> &replayed)
    {
        const auto counts = [&replayed](std::size_t i) {
            return std::all_of(replayed.begin(), replayed.end(),
                               [i](const ReplayedIterations &own) { return own.counts(i); });
        };
        std::optional<std::size_t> nearest;
        for (std::size_t i = 0; i < durationNs.size(); ++i) {
            if (!counts(i))
                continue;
            if (!nearest
                || std::abs(durationNs[i] - medianNs) <= std::abs(durationNs[*nearest] - medianNs))
                nearest = i;
        }
        return nearest;
    }

} // namespace

std::vector<CommonIteration> pairIterations(const std::vector<Iteration> &common,
                                            const Trace &trace)
{
    std::vector<std::vector<Iteration>> byWorker(trace.workers.size());
    for (const Iteration &iteration : common)
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

std::optional<std::size_t> typicalIteration(const std::vector<CommonIteration> &measured,
                                            std::int64_t medianNs,
                                            const std::vector<ReplayedIterations> &replayed)
{
    std::vector<std::int64_t> durationNs;
    durationNs.reserve(measured.size());
    for (const CommonIteration &iteration : measured)
        durationNs.push_back(iteration.slowestNs);
    return nearestTo(durationNs, medianNs, replayed);
}

std::optional<std::size_t> typicalIteration(const std::vector<ReplayedIterations> &iterations,
                                            std::int64_t medianNs)
{
    const std::size_t count = iterations.empty() ? 0 : iterations.front().periodNs.size();
    std::vector<std::int64_t> durationNs;
    for (std::size_t i = 0; i < count; ++i)
        durationNs.push_back(slowestNs(iterations, i));
    return nearestTo(durationNs, medianNs, iterations);
}

std::int64_t slowestNs(const std::vector<ReplayedIterations> &iterations, std::size_t i)
{
    std::int64_t slowest = 0;
    for (const ReplayedIterations &own : iterations)
        slowest = std::max(slowest, own.periodNs[i]);
    return slowest;
}

} // namespace core
