#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/build/contradicted_matches.h"
#include "core/model/trace.h"

#include <functional>
#include <map>
#include <vector>

namespace core {

/// The collectives of `matched` (possibleCollectives()) by time: the true transfer begins when the
/// last rank has entered; what a rank spent in it before is waiting (dPRO §4.2, clipped receive).
std::vector<CollectiveReport> collectiveReports(const Trace &trace,
                                                const std::vector<MatchedCollective> &matched,
                                                const JobControl &control);

/// What one rank did to the others over a list of collectives.
struct Lateness
{
    int rank = 0;
    std::size_t timesLast = 0;
    std::int64_t lastByNs = 0; ///< how long it was the only rank that had not come yet, in one or
                               ///< more collectives
    std::size_t worst = 0; ///< index of the collective it came last to by most
    TimeRange worstRange; ///< aligned: from when the last but one came until it did
    std::int64_t waitNs = 0; ///< time for which this rank itself waited for others, in one or more
                             ///< collectives
};

/// How many are in compared iterations.
std::size_t comparedCount(const std::vector<CollectiveReport> &collectives);

/// By rank; every rank that takes part in a collective of a compared iteration. Others do not
/// count, so that sums over the number of compared iterations are means.
std::map<int, Lateness> latenessByRank(const std::vector<CollectiveReport> &collectives);
/// The same of those that `isMeant` names.
std::map<int, Lateness>
latenessByRank(const std::vector<CollectiveReport> &collectives,
               const std::function<bool(const CollectiveReport &)> &isMeant);

} // namespace core
