#include "core/import/xplane_steps.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MaximumSteps = 1'000'000;

} // namespace

void XPlaneSteps::addHostStep(std::int64_t number, TimeRange range)
{
    add(m_host, number, range);
}

void XPlaneSteps::addDeviceStep(std::int64_t number, TimeRange range)
{
    add(m_device, number, range);
}

void XPlaneSteps::add(Steps &steps, std::int64_t number, TimeRange range)
{
    const auto known = steps.find(number);
    if (known != steps.end()) {
        known->second.startNs = std::min(known->second.startNs, range.startNs);
        known->second.endNs = std::max(known->second.endNs, range.endNs);
    } else if (steps.size() < MaximumSteps) {
        steps.emplace(number, range);
    }
}

void XPlaneSteps::give(TraceSink &sink, WorkerId worker) const
{
    const Steps &steps = m_host.empty() ? m_device : m_host;
    std::vector<std::pair<std::int64_t, TimeRange>> ordered(steps.begin(), steps.end());
    std::stable_sort(ordered.begin(), ordered.end(), [](const auto &a, const auto &b) {
        return a.second.startNs < b.second.startNs;
    });
    const TimeRange *previous = nullptr;
    for (auto &[number, range] : ordered) {
        if (previous != nullptr)
            range.startNs = std::max(range.startNs, previous->endNs);
        if (range.endNs <= range.startNs)
            continue;
        sink.iteration(worker, number, range);
        previous = &range;
    }
}

} // namespace core
