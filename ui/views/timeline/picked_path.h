#pragma once

#include "core/analyze/diagnosis.h"
#include "core/analyze/report/path_segments.h"
#include "core/base/job_control.h"
#include "core/model/trace.h"
#include "ui/timeline_sources/diagnosis_marks.h"

#include <QString>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <vector>

namespace ui {

/// The critical path of one iteration, as a list and as marks of the timeline.
struct PickedPath
{
    std::size_t place = 0; ///< among the replayed iterations
    core::CriticalPathReport report;
    std::vector<core::PathSegment> segments; ///< those on the path first, then the nearly critical
    std::vector<core::TimeRange> shown; ///< by segment: where the timeline shows it, as measured
    std::shared_ptr<const DiagnosisMarks> marks;

    /// Part of the path's length.
    double shareOf(std::int64_t ns) const
    {
        return report.totalNs() > 0
            ? static_cast<double>(ns) / static_cast<double>(report.totalNs())
            : 0;
    }
};

/// Worker thread. The diagnosis has a replay of `trace`. Throws core::Error, core::Cancelled.
std::shared_ptr<const PickedPath> pickedPath(const core::Trace &trace,
                                             const core::Diagnosis &diagnosis, std::size_t place,
                                             const std::filesystem::path &project,
                                             const core::JobControl &control);

/// Name of CriticalOp::kind for people: "Transfer".
QString partTitle(const std::string &kind);

} // namespace ui
