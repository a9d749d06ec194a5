#pragma once

#include "core/base/job_control.h"
#include "core/model/ids.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace core {

/// One rank's part of a collective that was matched across ranks. No file stores it.
struct CollectiveTime
{
    SliceId slice = {};
    std::int64_t waitNs = 0; ///< from its own start until the last rank came
    std::int64_t transferNs = 0; ///< from then to its end
    std::string group;
    std::uint64_t sequence = 0; ///< order on the group, by which ranks are matched
    int lastRank = 0; ///< the rank that came last
};

/// Computes them from a project; takes as long as an analysis. Throws Error, Cancelled.
using CollectiveTimesSource = std::function<std::vector<CollectiveTime>(const JobControl &)>;

/// The rows of the SQL table `collective_time`: computed when a query first reads them, then kept.
class CollectiveTimes
{
public:
    explicit CollectiveTimes(CollectiveTimesSource source);

    bool isComputed() const { return m_isComputed; }
    void compute(const JobControl &control);
    /// Sorted by slice, each once.
    const std::vector<CollectiveTime> &rows() const { return m_rows; }

    // Set by the running query; null: none runs.
    const JobControl *queryControl = nullptr;
    /// The query has given no row yet: it can end, let them be computed while it reads nothing, and
    /// run anew. Else they are computed within it.
    bool mayPutOff = false;
    bool isAwaited = false; ///< why it ended

private:
    CollectiveTimesSource m_source;
    std::vector<CollectiveTime> m_rows;
    bool m_isComputed = false;
};

} // namespace core
