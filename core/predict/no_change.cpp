#include "core/predict/no_change.h"

#include "core/base/duration_text.h"
#include "core/change/setting_rank.h"
#include "core/measure/group_places.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <vector>

namespace core {

namespace {

    /// The settings of one kind that are set, and what is then so.
    struct Reason
    {
        bool isSet;
        std::string text;
    };

    std::string factorReason(const std::string &key, double factor)
    {
        return factor == 1 ? key + "=1 is the job as recorded"
                           : "nothing in the recording takes time that " + key + " changes";
    }

    /// Of bandwidth_mbit:RANK.
    std::string rateOfOneReason(const Graph &graph)
    {
        const bool hasCollective
            = std::any_of(graph.collectives.begin(), graph.collectives.end(),
                          [](const CollectiveNode &node) { return !node.isMessage; });
        return hasCollective
            ? "the slowest link of each collective's ranks stays as fast as it is"
            : "the slower of the two links that a message passes stays as fast as it is";
    }

    /// Of settings that are factors, and switches.
    std::vector<Reason> numberReasons(const ScenarioSettings &settings)
    {
        std::vector<Reason> reasons;
        const auto addFactor = [&reasons](const char *key, const std::optional<double> &factor) {
            reasons.push_back({ factor.has_value(), factorReason(key, factor.value_or(1)) });
        };
        addFactor("bandwidth_scale", settings.bandwidthScale);
        addFactor("compute_scale", settings.computeScale);
        for (const auto &[rank, factor] : settings.computeScaleOf)
            addFactor(("compute_scale:" + std::to_string(rank)).c_str(), factor);
        addFactor("batch_scale", settings.batchScale);
        addFactor("host_overhead_scale", settings.hostOverheadScale);
        addFactor("comm_scale", settings.commScale);
        for (const auto &[ranks, factor] : settings.commScaleOf)
            addFactor(("comm_scale:" + settingRanksText(ranks)).c_str(), factor);
        addFactor("input_scale", settings.inputScale);
        reasons.push_back({ settings.idealPeers.has_value(),
                            settings.idealPeers == 0.0 ? "ideal_peers=0 is the job as recorded"
                                                       : "its ranks are equally fast already" });
        reasons.push_back({ settings.idealPipeline.has_value(),
                            settings.idealPipeline == 0.0
                                ? "ideal_pipeline=0 is the job as recorded"
                                : "no rank waits for a message" });
        reasons.push_back({ settings.expand.has_value(),
                            settings.expand == 0.0 ? "expand=0 is the job as recorded"
                                                   : "no collective of it is shown in chunks" });
        return reasons;
    }

    /// A hierarchy without hosts is the ring that is replayed anyway.
    std::string collectiveReason(const ScenarioSettings &settings, const Graph &graph,
                                 const Trace &trace)
    {
        const bool areHostsMeant = settings.collective
            && settings.collective->algorithm == CollectiveAlgorithm::Hierarchical;
        const bool areHostsKnown = std::any_of(
            graph.collectives.begin(), graph.collectives.end(), [&trace](const auto &node) {
                return node.name == "all_reduce" && ranksOfHost(node, trace);
            });
        return areHostsMeant && !areHostsKnown
            ? "the trace does not tell which ranks share a host, so collective=hierarchical is "
              "predicted as a ring of all ranks, as its collectives are already taken to run"
            : "its collectives are already taken to run so";
    }

    /// [device]: for how long the critical path is on it, with the delays there.
    std::map<DeviceId, std::int64_t> pathTimes(const ScenarioResult &result, std::int64_t beginNs)
    {
        std::map<DeviceId, std::int64_t> times;
        for (const OpId op : result.criticalPath) {
            const std::int64_t endNs = result.replay->endNs[op.value];
            times[result.graph->device[op.value]] += std::max<std::int64_t>(0, endNs - beginNs);
            beginNs = std::max(beginNs, endNs);
        }
        return times;
    }

} // namespace

std::optional<std::string> noEffectText(const Trace &trace, const ScenarioResult &result)
{
    constexpr double Shown = 0.0005; // less is "<0.1 %"
    const double unchangedNs
        = static_cast<double>(result.measuredNs) * (1 + result.replayErrorFraction);
    const double movedNs = std::abs(static_cast<double>(result.predictedNs) - unchangedNs);
    const bool isExpanded = result.settings.expand.value_or(0) != 0; // it is there to show
    if (result.settings.isEmpty() || result.noChange || result.criticalPath.empty()
        || movedNs >= Shown * unchangedNs)
        return {};
    if (isExpanded)
        return result.settings.list().size() == 1 ? std::optional<std::string>(
                   "Changes what is shown, not how long it takes: collectives "
                   "chunk by chunk.")
                                                  : std::nullopt;
    const OpId last = result.criticalPath.back();
    std::int64_t wholeNs = 0;
    for (const ReplayedIterations &own : result.iterations)
        wholeNs = std::max(wholeNs, own.periodNs[result.typicalIteration]);
    const auto times = pathTimes(result, result.replay->endNs[last.value] - wholeNs);
    const auto longest
        = std::max_element(times.begin(), times.end(),
                           [](const auto &a, const auto &b) { return a.second < b.second; });
    const Device &device = result.graph->devices[longest->first.value];
    const std::string whose = device.isLink || device.worker.value >= trace.workers.size()
        ? std::string()
        : " of rank " + std::to_string(trace.workers[device.worker.value].rank);
    return "Hardly moves the iteration: for " + durationText(longest->second) + " of its "
        + durationText(wholeNs) + " the critical path is on '" + device.name + "'" + whose
        + ", and what this changes is mostly beside it or takes the place of waiting.";
}

std::string noChangeText(const ScenarioSettings &settings, const Graph &graph, const Trace &trace)
{
    std::vector<Reason> reasons {
        { settings.bucketCapMb || settings.firstBucketMb, "the job already has these buckets" },
        { settings.fusionThresholdBytes || settings.cycleTimeMs,
          "the job already fuses its tensors so" },
        { settings.schedule.has_value(), "the job already sends its gradients in this order" },
        { settings.partitionBytes.has_value(), "the job already sends slices of this size" },
        { settings.creditBytes.has_value(), "as many of its slices are already under way at once" },
        { settings.bandwidthMbit.has_value(), "its links already have this bandwidth" },
        { !settings.bandwidthMbitOf.empty(), rateOfOneReason(graph) },
        { settings.latencyUs.has_value(), "its links already have this latency" },
        { settings.worldSize.has_value(), "the job already has so many ranks" },
        { settings.collective.has_value(), collectiveReason(settings, graph, trace) },
    };
    for (Reason &reason : numberReasons(settings))
        reasons.push_back(std::move(reason));
    std::string text;
    for (const Reason &reason : reasons)
        if (reason.isSet)
            text += (text.empty() ? "" : "; ") + reason.text;
    return "Changes nothing: " + text + ".";
}

} // namespace core
