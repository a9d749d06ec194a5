#include "core/fit/links/hand_over.h"

#include "core/fit/links/link_models.h"
#include "core/measure/robust_mean.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace core {

namespace {

    using RangesOfRanks = std::map<WorkerId, std::vector<TimeRange>>;

    bool startsBefore(const TimeRange &a, const TimeRange &b)
    {
        return a.startNs < b.startNs;
    }

    /// When hosts copied reduced gradients out of their buckets; by start; raw times.
    RangesOfRanks copiesOut(const Graph &graph, const SliceIndex &slices)
    {
        RangesOfRanks copies;
        for (const GradientStep &step : graph.gradientSteps)
            for (const OpId copy : step.copies)
                if (const SliceId slice = graph.slice[copy.value]; slices.find(slice))
                    copies[step.worker].push_back({ slices.startNs(slice), slices.endNs(slice) });
        for (auto &[worker, ranges] : copies)
            std::sort(ranges.begin(), ranges.end(), &startsBefore);
        return copies;
    }

    /// `ranges`: one after the other.
    bool overlapsAny(const std::vector<TimeRange> &ranges, const TimeRange &range)
    {
        const auto next
            = std::partition_point(ranges.begin(), ranges.end(), [&range](const TimeRange &one) {
                  return one.endNs <= range.startNs;
              });
        return next != ranges.end() && next->startNs < range.endNs;
    }

    /// By the last call before the backend began; empty if `copies` were made meanwhile.
    std::optional<std::int64_t> handOverNs(const std::vector<TimeRange> &calls,
                                           const std::vector<TimeRange> &copies,
                                           std::int64_t beganNs)
    {
        const auto next = std::upper_bound(
            calls.begin(), calls.end(), beganNs,
            [](std::int64_t ns, const TimeRange &call) { return ns < call.startNs; });
        if (next == calls.begin())
            return std::nullopt;
        const TimeRange &call = *std::prev(next);
        if (overlapsAny(copies, { call.startNs, beganNs }))
            return std::nullopt;
        return std::max(call.endNs, beganNs) - call.startNs;
    }

    /// Of the rank that takes longest; empty where that of a rank is not told.
    std::optional<std::int64_t> longestNs(const CollectiveNode &node, const RangesOfRanks &calls,
                                          const RangesOfRanks &copies, const SliceIndex &slices)
    {
        static const std::vector<TimeRange> none;
        std::int64_t longest = 0;
        for (const CollectiveNode::Part &part : node.parts) {
            const auto ofRank = calls.find(part.worker);
            if (ofRank == calls.end() || !slices.find(part.slice))
                return std::nullopt;
            const auto copied = copies.find(part.worker);
            const auto ns
                = handOverNs(ofRank->second, copied == copies.end() ? none : copied->second,
                             slices.startNs(part.slice));
            if (!ns)
                return std::nullopt;
            longest = std::max(longest, *ns);
        }
        return longest;
    }

} // namespace

std::map<WorkerId, std::vector<TimeRange>> allReduceCalls(const Trace &trace,
                                                          const JobControl &control)
{
    std::map<WorkerId, std::vector<TimeRange>> calls;
    const auto name = std::find(trace.names.begin(), trace.names.end(), AllReduceCall);
    if (name == trace.names.end())
        return calls;
    const NameId id(static_cast<std::uint32_t>(name - trace.names.begin()));
    for (const Track &track : trace.tracks) {
        throwIfCancelled(control);
        const SliceColumns &slices = trace.slices[track.id.value];
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (slices.name[row] == id)
                calls[track.worker].push_back({ slices.startNs[row], slices.endNs(row) });
    }
    for (auto &[worker, ranges] : calls)
        std::sort(ranges.begin(), ranges.end(), &startsBefore);
    return calls;
}

std::map<DeviceId, double> handOversNs(const Graph &graph, const Trace &trace,
                                       const JobControl &control)
{
    std::map<DeviceId, double> means;
    const RangesOfRanks calls = allReduceCalls(trace, control);
    if (calls.empty())
        return means;
    const SliceIndex slices(trace);
    const RangesOfRanks copies = copiesOut(graph, slices);
    const std::vector<bool> findIdle = showLatency(graph);
    std::map<DeviceId, std::vector<std::int64_t>> ofLinks;
    for (std::size_t i = 0; i < graph.collectives.size(); ++i) {
        throwIfCancelled(control);
        const CollectiveNode &node = graph.collectives[i];
        const DeviceId link = graph.device[node.transfer.value];
        if (!findIdle[i] || node.name != "all_reduce" || !graph.devices[link.value].isHostLink)
            continue;
        if (const auto ns = longestNs(node, calls, copies, slices))
            ofLinks[link].push_back(*ns);
    }
    for (auto &[link, list] : ofLinks)
        means[link] = robustMeanNs(list);
    return means;
}

} // namespace core
