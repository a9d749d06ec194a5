#pragma once

#include "core/model/trace.h"

#include <algorithm>
#include <vector>

namespace core {

/// Recorded by the reference's own clock, so that there is nothing to be unsure of.
inline bool isOneClock(const Alignment &clock)
{
    return clock.isKnown && clock.isAsRecorded && clock.uncertaintyNs == 0 && !clock.isReference;
}

/// A file of a rank that counts its times from another moment than the rank's other files.
struct FileClock
{
    WorkerId worker;
    FileId file;
    std::int64_t offsetNs = 0; ///< what is added to its times to be the rank's raw ones
    bool isMeasured = false; ///< by what both recorded; else their starts were put together

    bool operator==(const FileClock &) const = default;
};

/// Clocks that the user has set; how sure they are is not known.
using ClocksByHand = std::vector<Alignment>;

inline bool isByHand(const ClocksByHand &byHand, WorkerId worker)
{
    return std::any_of(byHand.begin(), byHand.end(),
                       [worker](const Alignment &clock) { return clock.worker == worker; });
}

} // namespace core
