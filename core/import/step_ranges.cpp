#include "core/import/step_ranges.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace core {

void StepRanges::add(std::int64_t step, TimeRange range)
{
    const auto known = m_steps.find(step);
    if (known != m_steps.end()) {
        known->second.startNs = std::min(known->second.startNs, range.startNs);
        known->second.endNs = std::max(known->second.endNs, range.endNs);
    } else if (m_steps.size() < MostSteps) {
        m_steps.emplace(step, range);
    }
}

void StepRanges::deliver(TraceSink &sink, WorkerId worker) const
{
    for (auto step = m_steps.begin(); step != m_steps.end(); ++step) {
        const auto next = std::next(step);
        if (next != m_steps.end() && next->second.startNs <= step->second.startNs)
            return;
    }
    for (auto step = m_steps.begin(); step != m_steps.end(); ++step) {
        const auto next = std::next(step);
        const std::int64_t endNs
            = next == m_steps.end() ? step->second.endNs : next->second.startNs;
        sink.iteration(worker, step->first, { step->second.startNs, endNs });
    }
}

void StepRanges::deliverMarked(TraceSink &sink, WorkerId worker) const
{
    std::vector<std::pair<std::int64_t, TimeRange>> ordered(m_steps.begin(), m_steps.end());
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
