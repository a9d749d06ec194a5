#include "ui/views/compare/iteration_pair.h"

#include <QCoreApplication>

#include <algorithm>
#include <limits>

namespace ui {

std::vector<TimelineIteration> replayIterations(const core::ScenarioResult &result,
                                                const std::vector<TimelineIteration> &measured)
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
        marks.push_back({ measured.size() == count
                              ? measured[i].label
                              : QCoreApplication::translate("Timeline", "iteration %1").arg(i),
                          { result.timeOriginNs + start, result.timeOriginNs + end } });
    }
    for (std::size_t i = 0; i + 1 < marks.size(); ++i) {
        marks[i].range.endNs = std::min(marks[i].range.endNs, marks[i + 1].range.startNs);
    }
    return marks;
}

} // namespace ui
