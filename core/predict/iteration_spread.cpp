#include "core/predict/iteration_spread.h"

#include "core/base/median_ns.h"
#include "core/measure/median_deviation.h"
#include "core/measure/student_t.h"
#include "core/model/iteration_period.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace core {

namespace {

    constexpr std::size_t MostReplicates = 1000, FewestReplicates = 200;
    constexpr std::size_t MostRanks = 64; ///< the iteration is one of these
    constexpr std::size_t MostDraws = 20'000'000; ///< in all, beyond the fewest replicates

    /// A rank's iterations that count on every rank.
    struct SteadyTimes
    {
        std::vector<std::int64_t> ns;
        IterationsAt at; ///< indices into `ns`
    };

    /// Degrees of freedom within positions.
    std::size_t degreesOf(const SteadyTimes &times)
    {
        return times.ns.size() - times.at.size();
    }

    /// Within positions.
    double standardDeviation(const std::vector<std::int64_t> &values, const SteadyTimes &times)
    {
        double squares = 0;
        for (const std::vector<std::size_t> &here : times.at) {
            const auto n = static_cast<double>(here.size());
            double mean = 0;
            for (const std::size_t i : here)
                mean += static_cast<double>(values[i]) / n;
            for (const std::size_t i : here)
                squares += std::pow(static_cast<double>(values[i]) - mean, 2);
        }
        return std::sqrt(squares / static_cast<double>(degreesOf(times)));
    }

    /// Standard deviations by the median absolute one beyond which an iteration is far off: of
    /// normal ones hardly any is.
    constexpr double FarOff = 5;

    struct Deviations
    {
        double down = 0, up = 0;
    };

    /// [values]: the median at each one's position.
    std::vector<std::int64_t> middlesOf(const SteadyTimes &times)
    {
        std::vector<std::int64_t> middles(times.ns.size());
        for (const std::vector<std::size_t> &here : times.at) {
            const std::int64_t middle = typicalOfPeriod(times.ns, IterationsAt { here });
            for (const std::size_t i : here)
                middles[i] = middle;
        }
        return middles;
    }

    /// Spread of one more iteration; of the mean of one more period where kinds of iterations
    /// repeat.
    Deviations deviations(const SteadyTimes &times)
    {
        const std::vector<std::int64_t> middles = middlesOf(times);
        std::vector<std::int64_t> distances;
        distances.reserve(times.ns.size());
        for (std::size_t i = 0; i < times.ns.size(); ++i)
            distances.push_back(std::abs(times.ns[i] - middles[i]));
        const std::int64_t most
            = std::llround(FarOff * DeviationOfMedian * static_cast<double>(medianNs(distances)));
        std::vector<std::int64_t> below = times.ns, above = times.ns;
        for (std::size_t i = 0; i < times.ns.size(); ++i) {
            below[i] = std::min(below[i], middles[i] + most);
            above[i] = std::max(above[i], middles[i] - most);
        }
        const double ofMean = std::sqrt(static_cast<double>(times.at.size()));
        return { standardDeviation(below, times) / ofMean,
                 standardDeviation(above, times) / ofMean };
    }

    SteadyTimes steadyTimes(const ReplayedIterations &own, std::size_t warmUp)
    {
        SteadyTimes times;
        std::vector<std::uint32_t> positions;
        for (std::size_t i = warmUp; i < own.periodNs.size(); ++i) {
            if (!own.counts(i))
                continue;
            times.ns.push_back(own.periodNs[i]);
            if (!own.positions.empty())
                positions.push_back(own.positions[i]);
        }
        times.at = iterationsAt(times.ns.size(), positions, [](std::size_t) { return true; });
        std::erase_if(times.at, [](const auto &here) { return here.empty(); });
        return times;
    }

    std::size_t mostWarmUp(const std::vector<ReplayedIterations> &iterations)
    {
        std::size_t most = 0;
        for (const ReplayedIterations &own : iterations)
            most = std::max(most, own.warmUp);
        return most;
    }

    /// By which one iteration of a rank may be off the others' mean of it: Student's t times the
    /// standard deviation within iterations (Hahn and Meeker, Statistical Intervals, section 4.8).
    double reachOfAnotherRank(const std::vector<std::vector<std::int64_t>> &ranks)
    {
        const std::size_t count = ranks.front().size();
        const auto n = static_cast<double>(ranks.size());
        double squares = 0;
        for (std::size_t i = 0; i < count; ++i) {
            double mean = 0;
            for (const std::vector<std::int64_t> &own : ranks)
                mean += static_cast<double>(own[i]) / n;
            for (const std::vector<std::int64_t> &own : ranks)
                squares += std::pow(static_cast<double>(own[i]) - mean, 2);
        }
        const std::size_t degrees = (ranks.size() - 1) * count;
        return studentT95(degrees)
            * std::sqrt(squares / static_cast<double>(degrees) * (1 + 1 / n));
    }

