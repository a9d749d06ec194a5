#include "core/analyze/ranks/late_cause.h"

#include "core/analyze/bottlenecks/bottleneck_search.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/own_work_words.h"
#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::int64_t SmallestShare = 10; ///< of the lateness: a tenth

    LateCause causeOf(const RankSlowdown &rank, const WorkBesideOthers &work, std::int64_t lateNs,
                      const std::string &others)
    {
        LateCause cause;
        cause.work = work;
        cause.isAccelerated
            = std::any_of(rank.kinds.begin(), rank.kinds.end(), [](const auto &kind) {
                  return kind.kind == WorkKind::Device && kind.ns > 0;
              });
        cause.lateNs = lateNs;
        for (const OpTypeSlowdown &op : rank.ops) { // they are sorted
            if (op.kind != work.kind)
                continue;
            if (cause.largest) {
                if (op.isHalfOf(*cause.largest))
                    cause.next = op;
                break;
            }
            cause.largest = op;
        }
        cause.others = others;
        cause.isMost = 2 * work.excessNs() >= lateNs;
        return cause;
    }

    /// ", summed over its 4 threads": less than that is what it takes.
    std::string summedText(const WorkBesideOthers &work)
    {
        if (work.rows < 2)
            return {};
        return ", summed over its " + std::to_string(work.rows)
            + (work.kind == WorkKind::Device ? " streams" : " threads");
    }

    std::string besideOthers(std::int64_t ns, std::int64_t othersNs, const std::string &others,
                             const std::string &per)
    {
        return durationText(ns) + per + " (" + others + ": " + durationText(othersNs) + ")";
    }

    /// Ops of a kind and their measure. What no operation runs in is not stretched.
    std::string measureText(const LateCause &cause)
    {
        const bool areOps
            = cause.work.kind == WorkKind::Device || cause.work.kind == WorkKind::Host;
        return cause.isWithoutOverlap && areOps ? std::string(", ") + WithoutOverlap
                                                : std::string();
    }

    /// What takes the time; `place` is empty, or where: "between forward and backward ".
    std::string subjectText(const LateCause &cause, const std::string &place)
    {
        switch (cause.work.kind) {
        case WorkKind::Device:
            return "the operations of its accelerator take ";
        case WorkKind::Host:
            return cause.isAccelerated ? "the operations of its host take "
                                       : "its operations take ";
        case WorkKind::Gap:
            return (cause.isAccelerated ? "its host runs no operation "
                                        : "no operation runs on it ")
                + place + "for ";
        case WorkKind::Input:
            break;
        }
        return "loading its input takes ";
    }

    std::string placeText(const OpTypeSlowdown &op)
    {
        return op.behind.empty() ? "in " + shortenedName(op.name)
                                 : gapPlaceText(shortenedName(op.before), shortenedName(op.behind));
    }

} // namespace

std::optional<ExposedLateness> exposedLateness(const std::vector<RankDiagnosis> &ranks,
                                               int lateRank)
{
    std::optional<ExposedLateness> longest;
    for (const RankDiagnosis &rank : ranks) {
        const bool isKnown
            = std::any_of(rank.devices.begin(), rank.devices.end(), [](const auto &device) {
                  return device.iterationMean.exposedWaitNs.has_value();
              });
        if (!isKnown || rank.rank == lateRank)
            continue;
        const auto wait
            = std::find_if(rank.waits.begin(), rank.waits.end(),
                           [lateRank](const RankWait &one) { return one.rank == lateRank; });
        const std::int64_t ns = wait == rank.waits.end() ? 0 : wait->aloneNs;
        if (!longest || ns > longest->ns)
            longest = { ns, rank.rank };
    }
    return longest;
}

std::int64_t latenessToExplainNs(const Diagnosis &diagnosis, const Lateness &late)
{
    const std::int64_t allNs
        = late.lastByNs / std::max(1, diagnosis.selfReplay.graph->iterationCount);
    const auto exposed = exposedLateness(diagnosis.ranks, late.rank);
    const bool isWorthIt = exposed
        && static_cast<double>(exposed->ns)
            >= SmallestGain * static_cast<double>(diagnosis.selfReplay.predictedNs);
    return isWorthIt ? std::min(exposed->ns, allNs) : allNs;
}

