#pragma once

#include "core/base/job_control.h"
#include "core/change/compute_scale.h"
#include "core/change/settings.h"
#include "core/fit/contention/core_sharing.h"
#include "core/fit/contention/overlap_reading.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// How the time of the ranks' own work changes.
struct WorkModels
{
    BatchModel batch; ///< with the batch
    std::shared_ptr<const CoreSharing>
        cores; ///< with the ranks, and what each of them does; null: not at all
    /// For intervals: with the transfers that it overlaps; null: as estimated.
    std::shared_ptr<const std::vector<OverlapReading>> overlap;
    /// With the processor's speed.
    std::shared_ptr<const MemoryShares> memory = {};
    ComputeReading compute = ComputeReading::Likely;
};

/// `base` rewritten by the settings, in a fixed order: buckets or slices, the ranks' own work, then
/// transfers, and last chunks. With empty settings `base` itself. Throws Error when the trace does
/// not support a setting; Cancelled.
std::shared_ptr<const Graph> rewritten(const Trace &trace, std::shared_ptr<const Graph> base,
                                       const LinkModels &links, const WorkModels &work,
                                       const ScenarioSettings &settings, const JobControl &control);

/// Why the host's time, the ranks' differences, the transfers' time or the input's cannot be
/// changed, or collectives not be shown chunk by chunk; empty if they can.
std::optional<std::string> hostObstacle(const Graph &graph);
std::optional<std::string> peersObstacle(const Graph &graph);
std::optional<std::string> commObstacle(const Graph &graph);
std::optional<std::string> inputObstacle(const Graph &graph);
std::optional<std::string> expandObstacle(const Graph &graph);

} // namespace core
