#include "core/scenario/interference.h"

#include "core/model/slice_index.h"
#include "core/scenario/framework_ops.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <tuple>

namespace core {

namespace {

    /// 0.2 core a Gbit/s and direction: 0.4 core at 0.125 bytes a nanosecond each way.
    constexpr double PriorNsPerByte = 0.4 / 0.125;
    constexpr std::size_t SmallestFamily = 3;

    struct Sample
    {
        double rate = 0; ///< bytes a nanosecond on the link, mean over the op
        double logNs = 0;
        double weight = 0; ///< duration
    };

    using Families = std::map<std::tuple<WorkerId, NameId, std::uint64_t>, std::vector<Sample>>;

    /// Outermost aten ops of the backward pass, by what makes them alike.
    Families sampleOps(const Trace &trace, const BusyTimes &busy, double bytesPerNs)
    {
        Families families;
        for (const Track &track : trace.tracks) {
            if (track.kind != TrackKind::HostThread)
                continue;
            const SliceColumns &slices = trace.slices[track.id.value];
            std::int64_t coveredUntilNs = std::numeric_limits<std::int64_t>::min();
            BusyTimes::Place place = 0;
            for (std::size_t row = 0; row < slices.size(); ++row) {
                if (slices.startNs[row] < coveredUntilNs || slices.phase[row] != Phase::Backward
                    || !isFrameworkOp(trace.nameOf(slices.name[row])))
                    continue;
                coveredUntilNs = slices.endNs(row);
                if (slices.durationNs[row] < ShortestFrameworkSampleNs)
                    continue;
                const TimeRange range { trace.toAligned(track.worker, slices.startNs[row]),
                                        trace.toAligned(track.worker, slices.endNs(row)) };
                families[{ track.worker, slices.name[row], slices.bytes[row] }].push_back(
                    { busy.shareOf(range, place) * bytesPerNs,
                      std::log(static_cast<double>(range.durationNs())),
                      static_cast<double>(range.durationNs()) });
            }
        }
        std::erase_if(families,
                      [](const auto &family) { return family.second.size() < SmallestFamily; });
        return families;
    }

    Sample weightedMean(const std::vector<Sample> &samples)
    {
        Sample mean;
        for (const Sample &s : samples) {
            mean.rate += s.weight * s.rate;
            mean.logNs += s.weight * s.logNs;
            mean.weight += s.weight;
        }
        mean.rate /= mean.weight;
        mean.logNs /= mean.weight;
        return mean;
    }

    /// Slope of ln(duration) on the rate within families, with the error that allows for unequal
    /// scatter (White 1980).
    Interference regress(const Families &families)
    {
        double xx = 0, xy = 0;
        for (const auto &[key, samples] : families) {
            const Sample mean = weightedMean(samples);
            for (const Sample &s : samples) {
                xx += s.weight * std::pow(s.rate - mean.rate, 2);
                xy += s.weight * (s.rate - mean.rate) * (s.logNs - mean.logNs);
            }
        }
        Interference result;
        if (xx <= 0)
            return result;
        const double slope = xy / xx;
        double scatter = 0;
        for (const auto &[key, samples] : families) {
            const Sample mean = weightedMean(samples);
            for (const Sample &s : samples) {
                const double residual = s.logNs - mean.logNs - slope * (s.rate - mean.rate);
                scatter += std::pow(s.weight * (s.rate - mean.rate) * residual, 2);
            }
            result.samples += samples.size();
        }
        result.costNsPerByte = slope;
        result.standardError = std::sqrt(scatter) / xx;
        return result;
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
    Interference own = regress(sampleOps(trace, linkTimes(graph, link), 1 / model.betaNsPerByte));
    const double ownPrecision
        = own.standardError > 0 ? 1 / (own.standardError * own.standardError) : 0;
    constexpr double PriorPrecision = 1 / (PriorNsPerByte * PriorNsPerByte);
    own.costNsPerByte
        = std::max(0.0,
                   (own.costNsPerByte * ownPrecision + PriorNsPerByte * PriorPrecision)
                       / (ownPrecision + PriorPrecision));
    own.standardError = 1 / std::sqrt(ownPrecision + PriorPrecision);
    return own;
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