std::vector<LateCause> lateCauses(const Diagnosis &diagnosis, const Lateness &late)
{
    return lateCauses(diagnosis.stragglers, late.rank, latenessToExplainNs(diagnosis, late),
                      diagnosis.selfReplay.predictedNs);
}

std::vector<LateCause> lateCauses(const StragglerReport &report, int lateRank, std::int64_t lateNs,
                                  std::int64_t iterationNs)
{
    const auto rank
        = std::find_if(report.ranks.begin(), report.ranks.end(),
                       [lateRank](const RankSlowdown &slow) { return slow.rank == lateRank; });
    if (rank == report.ranks.end() || !report.isWorkRecorded)
        return {};
    const auto smallestNs
        = static_cast<std::int64_t>(SmallestGain * static_cast<double>(iterationNs));
    const std::string others = othersOf(report, lateRank);
    std::vector<LateCause> causes;
    for (const WorkBesideOthers &work : rank->kinds)
        if (work.excessNs() >= std::max<std::int64_t>(1, smallestNs))
            causes.push_back(causeOf(*rank, work, lateNs, others));
    for (LateCause &cause : causes)
        cause.isWithoutOverlap = report.isWithoutOverlap;
    std::stable_sort(causes.begin(), causes.end(), [](const LateCause &a, const LateCause &b) {
        return a.work.excessNs() > b.work.excessNs();
    });
    const auto isSmall = [lateNs](const LateCause &cause) {
        return cause.work.excessNs() < lateNs / SmallestShare;
    };
    if (!causes.empty())
        causes.erase(std::find_if(causes.begin() + 1, causes.end(), isSmall), causes.end());
    return causes;
}

std::string shortText(const LateCause &cause)
{
    const WorkKind kind = cause.work.kind;
    if (kind == WorkKind::Input || !cause.isAtLargest())
        return subjectText(cause, {})
            + besideOthers(cause.work.ns, cause.work.othersNs, cause.others,
                           summedText(cause.work));
    const OpTypeSlowdown &op = *cause.largest;
    const bool isGap = kind == WorkKind::Gap;
    std::string text = (isGap ? subjectText(cause, placeText(op) + " ")
                              : "its " + shortenedName(op.name) + " takes ")
        + durationText(op.ns);
    std::string othersText = durationText(op.othersNs);
    if (cause.next) {
        text += " and "
            + (isGap ? placeText(*cause.next) + " for " : shortenedName(cause.next->name) + " ")
            + durationText(cause.next->ns);
        othersText += " and " + durationText(cause.next->othersNs);
    }
    return text + " (" + cause.others + ": " + othersText + ")";
}

std::string longText(const LateCause &cause, const IterationWords &words)
{
    std::string text = subjectText(cause, {})
        + besideOthers(cause.work.ns, cause.work.othersNs, cause.others,
                       words.per() + summedText(cause.work) + measureText(cause));
    if (!cause.largest)
        return text;
    const OpTypeSlowdown &op = *cause.largest;
    const std::int64_t namedNs = op.excessNs() + (cause.next ? cause.next->excessNs() : 0);
    // More than the difference where the rank is faster in something else.
    const bool isMostOfIt = 2 * namedNs >= cause.work.excessNs()
        && namedNs <= cause.work.excessNs() + cause.work.excessNs() / 10;
    text += std::string(isMostOfIt       ? ". Most of the difference is "
                            : cause.next ? ". The largest differences are "
                                         : ". The largest difference is ")
        + placeText(op) + ": " + besideOthers(op.ns, op.othersNs, cause.others, {});
    if (cause.next)
        text += " and " + placeText(*cause.next) + ": "
            + besideOthers(cause.next->ns, cause.next->othersNs, cause.others, {});
    return text;
}

std::string othersOf(const StragglerReport &report, int rank)
{
    if (report.ranks.size() > 3)
        return "the median of the others";
    if (report.ranks.size() != 2)
        return "the slower of the others";
    const RankSlowdown &first = report.ranks.front();
    return "rank " + std::to_string(first.rank == rank ? report.ranks.back().rank : first.rank);
}

} // namespace core
