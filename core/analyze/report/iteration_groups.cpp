#include "core/analyze/report/iteration_groups.h"

#include "core/analyze/report/period_report.h"
#include "core/base/duration_text.h"
#include "core/base/median_ns.h"
#include "core/model/compared_iterations.h"
#include "core/predict/trust.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <random>

namespace core {

namespace {

    constexpr std::size_t FewestOfGroup = 2; ///< one is an outlier, not a kind
    constexpr double OutlierTimes = 2; ///< the longest of all others
    constexpr std::size_t MostSamples = 1000, FewestSamples = 200;
    constexpr std::size_t MostDraws = 20'000'000; ///< in all, beyond the fewest samples
    constexpr double Level = 0.05;

    /// Ascending values cut in two.
    struct Cut
    {
        std::size_t firstOfUpper = 0;
        double ratio = -1; ///< squares between the groups over those within
    };

    Cut bestCut(const std::vector<double> &sorted)
    {
        double sum = 0, squares = 0;
        for (const double value : sorted) {
            sum += value;
            squares += value * value;
        }
        const auto n = static_cast<double>(sorted.size());
        const double mean = sum / n;
        const double total = squares - n * mean * mean;
        Cut best;
        double lowerSum = 0;
        for (std::size_t i = 1; i + FewestOfGroup <= sorted.size(); ++i) {
            lowerSum += sorted[i - 1];
            if (i < FewestOfGroup)
                continue;
            const auto lower = static_cast<double>(i);
            const double lowerMean = lowerSum / lower, upperMean = (sum - lowerSum) / (n - lower);
            const double between = lower * (n - lower) / n * std::pow(upperMean - lowerMean, 2);
            const double within = std::max(total - between, 1e-12 * total);
            const double ratio = within > 0 ? between / within : 0;
            if (ratio > best.ratio)
                best = { i, ratio };
        }
        return best;
    }

    bool isWellSeparated(const std::vector<double> &sorted, const Cut &cut)
    {
        const double gap = sorted[cut.firstOfUpper] - sorted[cut.firstOfUpper - 1];
        return gap > sorted[cut.firstOfUpper - 1] - sorted.front()
            && gap > sorted.back() - sorted[cut.firstOfUpper];
    }

    /// How often as many values of one kind are cut so well.
    double chanceOf(const Cut &cut, std::size_t count, const JobControl &control)
    {
        std::mt19937 random(1); // the same answer every time
        const std::size_t samples = std::clamp(MostDraws / count, FewestSamples, MostSamples);
        std::vector<double> values(count);
        std::size_t asGood = 0;
        for (std::size_t i = 0; i < samples; ++i) {
            throwIfCancelled(control);
            for (double &value : values)
                value = static_cast<double>(random()); // uniform; the scale does not matter
            std::sort(values.begin(), values.end());
            asGood += bestCut(values).ratio >= cut.ratio ? 1 : 0;
        }
        return static_cast<double>(asGood + 1) / static_cast<double>(samples + 1);
    }

    std::vector<double> sortedDurations(const std::vector<CommonIteration> &iterations)
    {
        std::vector<double> values;
        values.reserve(iterations.size());
        for (const CommonIteration &iteration : iterations)
            values.push_back(static_cast<double>(iteration.slowestNs));
        std::sort(values.begin(), values.end());
        const double middle = values[values.size() / 2];
        for (double &value : values)
            value -= middle; // sums of squares keep their digits
        return values;
    }

    IterationGroups groupsFrom(const std::vector<CommonIteration> &iterations, std::size_t others)
    {
        std::vector<std::int64_t> durationsNs;
        durationsNs.reserve(iterations.size());
        for (const CommonIteration &iteration : iterations)
            durationsNs.push_back(iteration.slowestNs);
        std::sort(durationsNs.begin(), durationsNs.end());
        const auto cut = durationsNs.begin() + static_cast<std::ptrdiff_t>(others);
        IterationGroups groups;
        groups.count = iterations.size();
        groups.othersNs = medianNs({ durationsNs.begin(), cut });
        groups.slowerNs = medianNs({ cut, durationsNs.end() });
        for (const CommonIteration &iteration : iterations)
            if (iteration.slowestNs >= *cut)
                groups.slower.push_back(iteration.index);
        return groups;
    }

    std::optional<IterationGroups> twoKinds(const std::vector<CommonIteration> &iterations,
                                            const JobControl &control)
    {
        if (iterations.size() < 2 * FewestOfGroup)
            return std::nullopt;
        const std::vector<double> sorted = sortedDurations(iterations);
        const Cut cut = bestCut(sorted);
        if (cut.ratio <= 0 || !isWellSeparated(sorted, cut))
            return std::nullopt;
        IterationGroups groups = groupsFrom(iterations, cut.firstOfUpper);
        const double apart = static_cast<double>(groups.slowerNs)
            / static_cast<double>(std::max<std::int64_t>(1, groups.othersNs));
        if (apart - 1 <= FairReplayError || chanceOf(cut, sorted.size(), control) > Level)
            return std::nullopt;
        return groups;
    }

    std::optional<IterationGroups> outlier(const std::vector<CommonIteration> &iterations)
    {
        if (iterations.size() <= FewestOfGroup)
            return std::nullopt;
        std::int64_t longestNs = 0, nextNs = 0;
        for (const CommonIteration &iteration : iterations) {
            nextNs = std::max(nextNs, std::min(longestNs, iteration.slowestNs));
            longestNs = std::max(longestNs, iteration.slowestNs);
        }
        if (static_cast<double>(longestNs) <= OutlierTimes * static_cast<double>(nextNs))
            return std::nullopt;
        return groupsFrom(iterations, iterations.size() - 1);
    }

} // namespace

std::optional<IterationGroups> iterationGroups(const std::vector<CommonIteration> &iterations,
                                               const JobControl &control)
{
    auto groups = twoKinds(iterations, control);
    return groups ? groups : outlier(iterations);
}

std::string iterationGroupsText(const IterationGroups &groups)
{
    std::array<char, 32> times {};
    std::snprintf(times.data(), times.size(), "%.3g",
                  static_cast<double>(groups.slowerNs)
                      / static_cast<double>(std::max<std::int64_t>(1, groups.othersNs)));
    return std::to_string(groups.slower.size()) + " of " + std::to_string(groups.count)
        + (groups.slower.size() == 1 ? " iterations takes " : " iterations take ") + times.data()
        + " times as long as the others (" + durationText(groups.slowerNs) + ", the others "
        + durationText(groups.othersNs) + "): " + iterationNumbersText(groups.slower)
        + ". Predictions are of the " + typicalWords(groups.periodLength) + ".";
}

} // namespace core
