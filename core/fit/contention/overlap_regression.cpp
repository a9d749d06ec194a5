#include "core/fit/contention/overlap_regression.h"

#include "core/measure/median_deviation.h"

#include <algorithm>
#include <cmath>

namespace core {

namespace {

    constexpr std::size_t SmallestFamily = 3;
    /// Of standard deviations: 95 % as efficient as least squares where errors are normal (Huber
    /// and Ronchetti, Robust Statistics, section 4.5).
    constexpr double HuberBound = 1.345;
    constexpr int MostFits = 20;

    bool isLargeEnough(const OverlapFamily &family)
    {
        return family.size() >= SmallestFamily;
    }

    /// Weighted slope within families.
    double slopeWithin(const std::vector<OverlapFamily> &families, double &xx)
    {
        double xy = 0;
        for (const OverlapFamily &samples : families) {
            if (!isLargeEnough(samples))
                continue;
            const OverlapSample mean = weightedMean(samples);
            for (const OverlapSample &s : samples) {
                xx += s.weight * std::pow(s.x - mean.x, 2);
                xy += s.weight * (s.x - mean.x) * (s.logNs - mean.logNs);
            }
        }
        return xx > 0 ? xy / xx : 0;
    }

    double residual(const OverlapSample &sample, const OverlapSample &mean, double slope)
    {
        return sample.logNs - mean.logNs - slope * (sample.x - mean.x);
    }

    double effectiveGroups(const std::vector<double> &shares)
    {
        double sum = 0, squares = 0;
        for (const double share : shares) {
            sum += share;
            squares += share * share;
        }
        return squares > 0 ? sum * sum / squares : 0;
    }

    /// Takes out what is the family's on all ranks, and the rank's in all families.
    void takeOutMeans(std::vector<OverlapOfRanks> &families, double OverlapCell::*value)
    {
        const std::size_t ranks = families.front().ofRank.size();
        std::vector<double> ofRank(ranks, 0);
        double weight = 0;
        for (OverlapOfRanks &family : families) {
            double mean = 0;
            for (const OverlapCell &cell : family.ofRank)
                mean += cell.*value / static_cast<double>(ranks);
            weight += family.weight;
            for (std::size_t rank = 0; rank < ranks; ++rank) {
                family.ofRank[rank].*value -= mean;
                ofRank[rank] += family.weight * family.ofRank[rank].*value;
            }
        }
        for (OverlapOfRanks &family : families)
            for (std::size_t rank = 0; rank < ranks; ++rank)
                family.ofRank[rank].*value -= ofRank[rank] / weight;
    }

