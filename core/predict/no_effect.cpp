#include "core/predict/no_effect.h"

#include "core/base/duration_text.h"
#include "core/change/change_list.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace core {

namespace {

    /// [device]: for how long the critical path is on it, with the delays there.
    std::map<DeviceId, std::int64_t> pathTimes(const Prediction &result, std::int64_t beginNs)
    {
        std::map<DeviceId, std::int64_t> times;
        for (const OpId op : result.criticalPath) {
            const std::int64_t endNs = result.replay->endNs[op.value];
            times[result.graph->device[op.value]] += std::max<std::int64_t>(0, endNs - beginNs);
            beginNs = std::max(beginNs, endNs);
        }
        return times;
    }

} // namespace

std::optional<std::string> noEffectText(const Trace &trace, const Prediction &result)
{
    constexpr double Shown = 0.0005; // less is "<0.1 %"
    const double unchangedNs
        = static_cast<double>(result.measuredNs) * (1 + result.replayErrorFraction);
    const double movedNs = std::abs(static_cast<double>(result.predictedNs) - unchangedNs);
    const bool isExpanded = hasEffect(result.strategy, effect::Shown); // it is there to show
    if (result.strategy.isEmpty() || result.noChange || result.criticalPath.empty()
        || movedNs >= Shown * unchangedNs)
        return {};
    if (isExpanded)
        return result.strategy.changes.size() == 1 ? std::optional<std::string>(
                   "Changes what is shown, not how long it takes: collectives "
                   "chunk by chunk.")
                                                   : std::nullopt;
    const OpId last = result.criticalPath.back();
    std::int64_t wholeNs = 0;
    for (const ReplayedIterations &own : result.iterations)
        wholeNs = std::max(wholeNs, own.periodNs[result.typicalIteration]);
    const auto times = pathTimes(result, result.replay->endNs[last.value] - wholeNs);
    const auto longest
        = std::max_element(times.begin(), times.end(),
                           [](const auto &a, const auto &b) { return a.second < b.second; });
    const Device &device = result.graph->devices[longest->first.value];
    const std::string whose = device.isLink || device.worker.value >= trace.workers.size()
        ? std::string()
        : " of rank " + std::to_string(trace.workers[device.worker.value].rank);
    std::string text = "No effect: ";
    text += percentText(static_cast<double>(longest->second)
                        / static_cast<double>(std::max<std::int64_t>(1, wholeNs)));
    text += " of the critical path is on '" + device.name + "'" + whose;
    return text + ".";
}

} // namespace core
