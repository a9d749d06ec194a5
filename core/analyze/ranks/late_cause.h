#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/report/collective_report.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// What a rank that others wait for does longer than they, per iteration.
struct LateCause
{
    WorkBesideOthers work; ///< of one kind
    std::optional<OpTypeSlowdown> largest; ///< of that kind: where the largest difference is
    std::optional<OpTypeSlowdown> next; ///< the next, where it is half of that or more
    std::string others; ///< othersOf()
    std::int64_t lateNs = 0; ///< what is to be explained; see latenessToExplainNs()
    bool isAccelerated = false; ///< its ops are those of accelerators and of their host
    bool isWithoutOverlap = false; ///< see StragglerReport
    bool isMost = false; ///< the difference is half of lateNs or more

    /// Is most of the lateness at one place?
    bool isAtLargest() const { return largest && 2 * largest->excessNs() >= lateNs; }
};

/// How long others wait for a rank while it is the only one missing and computation does not hide
/// it.
struct ExposedLateness
{
    std::int64_t ns = 0; ///< per iteration, of the rank that waits longest so
    int rank = 0; ///< that one
};

/// Empty where it is not known of any rank.
std::optional<ExposedLateness> exposedLateness(const std::vector<RankDiagnosis> &ranks,
                                               int lateRank);

/// Per iteration: of how long others wait for the rank, what is exposed. Ranks that run ahead wait
/// in each of many collectives behind which they compute, so that all of it may be several times
/// what the rank is late by. Where less than 1 % of an iteration is exposed, or it is not known,
/// all of it.
std::int64_t latenessToExplainNs(const Diagnosis &diagnosis, const Lateness &late);

/// The largest first; behind it those that explain a tenth of the lateness or more. Empty where the
/// rank's recorded work exceeds the others' by less than 1 % of an iteration in every kind, or
/// where it is not recorded. Kinds are looked at one by one, since a rank that sleeps leaves the
/// cores to the others, so that less time in operations hides the sleep in a sum. `lateNs` and
/// `iterationNs`, that of a replayed one, are per iteration.
std::vector<LateCause> lateCauses(const StragglerReport &report, int lateRank, std::int64_t lateNs,
                                  std::int64_t iterationNs);
/// The same of latenessToExplainNs().
std::vector<LateCause> lateCauses(const Diagnosis &diagnosis, const Lateness &late);

/// "no operation runs on it between forward and backward for 50.88 ms (rank 0: 90.00 us)", "its
/// forward takes 40.00 ms and backward 35.00 ms (rank 0: 20.00 ms and 20.00 ms)": the shortest that
/// tells it, for headlines; how it is measured stands in longText().
std::string shortText(const LateCause &cause);

/// "no operation runs on it for 53.12 ms per iteration (rank 0: 2.900 ms). Most of the difference
/// is between forward and backward: 50.88 ms (rank 0: 90.00 us)".
std::string longText(const LateCause &cause, const IterationWords &words);

/// How sentences name the ranks that `rank` is compared with: "rank 0" where there is one other,
/// "the slower of the others" of two, "the median of the others"; see OthersMedian.
std::string othersOf(const StragglerReport &report, int rank);

} // namespace core