    /// Of families and ranks without their means.
    OverlapCost slopeBetween(const std::vector<OverlapOfRanks> &families)
    {
        double xx = 0, xy = 0, weight = 0;
        for (const OverlapOfRanks &family : families) {
            weight += family.weight;
            for (const OverlapCell &cell : family.ofRank) {
                xx += family.weight * cell.x * cell.x;
                xy += family.weight * cell.x * cell.logNs;
            }
        }
        OverlapCost cost;
        if (xx <= 0)
            return cost;
        cost.slope = xy / xx;
        double scatter = 0;
        std::vector<double> shares;
        for (const OverlapOfRanks &family : families) {
            double pull = 0, own = 0;
            for (const OverlapCell &cell : family.ofRank) {
                pull += family.weight * cell.x * (cell.logNs - cost.slope * cell.x);
                own += family.weight * cell.x * cell.x;
                cost.samples += static_cast<std::size_t>(cell.samples);
            }
            shares.push_back(own);
            const double leverage = own / xx + family.weight / weight;
            scatter += std::pow(pull / std::max(1e-9, 1 - leverage), 2);
        }
        cost.standardError = std::sqrt(scatter) / xx;
        cost.groups = effectiveGroups(shares);
        cost.deviation
            = std::sqrt(xx / (weight * static_cast<double>(families.front().ofRank.size())));
        return cost;
    }

} // namespace

OverlapSample weightedMean(const OverlapFamily &samples)
{
    OverlapSample mean;
    for (const OverlapSample &s : samples) {
        mean.x += s.weight * s.x;
        mean.logNs += s.weight * s.logNs;
        mean.weight += s.weight;
    }
    mean.x /= mean.weight;
    mean.logNs /= mean.weight;
    return mean;
}

OverlapCost costWithin(const std::vector<OverlapFamily> &families, bool areFew)
{
    double xx = 0;
    OverlapCost cost;
    cost.slope = slopeWithin(families, xx);
    if (xx <= 0)
        return cost;
    std::vector<double> pulls, shares; // of samples that err together
    double weight = 0;
    for (const OverlapFamily &samples : families) {
        if (!isLargeEnough(samples))
            continue;
        const OverlapSample mean = weightedMean(samples);
        weight += mean.weight;
        for (const OverlapSample &s : samples) {
            const double x = s.x - mean.x;
            const double leverage = s.weight * x * x / xx + s.weight / mean.weight;
            const double left = areFew ? std::max(1e-9, 1 - leverage) : 1;
            pulls.resize(std::max(pulls.size(), s.like + 1), 0);
            shares.resize(pulls.size(), 0);
            shares[s.like] += s.weight * x * x / std::max(1e-9, 1 - s.weight / mean.weight);
            pulls[s.like] += s.weight * x * residual(s, mean, cost.slope) / left;
        }
        cost.samples += samples.size();
    }
    double scatter = 0;
    for (const double pull : pulls)
        scatter += pull * pull;
    cost.standardError = std::sqrt(scatter) / xx;
    cost.deviation = std::sqrt(xx / weight);
    cost.groups = effectiveGroups(shares);
    return cost;
}

void weighOutliersLess(std::vector<OverlapFamily> &families)
{
    const std::vector<OverlapFamily> whole = families;
    double before = 0;
    for (int fit = 0; fit < MostFits; ++fit) {
        double xx = 0;
        const double slope = slopeWithin(families, xx);
        if (xx <= 0 || (fit > 0 && std::abs(slope - before) < 1e-6))
            return;
        before = slope;
        // A short op's time varies more: what it deviates by counts as its time does.
        std::vector<double> deviations;
        std::vector<std::vector<double>> ofFamily(families.size());
        for (std::size_t f = 0; f < families.size(); ++f) {
            if (!isLargeEnough(families[f]))
                continue;
            const OverlapSample mean = weightedMean(families[f]);
            for (std::size_t i = 0; i < families[f].size(); ++i)
                ofFamily[f].push_back(std::abs(residual(families[f][i], mean, slope))
                                      * std::sqrt(whole[f][i].weight));
            deviations.insert(deviations.end(), ofFamily[f].begin(), ofFamily[f].end());
        }
        const auto middle = deviations.begin() + std::ssize(deviations) / 2;
        std::nth_element(deviations.begin(), middle, deviations.end());
        const double bound = HuberBound * DeviationOfMedian * *middle;
        for (std::size_t f = 0; f < families.size(); ++f)
            for (std::size_t i = 0; i < ofFamily[f].size(); ++i)
                families[f][i].weight
                    = whole[f][i].weight * (ofFamily[f][i] > bound ? bound / ofFamily[f][i] : 1);
        if (bound <= 0) // most do not deviate at all
            return;
    }
}

OverlapCost costBetweenRanks(std::vector<OverlapOfRanks> families)
{
    std::erase_if(families, [](const OverlapOfRanks &family) {
        return std::any_of(family.ofRank.begin(), family.ofRank.end(),
                           [](const OverlapCell &cell) { return cell.samples == 0; });
    });
    if (families.size() < SmallestFamily || families.front().ofRank.size() < 2)
        return {};
    for (OverlapOfRanks &family : families)
        for (OverlapCell &cell : family.ofRank) {
            cell.x /= cell.samples;
            cell.logNs /= cell.samples;
            family.weight += cell.ns;
        }
    takeOutMeans(families, &OverlapCell::x);
    takeOutMeans(families, &OverlapCell::logNs);
    return slopeBetween(families);
}

} // namespace core
