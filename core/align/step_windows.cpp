#include "core/align/step_windows.h"

#include <algorithm>
#include <cstddef>

namespace core {

namespace {

    std::int64_t median(std::vector<std::int64_t> values)
    {
        const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
        std::nth_element(values.begin(), middle, values.end());
        return *middle;
    }

} // namespace

std::optional<OffsetWindow> StepWindows::between(WorkerId reference, WorkerId other) const
{
    const StepMarks &theirs = m_steps[reference.value];
    std::vector<std::int64_t> differencesNs, durationsNs;
    for (const auto &[number, range] : m_steps[other.value]) {
        const auto same = theirs.find(number);
        if (same == theirs.end())
            continue;
        differencesNs.push_back(range.startNs - same->second.startNs);
        durationsNs.push_back(same->second.durationNs());
    }
    if (differencesNs.empty())
        return std::nullopt;
    return OffsetWindow { median(differencesNs), median(durationsNs) / 2 };
}

} // namespace core
