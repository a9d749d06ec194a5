#include "core/align/step_windows.h"

#include "core/align/median.h"

#include <utility>

namespace core {

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
    return OffsetWindow { median(std::move(differencesNs)), median(std::move(durationsNs)) / 2 };
}

} // namespace core
