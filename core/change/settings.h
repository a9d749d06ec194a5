#pragma once

#include "core/change/schedule.h"
#include "core/graph/collectives/collective_algorithm.h"

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace core {

/// The algorithm of all-reduces.
struct CollectiveChoice
{
    CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring;
    int servers = 1; ///< of ParameterServer
    friend bool operator==(const CollectiveChoice &, const CollectiveChoice &) = default;
};

/// What-if settings (keys of `longpole replay --set`); an absent field leaves things as measured.
struct ScenarioSettings
{
    std::optional<double> bucketCapMb; ///< MiB, as PyTorch DDP's bucket_cap_mb
    std::optional<double> firstBucketMb; ///< MiB; DDP's default is 1
    std::optional<double> fusionThresholdBytes; ///< of Horovod's fusion buffer
    std::optional<double> cycleTimeMs; ///< of Horovod's background thread
    std::optional<Schedule> schedule;
    /// Of a slice, and of slices under way at once: with schedule fifo or p3, or of a job that
    /// sends slices already (see withRecordedSlices()).
    std::optional<double> partitionBytes, creditBytes;
    std::optional<double> bandwidthMbit; ///< nominal rate of every inter-worker link, Mbit/s
    std::optional<double> bandwidthScale; ///< factor on the measured rate; 2 is twice as fast
    std::map<int, double> bandwidthMbitOf; ///< by rank: nominal rate of this rank's link, Mbit/s
    std::optional<double> latencyUs; ///< of one step between two ranks
    std::optional<double> worldSize; ///< ranks
    std::optional<CollectiveChoice> collective;
    std::optional<double> computeScale; ///< factor on the time of compute; 2 is twice as slow
    std::map<int, double> computeScaleOf; ///< by rank, instead of computeScale
    std::optional<double> batchScale; ///< factor on samples of each rank and iteration
    std::optional<double> hostOverheadScale; ///< factor on launching and host code
    std::optional<double> commScale; ///< factor on the time of transfers; 0: they take no time
    /// By ranks, ascending, two or more: of transfers between just these, instead of commScale.
    std::map<std::vector<int>, double> commScaleOf;
    std::optional<double> inputScale; ///< factor on loading the input; 0: it is always there
    std::optional<double> idealPeers; ///< 1: every rank as fast as the median one
    std::optional<double> idealPipeline; ///< 1: no stage waits for another; see withIdealPipeline()
    /// 1: collectives are replayed chunk by chunk on each rank's link; see withChunks().
    std::optional<double> expand;

    bool isEmpty() const { return list().empty(); }
    /// ("bucket_cap_mb", "5"): what was set, for reports.
    std::vector<std::pair<std::string, std::string>> list() const;
    friend bool operator==(const ScenarioSettings &, const ScenarioSettings &) = default;
};

/// The keys with their units, for help texts.
std::string settingKeys();

/// Parses "KEY=VALUE" words; throws UsageError naming the word, the allowed keys and ranges.
ScenarioSettings parseSettings(const std::vector<std::string> &words);

} // namespace core
