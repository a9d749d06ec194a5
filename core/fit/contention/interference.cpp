#include "core/fit/contention/interference.h"

#include "core/fit/contention/kernel_overlap_cost.h"
#include "core/fit/contention/overlap_cost.h"
#include "core/measure/framework_ops.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace core {

namespace {

    /// 0.2 core a Gbit/s and direction: 0.4 core at 0.125 bytes a nanosecond each way.
    constexpr OverlapCost Prior { 0.4 / 0.125, 0.4 / 0.125, 0 };

    constexpr double Sigmas95 = 1.96;
    constexpr double MeanSlowdownElsewhere = 1.189; ///< see OverlapStretch

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

    /// By OpId: in which part of computation data was on its way, on that link or, without one, on
    /// its accelerator.
    std::vector<double> overlapOf(const Graph &measured, std::optional<DeviceId> hostLink)
    {
        if (!hostLink) {
            const KernelOverlap ofKernels = kernelOverlap(measured, {});
            return { ofKernels.transfer.begin(), ofKernels.transfer.end() };
        }
        const BusyTimes busy = linkTimes(measured, *hostLink);
        BusyTimes::Place place = 0;
        std::vector<double> overlap(measured.size(), 0);
        for (std::size_t i = 0; i < measured.size(); ++i) {
            const std::int64_t startNs = measured.measuredStartNs[i];
            if (measured.kind[i] == OpKind::Compute)
                overlap[i] = busy.shareOf({ startNs, startNs + measured.durationNs[i] }, place);
        }
        return overlap;
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
    findOnHosts(measured, trace, links, control);
    if (isNone())
        findOnAccelerators(measured, trace, control);
}

void OverlapStretch::findOnHosts(const Graph &measured, const Trace &trace, const LinkModels &links,
                                 const JobControl &control)
{
    const auto *link = backendLink(measured, links);
    if (!link)
        return;
    const StretchShares shares(measured, trace);
    const BusyTimes busy = linkTimes(measured, link->first.link);
    BusyTimes::Place place = 0;
    m_share.assign(measured.size(), 0);
    m_overlap.assign(measured.size(), 0);
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
    m_slowing.push_back({ link->first.link, {} });
    for (std::uint32_t worker = 0; worker < measured.workerCount(); ++worker)
        m_slowing.back().workers.push_back(WorkerId(worker));
    const Interference found
        = estimateInterference(measured, trace, link->first.link, link->second, control);
    m_cost = found.costNsPerByte / link->second.betaNsPerByte;
    m_standardError = found.standardError / link->second.betaNsPerByte;
}

void OverlapStretch::findOnAccelerators(const Graph &measured, const Trace &trace,
                                        const JobControl &control)
{
    std::vector<CommunicatingDevice> devices = communicatingDevices(measured);
    std::vector<bool> isSlowed(measured.workerCount(), false);
    for (const CommunicatingDevice &device : devices)
        for (const WorkerId worker : device.workers)
            isSlowed[worker.value] = true;
    const KernelOverlap overlap = kernelOverlap(measured, control);
    m_share.assign(measured.size(), 0);
    m_overlap.assign(overlap.transfer.begin(), overlap.transfer.end());
    bool isAnyStretched = false;
    for (std::size_t i = 0; i < measured.size(); ++i)
        if (isKernel(measured, i) && isSlowed[measured.worker[i].value]) {
            m_share[i] = 1;
            isAnyStretched = true;
        }
    if (!isAnyStretched)
        return;
    m_slowing = std::move(devices);
    setCostOfKernels(costOfKernels(measured, trace, overlap, control).joined());
}

void OverlapStretch::setCostOfKernels(const OverlapCost &cost)
{
    const double least = cost.slope - Sigmas95 * cost.standardError;
    const double most = cost.slope + Sigmas95 * cost.standardError;
    const bool isMeasured = cost.standardError > 0;
    if (isMeasured && least > 0) {
        m_cost = cost.slope;
        m_standardError = cost.standardError;
        return;
    }
    const double elsewhere = std::log(MeanSlowdownElsewhere);
    m_isKnown = isMeasured && most < elsewhere;
    m_standardError = (m_isKnown ? std::max(0.0, most) : elsewhere) / Sigmas95;
}

double OverlapStretch::slowdown(double sigmas) const
{
    return std::min(LargestSlowdown, std::exp(std::max(0.0, m_cost + sigmas * m_standardError)));
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
    for (const CommunicatingDevice &slowing : m_slowing)
        measured.devices[slowing.device.value].slows = slowing.workers;
    if (isNone())
        return measured;
    measured.slowdown = slowdown();
    measured.durationNs = alone(measured, measured.slowdown);
    measured.stretchShare = m_share;
    return measured;
}

double overlapSlowdown(const Graph &measured, const Graph &modelled)
{
    if (modelled.slowdown <= 1)
        return 0;
    const std::vector<double> overlap = overlapOf(measured, interferingHostLink(modelled));
    double tookNs = 0, aloneNs = 0;
    for (std::size_t i = 0; i < measured.size(); ++i) {
        const double overlapNs = overlap[i] * static_cast<double>(measured.durationNs[i]);
        tookNs += overlapNs;
        aloneNs += overlapNs
            / (1 + static_cast<double>(modelled.stretchShare[i]) * (modelled.slowdown - 1));
    }
    return aloneNs > 0 ? tookNs / aloneNs - 1 : 0;
}

} // namespace core
