#include "core/model/clock_drift.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace core {

namespace {

    /// By worker: from the start of its first iteration to the end of its last.
    std::vector<std::int64_t> iteratedNs(std::size_t workers, std::span<const Iteration> iterations)
    {
        std::vector<std::optional<TimeRange>> ranges(workers);
        for (const Iteration &iteration : iterations) {
            std::optional<TimeRange> &range = ranges[iteration.worker.value];
            if (!range)
                range = iteration.range;
            range->startNs = std::min(range->startNs, iteration.range.startNs);
            range->endNs = std::max(range->endNs, iteration.range.endNs);
        }
        std::vector<std::int64_t> lengths;
        lengths.reserve(workers);
        for (const auto &range : ranges)
            lengths.push_back(range ? saturatedDifference(range->endNs, range->startNs) : 0);
        return lengths;
    }

    /// Of the reference; empty: not known.
    std::string referenceHost(const AlignmentReport &report, const std::vector<Worker> &workers)
    {
        for (const Alignment &clock : report.workers)
            if (clock.isReference)
                return workers[clock.worker.value].host;
        return {};
    }

    std::string rounded(const char *format, double ppm)
    {
        std::array<char, 32> text {};
        std::snprintf(text.data(), text.size(), format, ppm);
        return text.data();
    }

    ClockDrift unknownDrift(std::int64_t uncertaintyNs, std::int64_t lengthNs)
    {
        if (uncertaintyNs <= 0 || lengthNs <= 0)
            return {};
        const double mostPpm
            = 2e6 * static_cast<double>(uncertaintyNs) / static_cast<double>(lengthNs);
        return mostPpm > LargestToldDriftPpm ? ClockDrift {} : ClockDrift { std::nullopt, mostPpm };
    }

    /// By what the rank's messages or collectives leave open.
    ClockDrift boundedDrift(double appliedPpm, const DriftRange &range)
    {
        // A range that ends there was cut off.
        constexpr double CutOffPpm = LargestToldDriftPpm * (1 - 1e-6);
        const double mostPpm = std::max(-range.leastPpm, range.mostPpm);
        const bool isTold = mostPpm < CutOffPpm;
        ClockDrift drift;
        if (isTold)
            drift.range = range;
        if (range.holds(0)) {
            if (isTold)
                drift.mostPpm = mostPpm;
            return drift;
        }
        drift.ppm = appliedPpm;
        if (isTold)
            drift.mostPpm = std::max(range.mostPpm - appliedPpm, appliedPpm - range.leastPpm);
        return drift;
    }

} // namespace

std::vector<ClockDrift> clockDrifts(const AlignmentReport &report,
                                    const std::vector<Worker> &workers, const ClocksByHand &byHand,
                                    std::span<const Iteration> iterations)
{
    const std::vector<std::int64_t> lengthNs = iteratedNs(workers.size(), iterations);
    const std::string host = referenceHost(report, workers);
    std::vector<ClockDrift> drifts;
    drifts.reserve(report.workers.size());
    for (const Alignment &clock : report.workers) {
        const std::size_t worker = clock.worker.value;
        const bool isOneHost = !host.empty() && workers[worker].host == host;
        if (clock.isReference)
            drifts.push_back({ 0.0 });
        else if (!clock.isKnown)
            drifts.emplace_back();
        else if (clock.driftRange && !(isOneHost && clock.driftRange->holds(0)))
            drifts.push_back(boundedDrift(clock.driftPpm, *clock.driftRange));
        else if (clock.driftPpm != 0 || isOneHost || isOneClock(clock))
            drifts.push_back({ clock.driftPpm });
        else
            drifts.push_back(unknownDrift(isByHand(byHand, clock.worker) ? 0 : clock.uncertaintyNs,
                                          lengthNs[worker]));
    }
    return drifts;
}

std::string driftText(const ClockDrift &drift)
{
    const std::string text = drift.ppm ? rounded(*drift.ppm == 0 ? "%.1f" : "%+.1f", *drift.ppm)
                                       : std::string("not known");
    return text + (drift.mostPpm ? " (+-" + rounded("%.0f", *drift.mostPpm) + ")" : "");
}

} // namespace core
