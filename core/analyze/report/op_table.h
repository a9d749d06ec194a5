#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/model/kinds/op_kind.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Which slices count: those that begin in the iteration, and are the rank's. Empty: all.
struct OpTableFilter
{
    std::optional<int> rank;
    std::optional<std::int64_t> iteration; ///< Iteration::index

    bool operator==(const OpTableFilter &) const = default;
};

/// All operations of one name and kind, and of one list of input shapes where these are told
/// apart; times in ns as recorded.
struct OpTableRow
{
    std::string name;
    std::string shapes; ///< shapesText(); empty: not recorded, or not told apart
    OpTableKind kind = OpTableKind::FrameworkOp;
    std::size_t count = 0, ranks = 0;
    /// Without what they call on the same thread, the sum.
    std::int64_t ownNs = 0;
    double share = 0; ///< of the own time of all operations of the kind
    // A single call, with what it calls.
    std::int64_t medianNs = 0, p95Ns = 0, longestNs = 0;
    SliceId longest = NoSlice;
    /// Median over collectives, bytes/ns (GB/s), of the transfer alone: waiting for the last rank
    /// does not count. As nccl-tests counts it (doc/PERFORMANCE.md): bus = what a ring sends over
    /// each rank's link; algorithm = bus by 2(n-1)/n (all-reduce), (n-1)/n (all-gather,
    /// reduce-scatter, all-to-all), 1 (others). Empty where no size is recorded.
    std::optional<double> algorithmGBs, busGBs;
};

/// "[256, 3072], [], [10]"; arguments without a shape at the end are left out.
std::string shapesText(const Shapes &shapes);

/// The whole trace by name and kind, longest own time first. `collectives`: collectiveReports() of
/// the trace. `shapes`: of its framework ops, which are then told apart by them; may be null.
/// Throws Cancelled.
std::vector<OpTableRow> opTable(const Trace &trace,
                                const std::vector<CollectiveReport> &collectives,
                                const OpTableFilter &filter, const JobControl &control,
                                const OpShapes *shapes = nullptr);

} // namespace core
