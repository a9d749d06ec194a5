#pragma once

#include "core/base/saturated_time.h"
#include "core/model/trace.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

namespace core {

/// Recorded by the reference's own clock, so that there is nothing to be unsure of.
inline bool isOneClock(const Alignment &clock)
{
    return clock.isKnown && clock.isAsRecorded && clock.uncertaintyNs == 0 && !clock.isReference;
}

/// A file of a rank that counts its times from another moment, or at another rate, than the rank's
/// other files.
struct FileClock
{
    WorkerId worker;
    FileId file;
    std::int64_t offsetNs = 0; ///< what is added to its times to be the rank's raw ones
    bool isMeasured = false; ///< by what both recorded; else their starts were put together
    /// What is added on top, in 1e-6 of the time since driftFromNs (of the file); absent: not
    /// known.
    std::optional<double> driftPpm = std::nullopt;
    std::int64_t driftFromNs = 0;

    bool operator==(const FileClock &) const = default;

    bool hasDrift() const { return driftPpm.value_or(0) != 0; }
    /// Never makes an earlier time the later one.
    std::int64_t addedNs(std::int64_t fileNs) const
    {
        if (!hasDrift())
            return offsetNs;
        const auto sinceNs = static_cast<double>(saturatedDifference(fileNs, driftFromNs));
        return saturatedSum(offsetNs, std::llround(*driftPpm * 1e-6 * sinceNs));
    }
};

/// Clocks that the user has set; how sure they are is not known.
using ClocksByHand = std::vector<Alignment>;

inline bool isByHand(const ClocksByHand &byHand, WorkerId worker)
{
    return std::any_of(byHand.begin(), byHand.end(),
                       [worker](const Alignment &clock) { return clock.worker == worker; });
}

} // namespace core
