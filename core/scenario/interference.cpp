#include "core/scenario/interference.h"

#include "core/model/slice_index.h"
#include "core/scenario/framework_ops.h"
#include "core/scenario/overlap_cost.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    /// 0.2 core a Gbit/s and direction: 0.4 core at 0.125 bytes a nanosecond each way.
    constexpr OverlapCost Prior { 0.4 / 0.125, 0.4 / 0.125, 0 };

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
            return frameworkShare(m_trace, m_trace.slices[place->track.value], place->row,
                                  isFrameworkOp);
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
                                  const LinkModel &model, const JobControl &control)
{
    const BusyTimes busy = linkTimes(graph, link);
    const double bytesPerNs = 1 / model.betaNsPerByte;
    const OverlapCost alike = costOfAlikeOps(trace, busy, bytesPerNs, control);
    const OverlapCost products = costOfProducts(trace, busy, bytesPerNs, control);
    const OverlapCost across = costAcrossRanks(trace, busy, bytesPerNs, control);
    double sum = 0, precision = 0;
    for (const OverlapCost &cost : { alike, products, across, Prior }) {
        sum += precisionOf(cost) * cost.slope;
        precision += precisionOf(cost);
    }
    Interference joined;
    joined.costNsPerByte = std::max(0.0, sum / precision);
    joined.standardError = 1 / std::sqrt(precision);
    joined.samples = alike.samples;
    return joined;
}

OverlapStretch::OverlapStretch(const Graph &measured, const Trace &trace, const LinkModels &links,
                               const JobControl &control)
{
    const auto *link = backendLink(measured, links);
    if (!link)
        return;
    const StretchShares shares(measured, trace);
    const BusyTimes busy = linkTimes(measured, link->first.link);
    BusyTimes::Place place = 0;
    m_share.resize(measured.size());
    m_overlap.resize(measured.size());
    bool isAnyStretched = false;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        throwIfCancelled(control);
        m_share[i] = shares.of(i);
        if (m_share[i] <= 0)
            continue;
        isAnyStretched = true;
        const std::int64_t startNs = measured.measuredStartNs[i];
        m_overlap[i] = busy.shareOf({ startNs, startNs + measured.durationNs[i] }, place);
    }
    if (!isAnyStretched)
        return;
    m_link = link->first.link;
    m_betaNsPerByte = link->second.betaNsPerByte;
    m_interference = estimateInterference(measured, trace, *m_link, link->second, control);
}

double OverlapStretch::slowdown(double sigmas) const
{
    const double nsPerByte
        = std::max(0.0, m_interference.costNsPerByte + sigmas * m_interference.standardError);
    return std::min(LargestSlowdown, std::exp(nsPerByte / m_betaNsPerByte));
}

std::vector<std::int64_t> OverlapStretch::alone(const Graph &measured, double slowdown) const
{
    std::vector<std::int64_t> durationNs = measured.durationNs;
    for (std::size_t i = 0; i < durationNs.size(); ++i) {
        if (m_share[i] <= 0)
            continue;
        const double stretched = 1 + static_cast<double>(m_share[i]) * (slowdown - 1);
        durationNs[i] = std::llround(static_cast<double>(durationNs[i])
                                     * (1 - m_overlap[i] + m_overlap[i] / stretched));
    }
    return durationNs;
}

Graph OverlapStretch::takenFrom(Graph measured) const
{
    if (!m_link)
        return measured;
    for (std::uint32_t worker = 0; worker < measured.workerCount(); ++worker)
        measured.devices[m_link->value].slows.push_back(WorkerId(worker));
    measured.slowdown = slowdown();
    measured.durationNs = alone(measured, measured.slowdown);
    measured.stretchShare = m_share;
    return measured;
}

double overlapSlowdown(const Graph &measured, const Graph &modelled)
{
    const std::optional<DeviceId> link = interferingHostLink(modelled);
    if (!link || modelled.slowdown <= 1)
        return 0;
    const BusyTimes busy = linkTimes(measured, *link);
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
