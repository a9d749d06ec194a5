#include "core/analyze/bottlenecks/path_evidence.h"

#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"
#include "core/model/world_size.h"

#include <algorithm>
#include <set>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t MostStages = 5;
    constexpr std::size_t MostOps = 3;

    std::string whereText(const std::string &what, int rank, std::int64_t ns)
    {
        return shortenedName(what) + " on rank " + std::to_string(rank) + ", " + durationText(ns);
    }

    std::vector<std::string> stageLines(const std::vector<CriticalStage> &stages)
    {
        std::string sums;
        for (std::size_t i = 0; i < std::min(MostStages, stages.size()); ++i)
            sums += (i == 0 ? "" : ", ") + stages[i].stage + " "
                + durationText(stages[i].durationNs);
        const CriticalStage &first = stages.front();
        return { "The critical path runs through " + sums + ".",
                 "Longest there: "
                     + whereText(first.stage + ' ' + first.tensor, first.rank, first.longestNs)
                     + "." };
    }

    bool isAnywhere(const std::vector<RankDiagnosis> &ranks,
                    std::int64_t (*partNs)(const TimeBreakdown &))
    {
        for (const RankDiagnosis &rank : ranks)
            for (const DeviceBreakdown &device : rank.devices)
                if (partNs(device.time) > 0)
                    return true;
        return false;
    }

    std::string missingComputation(const CriticalPathReport &path)
    {
        std::string text = "No computation is recorded";
        if (path.unrecordedNs > 0)
            text += ": " + durationText(path.unrecordedNs) + " of the critical path is not known";
        return text
            + ". Add the framework profiler's trace of the same run: longpole import --append.";
    }

    /// Ranks of which no iteration is recorded, "2, 5"; empty if there is none.
    std::string ranksLeftOut(const Trace &trace)
    {
        std::set<WorkerId> recording;
        for (const Iteration &iteration : trace.iterations)
            recording.insert(iteration.worker);
        std::set<int> leftOut;
        for (const Worker &worker : trace.workers)
            if (!recording.contains(worker.id))
                leftOut.insert(worker.rank);
        std::string text;
        for (const int rank : leftOut)
            text += (text.empty() ? "" : ", ") + std::to_string(rank);
        return text;
    }

} // namespace

std::string gapPlaceText(const std::string &before, const std::string &behind)
{
    return before.empty() ? "before " + behind : "between " + before + " and " + behind;
}

bool isHostsOp(const CriticalOp &op)
{
    return op.kind == "host" || op.kind == "launch";
}

bool isCommunicationOp(const CriticalOp &op)
{
    return op.kind == "comm";
}

bool isCopyOp(const CriticalOp &op)
{
    return op.kind == "copy";
}

bool isInputOp(const CriticalOp &op)
{
    return op.kind == "input";
}

std::string longestOnPath(const CriticalPathReport &path, CriticalOpTest isMeant)
{
    std::vector<const CriticalOp *> ops;
    for (const CriticalOp &op : path.ops)
        if (isMeant(op))
            ops.push_back(&op);
    std::stable_sort(ops.begin(), ops.end(),
                     [](const auto *a, const auto *b) { return a->durationNs > b->durationNs; });
    std::string longest;
    for (std::size_t i = 0; i < std::min(MostOps, ops.size()); ++i)
        longest += (i == 0 ? "" : "; ") + whereText(ops[i]->name, ops[i]->rank, ops[i]->durationNs);
    return longest;
}

std::vector<std::string> communicationOnPath(const CriticalPathReport &path)
{
    if (!path.stages.empty())
        return stageLines(path.stages);
    const std::string longest = longestOnPath(path, isCommunicationOp);
    if (longest.empty())
        return {};
    return { "Longest on the critical path: " + longest + "." };
}

bool hasComputation(const std::vector<RankDiagnosis> &ranks)
{
    return isAnywhere(ranks,
                      [](const TimeBreakdown &time) { return time.computeNs + time.memOnlyNs; });
}

std::vector<std::string> blindSpots(const Trace &trace, const CriticalPathReport &path,
                                    const std::vector<RankDiagnosis> &ranks)
{
    std::vector<std::string> sentences;
    const bool hasCommunication
        = isAnywhere(ranks, [](const TimeBreakdown &time) { return time.commNs; });
    if (!hasComputation(ranks) && hasCommunication)
        sentences.push_back(missingComputation(path));
    if (const std::string leftOut = ranksLeftOut(trace); !leftOut.empty())
        sentences.push_back("No activity with a time is recorded in the iterations of these ranks, "
                            "which are left out: "
                            + leftOut + ".");
    const int stated = statedWorldSize(trace).value_or(0);
    if (stated > static_cast<int>(trace.workers.size()))
        sentences.push_back("Only " + std::to_string(trace.workers.size()) + " of "
                            + std::to_string(stated)
                            + " ranks are recorded: what the others do is not seen.");
    if (!trace.compared.leftOut.empty())
        sentences.push_back(trace.compared.leftOut);
    return sentences;
}

} // namespace core
