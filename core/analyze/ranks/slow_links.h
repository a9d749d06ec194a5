#pragma once

#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Ranks whose own link is slower than the others'.
struct SlowLinks
{
    std::vector<int> ranks; ///< in ascending order; half of all at most
    double slowestMbit = 0; ///< of these
    double othersMbit = 0; ///< the median of all
    bool isOneOther = false; ///< of two ranks

    /// "Rank 2's link", "The links of ranks 1, 3".
    std::string subject() const;
    /// "the others'", "the other's".
    std::string others() const { return isOneOther ? "the other's" : "the others'"; }
    /// "200 instead of 500 Mbit/s", "down to 100 instead of 500 Mbit/s".
    std::string rates() const;
};

/// As the bundle's meta.json states the ranks' links (StatedJob::linkMbit); without ranks where it
/// does not, or where they are alike. The trace alone does not tell: a collective is as fast as its
/// slowest link, whosever that is.
SlowLinks slowLinks(const Trace &trace);

} // namespace core
