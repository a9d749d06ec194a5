#include "core/align/clock_quality.h"

#include "core/align/clock_offsets.h"
#include "core/align/median.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

namespace core {

namespace {

    /// Of times of damaged traces that are too far apart for an int64, too; exact, which the
    /// difference of doubles is not for times since 1970.
    std::int64_t endDistanceNs(std::int64_t a, std::int64_t b)
    {
        const std::uint64_t ns = static_cast<std::uint64_t>(std::max(a, b))
            - static_cast<std::uint64_t>(std::min(a, b));
        constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();
        return static_cast<std::int64_t>(std::min(ns, static_cast<std::uint64_t>(Most)));
    }

    /// By worker: median distance of its aligned ends from the reference's, or from those of
    /// another participant where the reference takes no part; 0 for none.
    std::vector<std::int64_t> residuals(const ClockEvidence &evidence, std::size_t reference,
                                        const std::vector<Alignment> &clocks)
    {
        std::vector<std::vector<std::int64_t>> distances(clocks.size());
        const auto endOf = [&clocks](const ObservedPart &part) {
            return clocks[part.worker].toAligned(part.endNs);
        };
        for (const ObservedCollective &collective : evidence.collectives) {
            if (!collective.endsTogether)
                continue;
            const ObservedPart *first = nullptr, *second = nullptr;
            for (const ObservedPart &part : collective.parts) {
                if (!clocks[part.worker].isKnown)
                    continue;
                if (!first || part.worker == reference)
                    second = std::exchange(first, &part);
                else if (!second)
                    second = &part;
            }
            if (!second)
                continue;
            for (const ObservedPart &part : collective.parts)
                if (clocks[part.worker].isKnown)
                    distances[part.worker].push_back(
                        endDistanceNs(endOf(part), endOf(&part == first ? *second : *first)));
        }
        std::vector<std::int64_t> medians;
        medians.reserve(distances.size());
        for (std::vector<std::int64_t> &own : distances)
            medians.push_back(own.empty() ? 0 : median(std::move(own)));
        return medians;
    }

    std::optional<ClockOffset> clockOf(const Alignment &alignment)
    {
        if (!alignment.isKnown)
            return std::nullopt;
        return ClockOffset {
            alignment.offsetNs,      alignment.driftPpm,     alignment.driftFromNs,
            alignment.uncertaintyNs, alignment.isAsRecorded, alignment.driftRange
        };
    }

} // namespace

void judgeClocks(const ClockEvidence &evidence, AlignmentReport &report)
{
    const auto reference
        = std::find_if(report.workers.begin(), report.workers.end(),
                       [](const Alignment &alignment) { return alignment.isReference; });
    const auto referenceIndex = static_cast<std::size_t>(reference - report.workers.begin());
    const std::vector<std::int64_t> residualNs
        = residuals(evidence, referenceIndex, report.workers);
    std::vector<std::optional<ClockOffset>> clocks;
    for (std::size_t w = 0; w < report.workers.size(); ++w) {
        report.workers[w].residualNs = w == referenceIndex ? 0 : residualNs[w];
        clocks.push_back(clockOf(report.workers[w]));
    }
    report.violationsAfter = countViolations(evidence, clocks);
}

} // namespace core
