#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/measure/framework.h"
#include "core/measure/part_times.h"
#include "core/model/trace.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string_view>
#include <vector>

namespace core {

/// A typical time of a run, and how far the same time of another run of this job may lie from it
/// (95 %), both in ns.
struct RunTime
{
    std::int64_t ns = 0;
    /// The root of the summed squares of IterationSpread's reaches: of one more iteration, as other
    /// runs differ by about as much as iterations of one run do, and of the median.
    double downNs = 0, upNs = 0;
};

/// A part of an iteration that runs are compared by.
struct RunPart
{
    std::int64_t PartTimes::*ns;
    std::string_view key; ///< of JSON: "exposed_comm"
    std::string_view title; ///< "exposed communication"
};

inline constexpr std::array<RunPart, 5> RunParts
    = { { { &PartTimes::computeNs, "compute", "compute" },
          { &PartTimes::exposedCommNs, "exposed_comm", "exposed communication" },
          { &PartTimes::memOnlyNs, "mem_only", "copies" },
          { &PartTimes::idleNs, "idle", "idle" },
          { &PartTimes::overlapNs, "overlap", "overlap (a part of compute)" } } };

/// A recorded run, as far as runs are compared.
struct MeasuredRun
{
    Framework framework = Framework::Unknown;
    int ranks = 0; ///< of the job; where no trace states it, those that are recorded
    /// Bytes of each gradient, in the order in which they become ready; empty: the trace does not
    /// show DDP's reduction.
    std::vector<std::uint64_t> tensorBytes;
    std::vector<std::size_t> buckets; ///< how many of these tensors DDP reduces together
    double sentShare = 1; ///< bytes that all-reduces carry, by those of the gradients
    /// Compared iterations of each rank; 0: nothing tells iterations apart.
    std::size_t iterationCount = 0;
    RunTime iteration; ///< median, of the slowest rank
    PartTimes parts; ///< mean over ranks and iterations, as `replay` prints them
    std::array<RunTime, RunParts.size()> partTimes; ///< the same with their spread, by RunParts
};

/// Spreads are 0 of fewer than two iterations. Throws Error where no iteration is there that every
/// rank recorded, or the traces are of several jobs; Cancelled.
MeasuredRun measuredRun(const Trace &trace, const Graph &graph, const JobControl &control);
/// The same of a project's trace; an Error names the project file.
MeasuredRun measuredRunOf(const std::filesystem::path &project, const Trace &trace,
                          const Graph &graph, const JobControl &control);

/// Bytes of the gradients of each bucket.
std::vector<std::uint64_t> bucketBytes(const std::vector<std::uint64_t> &tensorBytes,
                                       const std::vector<std::size_t> &buckets);

} // namespace core
