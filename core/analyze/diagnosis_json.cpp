#include "core/analyze/diagnosis_json.h"

#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/groups/process_group_text.h"
#include "core/predict/prediction_json.h"

#include <nlohmann/json.hpp>

namespace core {

namespace {

    using Json = nlohmann::ordered_json;

    Json itemJson(const DeviceBreakdown &device);
    Json itemJson(const IterationBreakdown &iteration);
    Json itemJson(const RankWait &wait);
    Json itemJson(const RankDiagnosis &rank);
    Json itemJson(const OperationTime &operation);
    Json itemJson(const CriticalOp &op);
    Json itemJson(const CriticalStage &stage);
    Json itemJson(const CriticalPathIteration &iteration);
    Json itemJson(const NearCriticalOp &op);
    Json itemJson(const NearCriticalIteration &iteration);
    Json itemJson(const CollectiveRankReport &part);
    Json itemJson(const CollectiveReport &collective);
    Json itemJson(const OpTypeSlowdown &op);
    Json itemJson(const WorkBesideOthers &work);
    Json itemJson(const HostGap &gap);
    Json itemJson(const KindOperation &operation);
    Json itemJson(const KindReport &report);
    Json itemJson(const RankSlowdown &rank);
    Json itemJson(const Bottleneck &bottleneck);

    template <class List>
    Json arrayOf(const List &list)
    {
        Json array = Json::array();
        for (const auto &item : list)
            array.push_back(itemJson(item));
        return array;
    }

    Json timeOrNull(const std::optional<std::int64_t> &ns)
    {
        return ns ? Json(*ns) : Json();
    }

    Json intervalOrNull(const std::optional<GainInterval> &interval)
    {
        return interval ? Json { interval->lowNs, interval->highNs } : Json();
    }

    void addParts(Json &json, const TimeBreakdown &time)
    {
        json["compute_ns"] = time.computeNs;
        json["comm_ns"] = time.commNs;
        json["overlap_ns"] = time.overlapNs;
        json["exposed_comm_ns"] = time.exposedCommNs;
        json["exposed_transfer_ns"] = timeOrNull(time.exposedTransferNs());
        json["exposed_wait_ns"] = timeOrNull(time.exposedWaitNs);
        json["mem_only_ns"] = time.memOnlyNs;
        json["idle_ns"] = time.idleNs;
    }

    Json itemJson(const DeviceBreakdown &device)
    {
        Json json { { "device", device.device }, { "window_ns", device.time.windowNs } };
        addParts(json, device.time);
        json["iteration_mean"] = { { "window_ns", device.iterationMean.windowNs } };
        addParts(json["iteration_mean"], device.iterationMean);
        return json;
    }

    Json itemJson(const IterationBreakdown &iteration)
    {
        Json json { { "index", iteration.index },
                    { "start_ns", iteration.range.startNs },
                    { "dur_ns", iteration.range.durationNs() },
                    { "compared", iteration.isCompared } };
        addParts(json, iteration.time);
        return json;
    }

    Json itemJson(const RankWait &wait)
    {
        return { { "rank", wait.rank }, { "ns", wait.ns }, { "alone_ns", wait.aloneNs } };
    }

    Json itemJson(const RankDiagnosis &rank)
    {
        return { { "rank", rank.rank },
                 { "devices", arrayOf(rank.devices) },
                 { "exposed_wait_for", arrayOf(rank.waits) },
                 { "iterations", arrayOf(rank.iterations) } };
    }

    Json itemJson(const OperationTime &operation)
    {
        return { { "name", operation.name },
                 { "kind", deviceWorkName(operation.kind) },
                 { "own_ns", operation.ns },
                 { "share", operation.share },
                 { "count", operation.count },
                 { "mean_ns", operation.meanNs },
                 { "deviation_ns", timeOrNull(operation.deviationNs) },
                 { "ranks", operation.ranks },
                 { "least_rank", operation.leastRank },
                 { "least_ns", operation.leastNs },
                 { "most_rank", operation.mostRank },
                 { "most_ns", operation.mostNs } };
    }

    Json itemJson(const CriticalOp &op)
    {
        return { { "name", op.name },        { "rank", op.rank },         { "device", op.device },
                 { "start_ns", op.startNs }, { "dur_ns", op.durationNs }, { "kind", op.kind } };
    }

    Json itemJson(const NearCriticalOp &op)
    {
        return { { "name", op.name },         { "rank", op.rank },
                 { "device", op.device },     { "start_ns", op.startNs },
                 { "dur_ns", op.durationNs }, { "mean_ns", op.meanNs },
                 { "kind", op.kind },         { "slack_ns", op.slackNs },
                 { "times", op.times },       { "iterations", op.iterations } };
    }

    Json itemJson(const NearCriticalIteration &iteration)
    {
        return { { "index", iteration.index },
                 { "count", iteration.count },
                 { "ops", arrayOf(iteration.ops) } };
    }

