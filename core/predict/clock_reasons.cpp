#include "core/predict/clock_reasons.h"

#include "core/align/shared_steps.h"
#include "core/base/duration_text.h"
#include "core/base/saturated_time.h"
#include "core/measure/trust_level.h"
#include "core/model/clock_share.h"
#include "core/model/recording_times.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>

namespace core {

namespace {

    constexpr std::int64_t QuarterHourNs = 900'000'000'000;

    /// Offsets of two separate runs come that near to a quarter hour once in 450 times.
    bool isOtherTimeZone(const Trace &trace, const OtherRecording &apart)
    {
        const AlignmentReport &clocks = trace.alignment;
        if (clocks.workers.empty())
            return false;
        const Alignment &own = clocks.workers[apart.worker.value];
        const Alignment &theirs = clocks.workers[apart.compared.value];
        const auto isTied = [](const Alignment &one) { return one.isKnown || one.isReference; };
        if (!isTied(own) || !isTied(theirs) || clocks.violationsAfter > 0)
            return false;
        const double quarters
            = static_cast<double>(saturatedDifference(own.offsetNs, theirs.offsetNs))
            / static_cast<double>(QuarterHourNs);
        return std::abs(quarters) > 0.5
            && std::abs(quarters - std::round(quarters)) * static_cast<double>(QuarterHourNs)
            <= static_cast<double>(SetClocksErrorNs);
    }

    /// "The clocks say that rank 1 was recorded 2.00 s after rank 0 and others".
    std::string recordedApartText(const Trace &trace, const OtherRecording &other)
    {
        const auto rankOf = [&trace](WorkerId worker) {
            return std::to_string(trace.workers[worker.value].rank);
        };
        return "The clocks say that rank " + rankOf(other.worker) + " was recorded "
            + durationText(other.gapNs) + (other.isBefore ? " before" : " after") + " rank "
            + rankOf(other.compared) + (other.comparedCount > 1 ? " and others" : "");
    }

    /// Where all that recorded at other times are of the same run by their steps.
    std::optional<TrustReason> sameRunReason(const Trace &trace,
                                             const std::vector<OtherRecording> &others)
    {
        const StepComparison comparison(trace);
        std::optional<SharedSteps> first;
        for (const OtherRecording &apart : others) {
            const std::optional<SharedSteps> steps
                = comparison.ofOneRun(apart.compared, apart.worker);
            if (!steps)
                return {};
            first = first ? first : steps;
        }
        return TrustReason {
            TrustLevel::Good,
            recordedApartText(trace, others.front()) + ". But their common steps agree within "
                + durationText(first->errorNs) + ", and steps vary by "
                + durationText(first->jitterNs)
                + ". So they are of one run and a clock is wrong; the alignment corrects it."
        };
    }

    /// The same where steps cannot tell, but messages tie all of them.
    std::optional<TrustReason> tiedReason(const Trace &trace,
                                          const std::vector<OtherRecording> &others)
    {
        const StepComparison comparison(trace);
        std::int64_t mostNs = 0;
        for (const OtherRecording &apart : others) {
            const auto tiedNs = comparison.tiedWithin(apart.compared, apart.worker);
            if (!tiedNs)
                return {};
            mostNs = std::max(mostNs, *tiedNs);
        }
        return TrustReason { TrustLevel::Good,
                             recordedApartText(trace, others.front())
                                 + ". But all messages between them fit one offset of the clocks, "
                                   "to "
                                 + durationText(mostNs)
                                 + ": one run with a wrong clock is assumed." };
    }

    std::optional<TrustReason> otherTimesReason(const Trace &trace)
    {
        const std::vector<OtherRecording> others = recordingsAtOtherTimes(trace);
        if (others.empty())
            return {};
        if (std::all_of(others.begin(), others.end(), [&trace](const OtherRecording &apart) {
                return isOtherTimeZone(trace, apart);
            }))
            return TrustReason { TrustLevel::Good,
                                 recordedApartText(trace, others.front())
                                     + ". But the clocks differ by a whole number of quarter "
                                       "hours, as those of other time zones." };
        if (auto reason = sameRunReason(trace, others))
            return reason;
        const bool isMaybeClocks
            = std::all_of(others.begin(), others.end(), [](const OtherRecording &apart) {
                  return apart.gapNs <= UnsetClockGapNs;
              });
        if (auto reason = isMaybeClocks ? tiedReason(trace, others) : std::nullopt)
            return reason;
        return TrustReason { isMaybeClocks ? TrustLevel::Fair : TrustLevel::Poor,
                             recordedApartText(trace, others.front())
                                 + ", not at the same time. If it is of another run, no comparison "
                                   "holds: import it into a project of its own." };
    }

    std::optional<TrustReason> untiedReason(const Trace &trace)
    {
        if (trace.workers.size() < 2)
            return {};
        for (const Alignment &alignment : trace.alignment.workers)
            if (!alignment.isKnown)
                return TrustReason {
                    TrustLevel::Fair,
                    "No collective and no message ties rank "
                        + std::to_string(trace.workers[alignment.worker.value].rank)
                        + " to the others: whether they wait for each other is not known."
                };
        return {};
    }

} // namespace

std::vector<TrustReason> clockReasons(const Trace &trace)
{
    std::vector<TrustReason> reasons;
    if (auto reason = otherTimesReason(trace))
        reasons.push_back(std::move(*reason));
    if (auto reason = untiedReason(trace))
        reasons.push_back(std::move(*reason));
    const auto clocks = clockUncertainty(trace.alignment, trace.tracks, trace.iterations);
    if (clocks && clocks->isTold())
        reasons.push_back(
            { clocks->isLarge() ? TrustLevel::Fair : TrustLevel::Good, clocks->warning() });
    return reasons;
}

} // namespace core
