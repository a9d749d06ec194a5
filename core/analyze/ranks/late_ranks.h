#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/report/collective_report.h"
#include "core/model/trace.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// Others are seen to wait for the rank: for 1 % of an iteration or more, and each time for longer
/// than the clocks are known to agree to.
bool isSeenLate(const Trace &trace, const Lateness &late, std::int64_t iterations,
                std::int64_t iterationNs);

/// The ranks that others are seen to wait for, by how long they were the only one missing. All of
/// them: whether it gains anything if they come earlier is another question, see findStraggler().
std::vector<Lateness> lateRanks(const Trace &trace, const Diagnosis &diagnosis);

/// "Others wait for rank 3"; "Rank 0 waits for rank 1" where there are but these.
std::string waitersText(const Trace &trace, int lateRank);

/// "Equal ranks would not help: the replay predicts 176.9 ms instead of 163.0 ms.", and where the
/// late rank is faster than the others. Empty unless the replay predicts that ideal_peers costs 1 %
/// of an iteration or more.
std::string equalRanksText(const Diagnosis &diagnosis, int lateRank);

/// ", 49.55 ms of it hidden by computation or transfers": what of the waiting for the rank costs
/// nothing, per iteration, on the rank where that is least. Empty where it is less than 1 % of one,
/// or not known.
std::string hiddenText(const Diagnosis &diagnosis, const Lateness &late);

/// Sentences on lateRanks(): who they are, what makes them late (lateCauses()), and, where no
/// bottleneck tells of it, why it gains nothing if they come earlier. Where there are none: by how
/// much one would have to be late to be seen, if that is not little.
std::vector<std::string> lateRankLines(const Trace &trace, const Diagnosis &diagnosis,
                                       const IterationWords &words);

} // namespace core
