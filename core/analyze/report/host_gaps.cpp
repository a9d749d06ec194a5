#include "core/analyze/report/host_gaps.h"

#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"
#include "core/change/graph_edits.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    constexpr std::size_t MostGaps = 10;

    /// The gaps of one worker between the same two operations.
    struct GapSum
    {
        NameId before, behind;
        WorkerId worker;
        std::int64_t ns = 0;
        std::size_t times = 0;
        std::uint32_t longest = 0; ///< OpId
        std::int64_t othersNs = 0; ///< the median of the other workers, once it is known

        auto key() const { return std::tuple(before, behind, worker); }
    };

    std::vector<bool> opsBehindHostGaps(const Graph &graph)
    {
        const std::vector<bool> isAccelerated = acceleratedWorkers(graph);
        std::vector<bool> isBehind = ownWork(graph);
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            isBehind[op] = isBehind[op] && graph.iteration[op] >= 0
                && !graph.devices[graph.device[op].value].isStream
                && (isAccelerated[graph.worker[op].value] || hasOnlyHostOrder(graph, OpId(op)));
        return isBehind;
    }

    /// By the operations, then by worker.
    std::vector<GapSum> gapSums(const Graph &graph, const std::vector<DelayParts> &delays)
    {
        const std::vector<bool> isBehind = opsBehindHostGaps(graph);
        std::vector<GapSum> gaps;
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (isBehind[op] && delays[op].gapNs > 0)
                gaps.push_back({ delays[op].before, delays[op].name, graph.worker[op],
                                 delays[op].gapNs, 1, op });
        std::stable_sort(gaps.begin(), gaps.end(),
                         [](const GapSum &a, const GapSum &b) { return a.key() < b.key(); });
        std::vector<GapSum> sums;
        for (const GapSum &gap : gaps) {
            if (sums.empty() || sums.back().key() != gap.key()) {
                sums.push_back(gap);
                continue;
            }
            GapSum &sum = sums.back();
            sum.ns = laterNs(sum.ns, gap.ns);
            ++sum.times;
            if (gap.ns > delays[sum.longest].gapNs)
                sum.longest = gap.longest;
        }
        return sums;
    }

    /// Of each pair of operations the worker that takes longest.
    std::vector<GapSum> longestOfPairs(const std::vector<GapSum> &sums, std::size_t ranks)
    {
        std::vector<GapSum> longest;
        std::vector<std::int64_t> ofPairNs;
        for (auto begin = sums.begin(); begin != sums.end();) {
            const auto end = std::find_if(begin, sums.end(), [begin](const GapSum &sum) {
                return sum.before != begin->before || sum.behind != begin->behind;
            });
            ofPairNs.clear();
            for (auto sum = begin; sum != end; ++sum)
                ofPairNs.push_back(sum->ns);
            ofPairNs.resize(std::max(ranks, ofPairNs.size()), 0);
            GapSum &worst = longest.emplace_back(*std::max_element(
                begin, end, [](const GapSum &a, const GapSum &b) { return a.ns < b.ns; }));
            worst.othersNs = OthersMedian(ofPairNs).without(worst.ns);
            begin = end;
        }
        std::stable_sort(longest.begin(), longest.end(),
                         [](const GapSum &a, const GapSum &b) { return a.ns > b.ns; });
        longest.resize(std::min(longest.size(), MostGaps));
        return longest;
    }

} // namespace

std::vector<HostGap> hostGaps(const Trace &trace, const Graph &graph,
                              const std::vector<DelayParts> &delays)
{
    const std::vector<GapSum> sums = gapSums(graph, delays);
    std::vector<std::int64_t> totalNs(graph.workerCount(), 0);
    for (const GapSum &sum : sums)
        totalNs[sum.worker.value] = laterNs(totalNs[sum.worker.value], sum.ns);
    const std::size_t ranks = ranksWithOwnWork(graph);
    const std::int64_t iterations = std::max(1, graph.iterationCount);
    std::vector<HostGap> gaps;
    for (const GapSum &sum : longestOfPairs(sums, ranks)) {
        HostGap &gap = gaps.emplace_back();
        gap.rank = trace.workers[sum.worker.value].rank;
        gap.before = graph.names[sum.before.value];
        gap.behind = graph.names[sum.behind.value];
        gap.meanNs = sum.ns / iterations;
        if (ranks > 1)
            gap.othersNs = sum.othersNs / iterations;
        gap.share = static_cast<double>(sum.ns)
            / static_cast<double>(std::max<std::int64_t>(1, totalNs[sum.worker.value]));
        gap.times = sum.times;
        gap.slice = graph.slice[sum.longest];
        const std::int64_t startNs
            = graph.measuredStartNs[sum.longest] - graph.delayNs[sum.longest];
        gap.longest = { startNs, startNs + delays[sum.longest].gapNs };
    }
    return gaps;
}

std::string hostGapText(const HostGap &gap, const std::string &others)
{
    return "rank " + std::to_string(gap.rank) + " " + hostGapPlace(gap) + " "
        + durationText(gap.meanNs) + " (" + percentText(gap.share)
        + " of its time between operations"
        + (gap.othersNs ? "; " + others + ": " + durationText(*gap.othersNs) : "") + ")";
}

std::string hostGapPlace(const HostGap &gap)
{
    return gapPlaceText(shortenedName(gap.before), shortenedName(gap.behind));
}

} // namespace core
