#include "core/scenario/interference.h"

#include "core/model/slice_index.h"
#include "core/scenario/framework_ops.h"
#include "core/scenario/overlap_cost.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// 0.2 core a Gbit/s and direction: 0.4 core at 0.125 bytes a nanosecond each way.
    constexpr double PriorNsPerByte = 0.4 / 0.125;

    double precisionOf(const OverlapCost &cost)
    {
        return cost.standardError > 0 ? 1 / (cost.standardError * cost.standardError) : 0;
    }

    /// How much of each op's duration is framework ops' own time: 1 for an aten op, 0 for an
    /// interpreter's sleep.
    class StretchShares
    {
    public:
        StretchShares(const Graph &graph, const Trace &trace)
            : m_graph(graph)
            , m_trace(trace)
            , m_slices(trace)
        {
        }

        float of(std::size_t op) const
        {
            if (m_graph.kind[op] != OpKind::Compute || m_graph.slice[op] == NoSlice)
                return 0;
            const auto place = m_slices.find(m_graph.slice[op]);
            if (!place || m_trace.tracks[place->track.value].kind != TrackKind::HostThread)
                return 0;
            const SliceColumns &slices = m_trace.slices[place->track.value];
            const std::int64_t endNs = slices.endNs(place->row);
            std::int64_t ownNs = 0;
            visitFrameworkOps(m_trace, slices, place->row, endNs, [&](std::size_t row) {
                ownNs += std::min(endNs, slices.endNs(row)) - slices.startNs[row];
            });
            const std::int64_t wholeNs = std::max<std::int64_t>(1, slices.durationNs[place->row]);
            return static_cast<float>(static_cast<double>(ownNs) / static_cast<double>(wholeNs));
        }

    private:
        const Graph &m_graph;
        const Trace &m_trace;
        SliceIndex m_slices;
    };

    /// The CPU backend's link and its all-reduce model; empty where communication has a device of
    /// its own.
    const LinkModels::value_type *backendLink(const Graph &graph, const LinkModels &links)
    {
        for (const auto &entry : links)
            if (entry.first.kind == "all_reduce" && !entry.second.isWithinHost
                && graph.devices[entry.first.link.value].isHostLink)
                return &entry;
        return nullptr;
    }

} // namespace

Interference estimateInterference(const Graph &graph, const Trace &trace, DeviceId link,
                                  const LinkModel &model)
{
    const BusyTimes busy = linkTimes(graph, link);
    const OverlapCost alike = costOfAlikeOps(trace, busy, 1 / model.betaNsPerByte);
    const OverlapCost products = costOfProducts(trace, busy, 1 / model.betaNsPerByte);
    const double ofAlike = precisionOf(alike), ofProducts = precisionOf(products);
    constexpr double OfPrior = 1 / (PriorNsPerByte * PriorNsPerByte);
    const double precision = ofAlike + ofProducts + OfPrior;
    Interference joined;
    joined.costNsPerByte = std::max(
        0.0,
        (alike.nsPerByte * ofAlike + products.nsPerByte * ofProducts + PriorNsPerByte * OfPrior)
            / precision);
    joined.standardError = 1 / std::sqrt(precision);
    joined.samples = alike.samples;
    return joined;
}

Graph withInterference(const Graph &graph, const Trace &trace, const LinkModels &links,
                       double sigmas)
{
    Graph result = graph;
    const auto *link = backendLink(graph, links);
    if (!link)
        return result;
    const Interference interference
        = estimateInterference(graph, trace, link->first.link, link->second);
    result.interferingLink = link->first.link;
    const double costNsPerByte
        = std::max(0.0, interference.costNsPerByte + sigmas * interference.standardError);
    result.slowdown
        = std::min(LargestSlowdown, std::exp(costNsPerByte / link->second.betaNsPerByte));
    const BusyTimes busy = linkTimes(graph, link->first.link);
    const StretchShares shares(graph, trace);
    BusyTimes::Place place = 0;
    bool isAnyStretched = false;
    for (std::size_t i = 0; i < graph.size(); ++i) {
        const float share = shares.of(i);
        if (share <= 0)
            continue;
        isAnyStretched = true;
        result.stretchShare[i] = share;
        const TimeRange range { graph.measuredStartNs[i],
                                graph.measuredStartNs[i] + graph.durationNs[i] };
        const double overlap = busy.shareOf(range, place);
        const double stretched = 1 + share * (result.slowdown - 1);
        result.durationNs[i] = std::llround(static_cast<double>(graph.durationNs[i])
                                            * (1 - overlap + overlap / stretched));
    }
    return isAnyStretched ? result : graph;
}

double overlapSlowdown(const Graph &measured, const Graph &modelled)
{
    if (!modelled.interferingLink || modelled.slowdown <= 1)
        return 0;
    const BusyTimes busy = linkTimes(measured, *modelled.interferingLink);
    BusyTimes::Place place = 0;
    double tookNs = 0, aloneNs = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        if (measured.kind[i] != OpKind::Compute)
            continue;
        const std::int64_t startNs = measured.measuredStartNs[i];
        const auto overlapNs = static_cast<double>(
            busy.lengthIn({ startNs, startNs + measured.durationNs[i] }, place));
        tookNs += overlapNs;
        aloneNs += overlapNs
            / (1 + static_cast<double>(modelled.stretchShare[i]) * (modelled.slowdown - 1));
    }
    return aloneNs > 0 ? tookNs / aloneNs - 1 : 0;
}

} // namespace core
