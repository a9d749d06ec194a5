#include "core/pipeline/recording_start.h"

#include "core/base/saturated_time.h"
#include "core/model/compared_iterations.h"

#include <algorithm>
#include <map>
#include <optional>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t LeastIterations = 3; ///< to tell the typical one
    constexpr std::int64_t OddFactor = 2;

    /// Time of the slowest rank, by number.
    std::map<std::int64_t, std::int64_t> slowestByNumber(const ComparedIterations &compared)
    {
        std::map<std::int64_t, std::int64_t> slowest;
        for (const Iteration &iteration : compared.iterations) {
            std::int64_t &ns = slowest[iteration.index];
            ns = std::max(ns, iteration.range.durationNs());
        }
        return slowest;
    }

    std::int64_t medianOf(const std::map<std::int64_t, std::int64_t> &slowest)
    {
        std::vector<std::int64_t> all;
        all.reserve(slowest.size());
        for (const auto &[number, ns] : slowest)
            all.push_back(ns);
        const auto middle = all.begin() + static_cast<std::ptrdiff_t>(all.size() / 2);
        std::nth_element(all.begin(), middle, all.end());
        return *middle;
    }

    /// When each rank began to record, aligned; first and last.
    struct Begins
    {
        std::int64_t firstNs = 0, lastNs = 0;
        WorkerId last;
    };

    std::optional<Begins> beginsOf(const Trace &trace)
    {
        std::map<WorkerId, std::int64_t> begins;
        for (const Track &track : trace.tracks) {
            if (track.sliceCount == 0)
                continue;
            const std::int64_t ns = trace.toAligned(track.worker, track.range.startNs);
            const auto [found, isNew] = begins.try_emplace(track.worker, ns);
            found->second = std::min(found->second, ns);
        }
        if (begins.empty())
            return std::nullopt;
        const auto [first, last]
            = std::minmax_element(begins.begin(), begins.end(),
                                  [](const auto &a, const auto &b) { return a.second < b.second; });
        return Begins { first->second, last->second, last->first };
    }

    bool areClocksKnown(const Trace &trace)
    {
        const std::vector<Alignment> &clocks = trace.alignment.workers;
        return !clocks.empty() && std::all_of(clocks.begin(), clocks.end(), [](const auto &clock) {
            return clock.isKnown || clock.isReference;
        });
    }

    /// Tells waiting from warming up, which is long on all ranks: the last to begin did not wait.
    bool isTypical(const ComparedIterations &compared, WorkerId worker, std::int64_t number,
                   std::int64_t typicalNs)
    {
        return std::any_of(compared.iterations.begin(), compared.iterations.end(),
                           [&](const Iteration &one) {
                               return one.worker == worker && one.index == number
                                   && one.range.durationNs() / OddFactor <= typicalNs;
                           });
    }

} // namespace

void leaveOutRecordingStart(Trace &trace)
{
    if (trace.workers.size() < 2 || trace.compared.count < LeastIterations
        || !areClocksKnown(trace))
        return;
    const auto slowest = slowestByNumber(trace.compared);
    if (slowest.size() != trace.compared.count) // paired in order, whatever their numbers
        return;
    const std::int64_t typicalNs = medianOf(slowest);
    const auto [firstNumber, firstNs] = *slowest.begin();
    const auto begins = beginsOf(trace);
    const bool isOdd = firstNs / OddFactor > typicalNs;
    if (!isOdd || !begins || !isTypical(trace.compared, begins->last, firstNumber, typicalNs)
        || saturatedDifference(begins->lastNs, begins->firstNs) < (firstNs - typicalNs) / 2)
        return;
    for (Iteration &iteration : trace.iterations)
        if (iteration.index == firstNumber
            && iteration.range.durationNs() / OddFactor > typicalNs) {
            iteration.isWhole = false;
            iteration.waitedForRecordingNs = iteration.range.durationNs() - typicalNs;
        }
    trace.compared = comparedIterations(trace);
}

} // namespace core
