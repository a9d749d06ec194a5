#include "core/predict/memory_curve.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    constexpr std::int64_t MostBytes = std::numeric_limits<std::int64_t>::max();

    MemoryCurve curveOf(const std::vector<MemoryEvent> &events, std::int64_t levelBytes,
                        const Trace &trace, WorkerId worker)
    {
        MemoryCurve curve;
        curve.device = events.front().device;
        curve.steps.reserve(events.size());
        for (const MemoryEvent &event : events) {
            levelBytes = cappedSum(levelBytes, event.deltaBytes);
            const UseStep step { trace.toAligned(worker, event.timeNs),
                                 static_cast<double>(std::max<std::int64_t>(0, levelBytes)) };
            if (curve.steps.empty() || step.value > curve.peak.value)
                curve.peak = step;
            if (!curve.steps.empty() && curve.steps.back().startNs >= step.startNs)
                curve.steps.back().value = step.value;
            else
                curve.steps.push_back(step);
        }
        return curve;
    }

} // namespace

std::int64_t cappedSum(std::int64_t a, std::int64_t b)
{
    std::int64_t sum = 0;
    return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? -MostBytes : MostBytes) : sum;
}

std::optional<std::int64_t> allocatedBefore(const std::vector<MemoryEvent> &events)
{
    std::int64_t change = 0;
    for (const MemoryEvent &event : events) {
        change = std::max(-MostBytes, cappedSum(change, event.deltaBytes));
        if (event.allocatedBytes > 0)
            return cappedSum(static_cast<std::int64_t>(
                                 std::min(event.allocatedBytes, std::uint64_t { MostBytes })),
                             -change);
    }
    return std::nullopt;
}

std::vector<MemoryCurve> memoryCurves(const std::vector<MemoryEvent> &events, const Trace &trace,
                                      WorkerId worker)
{
    std::map<std::optional<int>, std::vector<MemoryEvent>> byDevice;
    for (const MemoryEvent &event : events)
        byDevice[event.device].push_back(event);
    if (byDevice.size() > 1)
        byDevice.erase(std::nullopt); // the host of accelerators
    std::vector<MemoryCurve> curves;
    for (const auto &[device, own] : byDevice)
        if (const std::optional<std::int64_t> before = allocatedBefore(own))
            curves.push_back(curveOf(own, *before, trace, worker));
    return curves;
}

} // namespace core
