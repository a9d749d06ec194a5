#include "core/analyze/path_evidence.h"

#include "core/base/duration_text.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostStages = 5;
    constexpr std::size_t MostTransfers = 3;

    std::string whereText(const std::string &what, int rank, std::int64_t ns)
    {
        return what + " on rank " + std::to_string(rank) + ", " + durationText(ns);
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

} // namespace

std::vector<std::string> communicationOnPath(const CriticalPathReport &path)
{
    if (!path.stages.empty())
        return stageLines(path.stages);
    std::vector<const CriticalOp *> transfers;
    for (const CriticalOp &op : path.ops)
        if (op.kind == "comm")
            transfers.push_back(&op);
    std::stable_sort(transfers.begin(), transfers.end(),
                     [](const auto *a, const auto *b) { return a->durationNs > b->durationNs; });
    std::string longest;
    for (std::size_t i = 0; i < std::min(MostTransfers, transfers.size()); ++i)
        longest += (i == 0 ? "" : "; ")
            + whereText(transfers[i]->name, transfers[i]->rank, transfers[i]->durationNs);
    if (longest.empty())
        return {};
    return { "Longest on the critical path: " + longest + "." };
}

std::vector<std::string> blindSpots(const CriticalPathReport &path,
                                    const std::vector<RankDiagnosis> &ranks)
{
    const bool hasComputation
        = std::any_of(ranks.begin(), ranks.end(), [](const RankDiagnosis &rank) {
              return std::any_of(rank.devices.begin(), rank.devices.end(),
                                 [](const DeviceBreakdown &device) {
                                     return device.time.computeNs > 0 || device.time.memOnlyNs > 0;
                                 });
          });
    const bool hasCommunication
        = std::any_of(ranks.begin(), ranks.end(), [](const RankDiagnosis &rank) {
              return std::any_of(
                  rank.devices.begin(), rank.devices.end(),
                  [](const DeviceBreakdown &device) { return device.time.commNs > 0; });
          });
    if (hasComputation || !hasCommunication)
        return {};
    std::string text = "No computation is recorded";
    if (path.unrecordedNs > 0)
        text += ": what the ranks do in " + durationText(path.unrecordedNs)
            + " of the critical path is not known";
    return { text
             + ". Import a trace of the framework's profiler, recorded in the same run, "
               "with --append." };
}

} // namespace core
