#include "core/analyze/alignment_json.h"

#include "core/model/clock_drift.h"
#include "core/model/unrelated_clocks.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdint>
#include <utility>

namespace core {

namespace {

    /// Offsets that are closer than this cannot be told apart; null where a rank's is not known, or
    /// none was solved.
    nlohmann::ordered_json identifiableToNs(const AlignmentReport &report,
                                            const ClocksByHand &byHand)
    {
        nlohmann::ordered_json toNs;
        std::int64_t largestNs = 0;
        for (const Alignment &clock : report.workers) {
            if (clock.isReference || isByHand(byHand, clock.worker))
                continue;
            if (!clock.isKnown)
                return nullptr;
            largestNs = std::max(largestNs, clock.uncertaintyNs);
            toNs = largestNs;
        }
        return toNs;
    }

} // namespace

nlohmann::ordered_json toJson(const AlignmentReport &report, const ClocksByHand &byHand,
                              const AlignmentReport &solved, const std::vector<Worker> &workers,
                              std::span<const Iteration> iterations)
{
    const std::vector<ClockDrift> drifts = clockDrifts(report, workers, byHand, iterations);
    using Json = nlohmann::ordered_json;
    Json ranks = Json::array();
    for (const Alignment &clock : report.workers) {
        const bool isSet = isByHand(byHand, clock.worker);
        const ClockDrift &drift = drifts[clock.worker.value];
        Json &rank = ranks.emplace_back(Json { { "rank", workers[clock.worker.value].rank },
                                               { "offset_ns", clock.offsetNs },
                                               { "drift_ppm", clock.driftPpm },
                                               { "drift_known", drift.ppm.has_value() },
                                               { "drift_most_ppm", nullptr },
                                               { "drift_range_ppm", nullptr },
                                               { "residual_ns", clock.residualNs },
                                               { "uncertainty_ns", nullptr },
                                               { "solved_offset_ns", nullptr },
                                               { "as_recorded", clock.isAsRecorded },
                                               { "one_clock", isOneClock(clock) },
                                               { "by_hand", isSet },
                                               { "reference", clock.isReference },
                                               { "known", clock.isKnown },
                                               { "placed", isPlaced(clock) } });
        if (drift.mostPpm)
            rank["drift_most_ppm"] = *drift.mostPpm;
        if (drift.range)
            rank["drift_range_ppm"] = { drift.range->leastPpm, drift.range->mostPpm };
        if (!isSet && (clock.isKnown || clock.isReference))
            rank["uncertainty_ns"] = clock.uncertaintyNs;
        const Alignment &own = solved.workers[clock.worker.value];
        if (isSet && own.isKnown)
            rank["solved_offset_ns"] = own.offsetNs;
    }
    Json contradictions = Json::array();
    for (const ClockContradiction &one : report.contradictions)
        contradictions.push_back({ { "entering_rank", workers[one.entering.value].rank },
                                   { "leaving_rank", workers[one.leaving.value].rank },
                                   { "by_ns", one.byNs } });
    return { { "ranks", std::move(ranks) },
             { "identifiable_to_ns", identifiableToNs(report, byHand) },
             { "violations_before", report.violationsBefore },
             { "violations_after", report.violationsAfter },
             { "contradictions", std::move(contradictions) },
             { "method", report.method },
             { "status", report.status } };
}

} // namespace core
