#pragma once

#include "core/model/trace.h"

#include <vector>

namespace ui {

/// A worker's raw clock and the aligned one, both ways.
class ClockMap
{
public:
    explicit ClockMap(const core::AlignmentReport &report)
        : m_workers(report.workers)
    {
    }

    std::int64_t toAligned(core::WorkerId worker, std::int64_t rawNs) const;
    /// Exact to a nanosecond or two.
    std::int64_t toRaw(core::WorkerId worker, std::int64_t alignedNs) const;
    core::TimeRange toRaw(core::WorkerId worker, core::TimeRange aligned) const
    {
        return { toRaw(worker, aligned.startNs), toRaw(worker, aligned.endNs) };
    }

private:
    std::vector<core::Alignment> m_workers;
};

} // namespace ui
