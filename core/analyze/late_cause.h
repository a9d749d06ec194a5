#pragma once

#include "core/analyze/collective_report.h"
#include "core/analyze/diagnosis.h"
#include "core/analyze/iteration_words.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// What a rank that others wait for does longer than they, per iteration.
struct LateCause
{
    WorkBesideOthers work; ///< of one kind
    std::optional<OpTypeSlowdown> largest; ///< of that kind: where the largest difference is
    std::string others; ///< othersOf()
    std::int64_t lateNs = 0; ///< for how long the rank was the only one missing
    bool isAccelerated = false; ///< its ops are those of accelerators and of their host
    bool isMost = false; ///< the difference is half of lateNs or more

    /// Is most of the lateness at one place?
    bool isAtLargest() const { return largest && 2 * largest->excessNs() >= lateNs; }
};

/// The largest first; behind it those that explain a tenth of the lateness or more. Empty where the
/// rank's recorded work exceeds the others' by less than 1 % of an iteration in every kind, or
/// where it is not recorded. Kinds are looked at one by one, since a rank that sleeps leaves the
/// cores to the others, so that less time in operations hides the sleep in a sum. `iterationNs` is
/// of a replayed iteration, `iterations` how many there are.
std::vector<LateCause> lateCauses(const StragglerReport &report, const Lateness &late,
                                  std::int64_t iterations, std::int64_t iterationNs);

/// "no operation runs on it between forward and backward for 50.88 ms (rank 0: 90.00 us)": the
/// shortest that tells it.
std::string shortText(const LateCause &cause);

/// "no operation runs on it for 53.12 ms per iteration (rank 0: 2.900 ms), most of the difference
/// between forward and backward: 50.88 ms (rank 0: 90.00 us)".
std::string longText(const LateCause &cause, const IterationWords &words);

/// How sentences name the ranks that `rank` is compared with: "rank 0" where there is one other,
/// "the median of the others".
std::string othersOf(const StragglerReport &report, int rank);

} // namespace core
