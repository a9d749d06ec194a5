#include "core/align/recorder_clock.h"

#include "core/align/collective_ends/end_clocks.h"
#include "core/base/median_ns.h"
#include "core/base/saturated_time.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

namespace core {

namespace {

    /// What two recorders may differ by at the end of one record, or half of its duration.
    constexpr std::int64_t RecorderNoiseNs = 1'000'000;
    constexpr std::size_t FewestToShowNoDrift = 6;

    std::int64_t steadyOffsetNs(std::span<const SharedRecord> records)
    {
        std::vector<std::int64_t> offsets;
        for (const SharedRecord &record : records)
            offsets.push_back(saturatedDifference(record.known.endNs, record.other.endNs));
        return medianNs(std::move(offsets));
    }

    TimeRange timeOf(std::span<const SharedRecord> records)
    {
        TimeRange time = records.front().other;
        for (const SharedRecord &record : records) {
            time.startNs = std::min(time.startNs, record.other.startNs);
            time.endNs = std::max(time.endNs, record.other.endNs);
        }
        return time;
    }

    /// The two recorders are two ranks to the fit, which leave each record together.
    RecorderClock fitted(std::span<const SharedRecord> records, std::int64_t steadyNs,
                         const JobControl &control)
    {
        ClockEvidence evidence;
        std::int64_t firstNs = records.front().known.startNs;
        for (const SharedRecord &record : records) {
            firstNs = std::min(firstNs, record.known.startNs);
            evidence.collectives.push_back({ { { 0, record.known.startNs, record.known.endNs },
                                               { 1, record.other.startNs, record.other.endNs } } });
        }
        std::vector<std::optional<ClockOffset>> clocks(2);
        clocks[0] = ClockOffset { 0, 0, firstNs };
        clocks[1] = ClockOffset { steadyNs, 0, timeOf(records).startNs };
        fitEndClocks(endCollectives(evidence), { {}, {} }, 0, clocks, control);
        return { clocks[1]->offsetNs, clocks[1]->driftPpm, clocks[1]->originNs };
    }

    bool showsNoDrift(const RecorderClock &steady, std::span<const SharedRecord> records,
                      const TimeRange &recorded)
    {
        std::vector<SharedRecord> fitting;
        std::copy_if(records.begin(), records.end(), std::back_inserter(fitting),
                     [&steady](const SharedRecord &record) { return steady.fits(record); });
        return fitting.size() >= FewestToShowNoDrift
            && timeOf(fitting).durationNs() >= recorded.durationNs() / 2;
    }

} // namespace

std::int64_t SharedRecord::toleranceNs() const
{
    return std::max(RecorderNoiseNs, known.durationNs() / 2);
}

double RecorderClock::distanceNs(const SharedRecord &record) const
{
    // The difference first: times since 1970 are beyond what a double tells apart.
    const std::int64_t apartNs = saturatedDifference(record.known.endNs, record.other.endNs);
    const auto sinceNs = static_cast<double>(saturatedDifference(record.other.endNs, fromNs));
    return std::abs(static_cast<double>(saturatedDifference(apartNs, offsetNs))
                    - driftPpm.value_or(0) * 1e-6 * sinceNs);
}

bool RecorderClock::fits(const SharedRecord &record) const
{
    return distanceNs(record) <= static_cast<double>(record.toleranceNs());
}

std::size_t countFitting(const RecorderClock &clock, std::span<const SharedRecord> records)
{
    return static_cast<std::size_t>(
        std::count_if(records.begin(), records.end(),
                      [&clock](const SharedRecord &record) { return clock.fits(record); }));
}

std::optional<RecorderClock> recorderClock(std::span<const SharedRecord> records,
                                           const TimeRange &recorded, const JobControl &control)
{
    if (records.size() < FewestSharedRecords)
        return std::nullopt;
    RecorderClock steady { steadyOffsetNs(records), std::nullopt, 0 };
    const RecorderClock drifting = fitted(records, steady.offsetNs, control);
    if (drifting.driftPpm != 0.0
        && countFitting(drifting, records) >= countFitting(steady, records))
        return drifting;
    if (showsNoDrift(steady, records, recorded))
        steady.driftPpm = 0;
    return steady;
}

} // namespace core
