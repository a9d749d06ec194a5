#include "core/analyze/bottlenecks/bottleneck_words.h"

#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/base/duration_text.h"

#include <algorithm>

namespace core {

std::string costText(const Bottleneck &found, const IterationWords &words)
{
    return found.title + found.effect + percentText(found.gainFraction) + " of " + words.one();
}

bool isReasonTold(const Bottleneck &found, const std::vector<std::string> &remarks)
{
    return found.reason.empty()
        || std::find(remarks.begin(), remarks.end(), found.reason) != remarks.end();
}

std::string gainIntervalText(const Bottleneck &found)
{
    if (!found.unknownInterval.empty())
        return "interval not known: " + found.unknownInterval;
    const std::optional<GainInterval> &interval = found.gainInterval;
    if (!interval)
        return {};
    return std::string(interval->mayBeNothing() ? "may be nothing: " : "") + "95 % interval "
        + durationText(interval->lowNs) + " to " + durationText(interval->highNs);
}

std::string tryCommand(const Bottleneck &found, const std::string &project)
{
    if (found.strategy.isEmpty())
        return {};
    std::string command = "longpole replay " + project;
    for (const auto &[key, value] : found.strategy.list())
        command += " --set " + key + "=" + value;
    return command;
}

bool leadsToSearch(const Bottleneck &found, const ChangeObstacles &obstacles)
{
    return (found.kind == "bucket-size" || found.kind == "exposed-communication")
        && obstacleOf(obstacles, "bucket_cap_mb") == nullptr;
}

std::string verdictText(const Diagnosis &diagnosis)
{
    std::string text = diagnosis.verdict;
    for (const std::string &remark : diagnosis.verdictRemarks)
        text += " " + remark;
    return text;
}

} // namespace core
