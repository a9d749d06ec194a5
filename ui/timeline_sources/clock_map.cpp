#include "ui/timeline_sources/clock_map.h"

namespace ui {

std::int64_t ClockMap::toAligned(core::WorkerId worker, std::int64_t rawNs) const
{
    return worker.value < m_workers.size() ? m_workers[worker.value].toAligned(rawNs) : rawNs;
}

std::int64_t ClockMap::toRaw(core::WorkerId worker, std::int64_t alignedNs) const
{
    if (worker.value >= m_workers.size()) {
        return alignedNs;
    }
    const core::Alignment &alignment = m_workers[worker.value];
    std::int64_t raw = alignedNs - alignment.offsetNs;
    raw -= alignment.toAligned(raw) - alignedNs;
    return raw - (alignment.toAligned(raw) - alignedNs); // what the first correction drifted
}

} // namespace ui