    Json itemJson(const CriticalStage &stage)
    {
        return { { "stage", stage.stage },
                 { "dur_ns", stage.durationNs },
                 { "longest_tensor", stage.tensor },
                 { "longest_rank", stage.rank },
                 { "longest_ns", stage.longestNs } };
    }

    Json itemJson(const CollectiveRankReport &part)
    {
        return { { "rank", part.rank },
                 { "start_ns", part.startNs },
                 { "end_ns", part.endNs },
                 { "wait_ns", part.waitNs },
                 { "transfer_ns", part.transferNs } };
    }

    Json itemJson(const CollectiveReport &collective)
    {
        Json json { { "name", collective.name },
                    { "group", collective.group },
                    { "seq", collective.sequence },
                    { "ranks", arrayOf(collective.ranks) },
                    { "last_rank", collective.lastRank },
                    { "late_ns", collective.lateNs },
                    { "bytes", collective.bytes },
                    { "compared", collective.isCompared },
                    { "blame", nullptr },
                    { "blame_unknown", nullptr } };
        if (!collective.unknownBlame.empty())
            json["blame_unknown"] = collective.unknownBlame;
        if (collective.blame)
            json["blame"] = { { "rank", collective.lastRank },
                              { "op", collective.blame->op },
                              { "device", collective.blame->device },
                              { "start_ns", collective.blame->startNs },
                              { "end_ns", collective.blame->endNs } };
        return json;
    }

    Json itemJson(const Bottleneck &bottleneck)
    {
        std::vector<std::string> evidence = bottleneck.evidence;
        if (!bottleneck.reason.empty())
            evidence.insert(evidence.begin(), bottleneck.reason);
        Json json = { { "title", bottleneck.title },
                      { "kind", bottleneck.kind },
                      { "evidence", evidence },
                      { "settings", strategyJson(bottleneck.strategy) },
                      { "predicted_ns", bottleneck.predictedNs },
                      { "gain_ns", bottleneck.gainNs },
                      { "gain_ci95_ns", intervalOrNull(bottleneck.gainInterval) },
                      { "gain_fraction", bottleneck.gainFraction },
                      { "is_bound", bottleneck.isBound },
                      { "advice", bottleneck.advice },
                      { "start_ns", bottleneck.range.startNs },
                      { "end_ns", bottleneck.range.endNs } };
        json["gain_ci95_unknown"] = nullptr;
        if (!bottleneck.unknownInterval.empty())
            json["gain_ci95_unknown"] = bottleneck.unknownInterval;
        return json;
    }

    Json itemJson(const OpTypeSlowdown &op)
    {
        return { { "name", op.name },
                 { "ns", op.ns },
                 { "median_ns", op.medianNs },
                 { "others_ns", op.othersNs } };
    }

    std::string_view kindName(WorkKind kind)
    {
        switch (kind) {
        case WorkKind::Device:
            return "device";
        case WorkKind::Host:
            return "host";
        case WorkKind::Gap:
            return "gaps";
        case WorkKind::Input:
            break;
        }
        return "input";
    }

    Json itemJson(const WorkBesideOthers &work)
    {
        return { { "kind", kindName(work.kind) },
                 { "ns", work.ns },
                 { "others_ns", work.othersNs },
                 { "rows", work.rows } };
    }

    Json itemJson(const RankSlowdown &rank)
    {
        return { { "rank", rank.rank },           { "own_work_ns", rank.ownWorkNs },
                 { "median_ns", rank.medianNs },  { "others_ns", rank.othersNs },
                 { "slowdown", rank.slowdown() }, { "kinds", arrayOf(rank.kinds) },
                 { "ops", arrayOf(rank.ops) } };
    }

    Json itemJson(const HostGap &gap)
    {
        return { { "rank", gap.rank },
                 { "before", gap.before },
                 { "behind", gap.behind },
                 { "mean_ns", gap.meanNs },
                 { "share", gap.share },
                 { "others_ns", timeOrNull(gap.othersNs) },
                 { "times", gap.times },
                 { "longest_start_ns", gap.longest.startNs },
                 { "longest_end_ns", gap.longest.endNs } };
    }

    Json iterationGroupsJson(const Diagnosis &diagnosis)
    {
        const std::optional<IterationGroups> &groups = diagnosis.iterationGroups;
        if (!groups)
            return nullptr;
        Json json { { "slower", groups->slower },
                    { "count", groups->count },
                    { "slower_ns", groups->slowerNs },
                    { "others_ns", groups->othersNs },
                    { "cause", nullptr } };
        if (const std::optional<SlowIterationsCause> &cause = diagnosis.slowIterationsCause)
            json["cause"] = { { "rank",
                                cause->isOfOneRank ? nlohmann::ordered_json(cause->rank)
                                                   : nlohmann::ordered_json() },
                              { "one_rank", cause->isOfOneRank },
                              { "late_ns", cause->lateNs },
                              { "why", cause->why } };
        return json;
    }

