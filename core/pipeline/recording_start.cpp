#include "core/pipeline/recording_start.h"

#include "core/model/compared_iterations.h"

#include <algorithm>
#include <limits>
#include <map>
#include <vector>

namespace core {

namespace {

    constexpr std::size_t LeastIterations = 3; ///< to tell the typical one
    constexpr std::int64_t OddFactor = 2;

    /// By number: how long the slowest rank took.
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

    /// Between the first and the last rank, aligned.
    std::int64_t beganApartNs(const Trace &trace)
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
            return 0;
        const auto [first, last]
            = std::minmax_element(begins.begin(), begins.end(),
                                  [](const auto &a, const auto &b) { return a.second < b.second; });
        return last->second - first->second;
    }

} // namespace

void leaveOutRecordingStart(Trace &trace)
{
    if (trace.workers.size() < 2 || trace.compared.count < LeastIterations)
        return;
    const auto slowest = slowestByNumber(trace.compared);
    if (slowest.size() != trace.compared.count) // paired in order, whatever their numbers
        return;
    const std::int64_t typicalNs = medianOf(slowest);
    const auto [firstNumber, firstNs] = *slowest.begin();
    const std::int64_t excessNs = firstNs - typicalNs, apartNs = beganApartNs(trace);
    if (firstNs <= OddFactor * typicalNs || 2 * apartNs < excessNs)
        return;
    for (Iteration &iteration : trace.iterations)
        if (iteration.index == firstNumber
            && iteration.range.durationNs() > OddFactor * typicalNs) {
            iteration.isWhole = false;
            iteration.waitedForRecordingNs = iteration.range.durationNs() - typicalNs;
        }
    trace.compared = comparedIterations(trace);
}

} // namespace core