    /// A rank's iterations after the warm-up, and what its typical one differs from theirs by.
    struct Steady
    {
        SteadyTimes times;
        std::int64_t typicalNs = 0, recordedNs = 0;
    };

    /// The slowest ranks'.
    std::vector<Steady> slowest(const std::vector<ReplayedIterations> &iterations,
                                std::size_t warmUp)
    {
        std::vector<const ReplayedIterations *> order;
        order.reserve(iterations.size());
        for (const ReplayedIterations &own : iterations)
            order.push_back(&own);
        std::stable_sort(order.begin(), order.end(),
                         [](const auto *a, const auto *b) { return a->typicalNs > b->typicalNs; });
        order.resize(std::min(order.size(), MostRanks));
        std::vector<Steady> all;
        all.reserve(order.size());
        for (const ReplayedIterations *own : order) {
            Steady &steady = all.emplace_back();
            steady.times = steadyTimes(*own, warmUp);
            steady.typicalNs = own->typicalNs;
            steady.recordedNs = typicalOfPeriod(steady.times.ns, steady.times.at);
        }
        return all;
    }

    /// Iterations by chance, as many at each position of the period.
    IterationsAt drawnFrom(const IterationsAt &at, std::mt19937 &random)
    {
        IterationsAt drawn = at;
        for (std::size_t p = 0; p < at.size(); ++p)
            for (std::size_t &i : drawn[p])
                i = at[p][random() % at[p].size()];
        return drawn;
    }

    /// The slowest rank's typical one of the drawn iterations.
    std::int64_t typicalOf(const std::vector<Steady> &ranks, const IterationsAt &drawn)
    {
        std::int64_t slowestNs = 0;
        for (const Steady &rank : ranks)
            slowestNs = std::max(slowestNs,
                                 rank.typicalNs + typicalOfPeriod(rank.times.ns, drawn)
                                     - rank.recordedNs);
        return slowestNs;
    }

} // namespace

IterationSpread iterationSpread(const std::vector<ReplayedIterations> &iterations,
                                const JobControl &control)
{
    IterationSpread spread;
    const std::size_t warmUp = mostWarmUp(iterations);
    if (iterations.empty())
        return spread;
    const SteadyTimes first = steadyTimes(iterations.front(), warmUp);
    const std::size_t degrees = degreesOf(first), count = first.ns.size();
    if (degrees == 0)
        return spread;
    for (const ReplayedIterations &own : iterations) {
        const Deviations deviation = deviations(steadyTimes(own, warmUp));
        spread.ofOneDownNs = std::max(spread.ofOneDownNs, studentT95(degrees) * deviation.down);
        spread.ofOneUpNs = std::max(spread.ofOneUpNs, studentT95(degrees) * deviation.up);
    }

    const std::vector<Steady> ranks = slowest(iterations, warmUp);
    const std::int64_t typicalNs = ranks.front().typicalNs;
    std::mt19937 random(1); // the same interval every time
    std::vector<std::int64_t> replicates(
        std::clamp(MostDraws / (count * ranks.size()), FewestReplicates, MostReplicates));
    for (std::int64_t &replicate : replicates) {
        throwIfCancelled(control);
        replicate = typicalOf(ranks, drawnFrom(first.at, random));
    }
    std::sort(replicates.begin(), replicates.end());
    const std::size_t cut = replicates.size() / 40; // 2.5 %
    spread.medianDownNs = std::max(0.0, static_cast<double>(typicalNs - replicates[cut]));
    spread.medianUpNs
        = std::max(0.0, static_cast<double>(replicates[replicates.size() - 1 - cut] - typicalNs));
    return spread;
}

IterationSpread withUnseenRank(IterationSpread spread,
                               const std::vector<ReplayedIterations> &iterations)
{
    const std::size_t warmUp = mostWarmUp(iterations);
    std::vector<std::vector<std::int64_t>> ranks;
    ranks.reserve(iterations.size());
    for (const ReplayedIterations &own : iterations)
        if (SteadyTimes times = steadyTimes(own, warmUp); !times.ns.empty())
            ranks.push_back(std::move(times.ns));
    if (ranks.size() < 2)
        return spread;
    // It may be so off in each iteration: all else is as unsure there.
    const double reachNs = reachOfAnotherRank(ranks);
    spread.ofOneDownNs += reachNs;
    spread.ofOneUpNs += reachNs;
    return spread;
}

} // namespace core
