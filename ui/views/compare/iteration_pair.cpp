#include "ui/views/compare/iteration_pair.h"

#include <QCoreApplication>

#include <algorithm>
#include <cstdlib>
#include <limits>

namespace ui {

std::vector<CommonIteration> pairIterations(const std::vector<core::Iteration> &common,
                                            const core::Trace &trace)
{
    std::vector<std::vector<core::Iteration>> byWorker(trace.workers.size());
    for (const core::Iteration &iteration : common)
        byWorker[iteration.worker.value].push_back(iteration);
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
            const core::Iteration &own = iterations[i];
            one.slowestNs = std::max(one.slowestNs, own.range.durationNs());
            one.range.startNs
                = std::min(one.range.startNs, trace.toAligned(own.worker, own.range.startNs));
            one.range.endNs
                = std::max(one.range.endNs, trace.toAligned(own.worker, own.range.endNs));
        }
    }
    return pairs;
}

std::optional<std::size_t> typicalIteration(const std::vector<CommonIteration> &iterations,
                                            std::int64_t medianNs)
{
    std::optional<std::size_t> nearest;
    for (std::size_t i = 0; i < iterations.size(); ++i) {
        const auto distanceNs
            = [&](std::size_t at) { return std::abs(iterations[at].slowestNs - medianNs); };
        if (!nearest || distanceNs(i) <= distanceNs(*nearest))
            nearest = i;
    }
    return nearest;
}

std::vector<TimelineIteration> replayIterations(const core::ScenarioResult &result,
                                                const std::vector<CommonIteration> &measured)
{
    std::vector<TimelineIteration> marks;
    const auto count = static_cast<std::size_t>(std::max(0, result.graph->iterationCount));
    const std::vector<std::int64_t> &ends = result.replay->iterationEndNs;
    const std::size_t workers = count == 0 ? 0 : ends.size() / count;
    for (std::size_t i = 0; i < count && workers > 0; ++i) {
        std::int64_t start = i == 0 ? 0 : std::numeric_limits<std::int64_t>::max();
        std::int64_t end = 0;
        for (std::size_t worker = 0; worker < workers; ++worker) {
            if (i > 0) {
                start = std::min(start, ends[worker * count + i - 1]);
            }
            end = std::max(end, ends[worker * count + i]);
        }
        const auto number
            = measured.size() == count ? measured[i].index : static_cast<std::int64_t>(i);
        const QString name = result.hasIterations
            ? QCoreApplication::translate("Timeline", "iteration %1").arg(number)
            : QCoreApplication::translate("Timeline", "whole recording");
        marks.push_back({ name, { result.timeOriginNs + start, result.timeOriginNs + end } });
    }
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        marks[i].range.endNs = std::min(marks[i].range.endNs, marks[i + 1].range.startNs);
    }
    return marks;
}

} // namespace ui
