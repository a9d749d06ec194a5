#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Why settings cannot be predicted on a trace, for people; empty where they can.
struct SettingObstacles
{
    std::optional<std::string> buckets; ///< of bucketCapMb and firstBucketMb
    std::optional<std::string> fusion; ///< of fusionThresholdBytes and cycleTimeMs
    std::optional<std::string> schedule; ///< of schedule, partitionBytes and creditBytes
    std::optional<std::string>
        bandwidth; ///< of bandwidthMbit, of all and of one, and bandwidthScale
    std::optional<std::string> latency, worldSize, collective; ///< of these three
    std::optional<std::string> hostOverhead, idealPeers, idealPipeline;
    std::optional<std::string> comm, input; ///< of commScale and inputScale
    std::optional<std::string> expand;
};

/// What runScenario() would refuse: `graph` is as measured or replayed unchanged, `links` are those
/// of any of its results.
SettingObstacles settingObstacles(const Graph &graph, const std::vector<LinkModel> &links);

/// Rewrites the graph by the settings and replays it. Throws Error when the trace does not support
/// a setting (no DDP buckets found, no transfer to fit a link from), saying why.
ScenarioResult runScenario(const Trace &trace, std::shared_ptr<const Graph> measured,
                           const ScenarioSettings &settings, const JobControl &control);

} // namespace core