    Json itemJson(const KindOperation &operation)
    {
        return { { "name", operation.name },   { "ranks", operation.ranks },
                 { "times", operation.times }, { "usual_times", operation.usualTimes },
                 { "ns", operation.ns },       { "usual_ns", operation.usualNs } };
    }

    Json itemJson(const KindReport &report)
    {
        return { { "positions", report.kind.positions },
                 { "iterations", report.iterations },
                 { "count", report.iterations.size() },
                 { "median_ns", report.medianNs },
                 { "operations", arrayOf(report.kind.operations) } };
    }

    Json periodJson(const std::optional<PeriodReport> &period)
    {
        if (!period)
            return nullptr;
        return { { "length", period->length },
                 { "mean_ns", period->meanNs },
                 { "kinds", arrayOf(period->kinds) } };
    }

    Json stragglersJson(const Diagnosis &diagnosis)
    {
        const StragglerReport &report = diagnosis.stragglers;
        Json json { { "ranks", arrayOf(report.ranks) },
                    { "ideal_ns", nullptr },
                    { "gain_ns", nullptr },
                    { "ideal_unknown", nullptr } };
        if (report.idealNs) {
            json["ideal_ns"] = *report.idealNs;
            json["gain_ns"] = diagnosis.selfReplay.predictedNs - *report.idealNs;
        } else {
            json["ideal_unknown"] = report.obstacle;
        }
        return json;
    }

    Json nearCriticalJson(const NearCriticalReport &near)
    {
        return { { "slack_below_ns", near.limitNs },
                 { "iterations", arrayOf(near.iterations) },
                 { "steady_iterations", near.steadyIterations },
                 { "steady_state", arrayOf(near.steadyState) } };
    }

    void addPathParts(Json &json, const CriticalPathParts &parts)
    {
        json["total_ns"] = parts.totalNs();
        json["compute_ns"] = parts.computeNs;
        json["comm_ns"] = parts.commNs;
        json["copy_ns"] = parts.copyNs;
        json["host_ns"] = parts.hostNs;
        json["launch_ns"] = parts.launchNs;
        json["input_ns"] = parts.inputNs;
        json["wait_ns"] = parts.waitNs;
        json["idle_ns"] = parts.idleNs;
        json["unrecorded_ns"] = parts.unrecordedNs;
    }

    Json itemJson(const CriticalPathIteration &iteration)
    {
        Json json { { "index", iteration.index }, { "counted", iteration.isCounted } };
        addPathParts(json, iteration.parts);
        return json;
    }

    Json criticalPathJson(const CriticalPathReport &path)
    {
        Json json { { "iteration", path.iteration }, { "measured_ns", path.measuredNs } };
        addPathParts(json, path);
        json["steady_state"] = Json::object();
        addPathParts(json["steady_state"], path.mean);
        json["iterations"] = arrayOf(path.iterations);
        json["stages"] = arrayOf(path.stages);
        json["ops"] = arrayOf(path.ops);
        return json;
    }

    /// With what the group is that each is on.
    Json collectivesJson(const Diagnosis &diagnosis)
    {
        Json json = arrayOf(diagnosis.collectives);
        const ProcessGroupIndex groups(diagnosis.groups);
        for (std::size_t i = 0; i < diagnosis.collectives.size(); ++i) {
            const CollectiveReport &collective = diagnosis.collectives[i];
            const ProcessGroup *group
                = groups.find(collective.group, collective.name, collective.lastRank);
            json[i]["group_title"] = group != nullptr ? Json(titleOf(*group)) : Json();
        }
        return json;
    }

} // namespace

nlohmann::ordered_json toJson(const Diagnosis &diagnosis)
{
    Json json { { "verdict", verdictText(diagnosis) },
                { "blind_spots", diagnosis.blindSpots },
                { "one_job", diagnosis.isOfOneJob },
                { "has_iterations", diagnosis.hasIterations },
                { "ranks", arrayOf(diagnosis.ranks) },
                { "operation_names", diagnosis.operations.names },
                { "operations", arrayOf(diagnosis.operations.operations) },
                { "trust", trustJson(diagnosis.selfReplay) },
                { "critical_path", criticalPathJson(diagnosis.criticalPath) },
                { "near_critical", nearCriticalJson(diagnosis.nearCritical) },
                { "scheduling", schedulingJson(diagnosis.selfReplay) },
                { "process_groups", toJson(diagnosis.groups) },
                { "collectives", collectivesJson(diagnosis) },
                { "stragglers", stragglersJson(diagnosis) },
                { "host_gaps", arrayOf(diagnosis.hostGaps) },
                { "iteration_period", periodJson(diagnosis.period) },
                { "iteration_groups", iterationGroupsJson(diagnosis) },
                { "rank_remarks", diagnosis.rankRemarks },
                { "bottlenecks", arrayOf(diagnosis.bottlenecks) } };
    if (!diagnosis.isOfOneJob) { // there is none
        json["trust"]["replay_error_fraction"] = nullptr;
        for (const char *key : { "critical_path", "near_critical", "scheduling" })
            json[key] = nullptr;
    }
    return json;
}

} // namespace core
