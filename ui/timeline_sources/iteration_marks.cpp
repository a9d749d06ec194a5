#include "ui/timeline_sources/iteration_marks.h"

#include "core/model/step_marks.h"
#include "ui/timeline_sources/clock_map.h"

#include <QCoreApplication>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

namespace ui {

std::vector<TimelineIteration> iterationMarks(const core::ProjectInfo &info,
                                              const core::ComparedIterations &compared)
{
    const ClockMap clocks(info.alignment);
    std::map<std::int64_t, core::TimeRange> byIndex;
    std::set<std::int64_t> counted;
    for (const core::Iteration &iteration : compared.iterations)
        counted.insert(iteration.index);
    for (const core::Iteration &iteration : info.iterations) {
        const core::TimeRange range { clocks.toAligned(iteration.worker, iteration.range.startNs),
                                      clocks.toAligned(iteration.worker, iteration.range.endNs) };
        const auto [known, isNew] = byIndex.try_emplace(iteration.index, range);
        if (!isNew) {
            known->second.startNs = std::min(known->second.startNs, range.startNs);
            known->second.endNs = std::max(known->second.endNs, range.endNs);
        }
    }
    const bool isKnown = core::hasKnownIterations(info.tracks, info.iterations);
    std::vector<TimelineIteration> marks;
    for (const auto &[index, range] : byIndex) {
        const QString name = !isKnown ? QCoreApplication::translate("Timeline", "whole recording")
            : counted.contains(index)
            ? QCoreApplication::translate("Timeline", "iteration %1").arg(index)
            : QCoreApplication::translate("Timeline", "iteration %1, left out").arg(index);
        const QString number
            = counted.contains(index) ? QStringLiteral("%1") : QStringLiteral("(%1)");
        marks.push_back({ name, range, isKnown ? number.arg(index) : QString(),
                          isKnown ? std::optional(index) : std::nullopt });
    }
    std::ranges::sort(marks, {}, [](const TimelineIteration &mark) { return mark.range.startNs; });
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        marks[i].range.endNs = std::min(marks[i].range.endNs, marks[i + 1].range.startNs);
    }
    return marks;
}

} // namespace ui
