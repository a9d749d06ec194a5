#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/project/read/project_reader.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline_sources/clock_map.h"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ui {

/// What a diagnosis adds to the measured timeline: where slices only waited, and the critical path.
struct DiagnosisMarks
{
    std::unordered_map<std::uint64_t, std::int64_t> waitNs; ///< by SliceId
    std::vector<std::uint64_t> criticalPath; ///< SliceIds in the path's order
    /// The slices of the critical path that the project has, by SliceId.
    std::unordered_map<std::uint64_t, std::pair<core::TrackId, TimelineBox>> steps;
};

/// Reads every slice of the critical path, which takes long enough to be felt: for a worker
/// thread. Throws core::Error.
std::shared_ptr<const DiagnosisMarks> marksOf(const core::Diagnosis &diagnosis,
                                              const std::filesystem::path &project,
                                              const core::JobControl &control);

/// The same with another path of the diagnosis' replay.
std::shared_ptr<const DiagnosisMarks> marksOf(const core::Diagnosis &diagnosis,
                                              const std::vector<core::OpId> &criticalPath,
                                              const std::filesystem::path &project,
                                              const core::JobControl &control);

/// The box of a slice at aligned times, without what it waited.
TimelineBox boxOf(const core::SliceInfo &slice, const ClockMap &clocks);

/// Slices that stand for the ops of a graph's critical path, in its order and without repetition.
/// A transfer stands for the part of the rank that came last.
std::vector<std::uint64_t> slicesOf(const core::Graph &graph,
                                    const std::vector<core::OpId> &criticalPath);

} // namespace ui
