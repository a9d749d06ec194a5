#include "core/predict/iteration_spread.h"

#include "core/base/median_ns.h"
#include "core/measure/median_deviation.h"
#include "core/measure/student_t.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace core {

namespace {

    constexpr std::size_t MostReplicates = 1000, FewestReplicates = 200;
    constexpr std::size_t MostRanks = 64; ///< the iteration is one of these
    constexpr std::size_t MostDraws = 20'000'000; ///< in all, beyond the fewest replicates

    double standardDeviation(const std::vector<std::int64_t> &values)
    {
        const auto n = static_cast<double>(values.size());
        double mean = 0, squares = 0;
        for (const std::int64_t v : values)
            mean += static_cast<double>(v) / n;
        for (const std::int64_t v : values)
            squares += std::pow(static_cast<double>(v) - mean, 2);
        return std::sqrt(squares / (n - 1));
    }

    /// Standard deviations by the median absolute one beyond which an iteration is far off: of
    /// normal ones hardly any is.
    constexpr double FarOff = 5;

    struct Deviations
    {
        double down = 0, up = 0;
    };

    Deviations deviations(const std::vector<std::int64_t> &values)
    {
        const std::int64_t middle = medianNs(values);
        std::vector<std::int64_t> distances;
        distances.reserve(values.size());
        for (const std::int64_t v : values)
            distances.push_back(std::abs(v - middle));
        const std::int64_t most
            = std::llround(FarOff * DeviationOfMedian * static_cast<double>(medianNs(distances)));
        std::vector<std::int64_t> below = values, above = values;
        for (std::int64_t &v : below)
            v = std::min(v, middle + most);
        for (std::int64_t &v : above)
            v = std::max(v, middle - most);
        return { standardDeviation(below), standardDeviation(above) };
    }

    /// Of the iterations that count on every rank.
    std::vector<std::int64_t> steadyPeriods(const ReplayedIterations &own, std::size_t warmUp)
    {
        std::vector<std::int64_t> periods;
        for (std::size_t i = warmUp; i < own.periodNs.size(); ++i)
            if (own.counts(i))
                periods.push_back(own.periodNs[i]);
        return periods;
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

    /// A rank's iterations after the warm-up, and what its typical one differs from their median
    /// by.
    struct Steady
    {
        std::vector<std::int64_t> periodNs;
        std::int64_t typicalNs = 0, medianNs = 0;
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
            steady.periodNs = steadyPeriods(*own, warmUp);
            steady.typicalNs = own->typicalNs;
            steady.medianNs = medianNs(steady.periodNs);
        }
        return all;
    }

    /// The slowest rank's median of the drawn iterations.
    std::int64_t typicalOf(const std::vector<Steady> &ranks, const std::vector<std::size_t> &drawn)
    {
        std::int64_t slowestNs = 0;
        std::vector<std::int64_t> values(drawn.size());
        for (const Steady &rank : ranks) {
            std::transform(drawn.begin(), drawn.end(), values.begin(),
                           [&rank](std::size_t i) { return rank.periodNs[i]; });
            slowestNs = std::max(slowestNs, rank.typicalNs + medianNs(values) - rank.medianNs);
        }
        return slowestNs;
    }

} // namespace

IterationSpread iterationSpread(const std::vector<ReplayedIterations> &iterations,
                                const JobControl &control)
{
    IterationSpread spread;
    const std::size_t warmUp = mostWarmUp(iterations);
    const std::size_t count
        = iterations.empty() ? 0 : steadyPeriods(iterations.front(), warmUp).size();
    if (count < 2)
        return spread;
    for (const ReplayedIterations &own : iterations) {
        const Deviations deviation = deviations(steadyPeriods(own, warmUp));
        spread.ofOneDownNs = std::max(spread.ofOneDownNs, studentT95(count - 1) * deviation.down);
        spread.ofOneUpNs = std::max(spread.ofOneUpNs, studentT95(count - 1) * deviation.up);
    }

    const std::vector<Steady> ranks = slowest(iterations, warmUp);
    const std::int64_t typicalNs = ranks.front().typicalNs;
    std::mt19937 random(1); // the same interval every time
    std::vector<std::size_t> drawn(count);
    std::vector<std::int64_t> replicates(
        std::clamp(MostDraws / (count * ranks.size()), FewestReplicates, MostReplicates));
    for (std::int64_t &replicate : replicates) {
        throwIfCancelled(control);
        std::generate(drawn.begin(), drawn.end(), [&] { return random() % count; });
        replicate = typicalOf(ranks, drawn);
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
        if (std::vector<std::int64_t> periods = steadyPeriods(own, warmUp); !periods.empty())
            ranks.push_back(std::move(periods));
    if (ranks.size() < 2)
        return spread;
    // It may be so off in each iteration: all else is as unsure there.
    const double reachNs = reachOfAnotherRank(ranks);
    spread.ofOneDownNs += reachNs;
    spread.ofOneUpNs += reachNs;
    return spread;
}

} // namespace core
