#include "ui/views/compare/iteration_pair.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace ui {

std::vector<TimelineIteration> replayIterations(const core::Prediction &result,
                                                const std::vector<core::CommonIteration> &measured)
{
    std::vector<TimelineIteration> marks;
    const std::size_t count
        = result.iterations.empty() ? 0 : result.iterations.front().endNs.size();
    for (std::size_t i = 0; i < count; ++i) {
        std::int64_t start = i == 0 ? 0 : std::numeric_limits<std::int64_t>::max();
        std::int64_t end = 0;
        for (const core::ReplayedIterations &own : result.iterations) {
            if (i > 0) {
                start = std::min(start, own.endNs[i - 1]);
            }
            end = std::max(end, own.endNs[i]);
        }
        const auto number
            = measured.size() == count ? measured[i].index : static_cast<std::int64_t>(i);
        const QString name = result.hasIterations
            ? QCoreApplication::translate("Timeline", "iteration %1").arg(number)
            : QCoreApplication::translate("Timeline", "whole recording");
        const bool isCounted = result.counts(i);
        marks.push_back(
            { isCounted ? name : QCoreApplication::translate("Timeline", "%1, left out").arg(name),
              { result.timeOriginNs + start, result.timeOriginNs + end },
              !result.hasIterations ? QString()
                  : isCounted       ? QString::number(number)
                                    : QStringLiteral("(%1)").arg(number) });
    }
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        marks[i].range.endNs = std::min(marks[i].range.endNs, marks[i + 1].range.startNs);
    }
    return marks;
}

std::optional<std::size_t> sharedIteration(const core::Prediction &result,
                                           const std::vector<core::CommonIteration> &measured)
{
    if (result.iterations.empty() || result.iterations.front().periodNs.size() != measured.size())
        return std::nullopt;
    return result.typicalIteration;
}

} // namespace ui
