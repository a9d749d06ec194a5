#pragma once

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace core {

/// What communication costs the computation that it overlaps, as one comparison of ops tells it:
/// the slope of ln(duration) on how much of it they overlap.
struct OverlapCost
{
    /// Of a CPU backend's transfers on the rate of the link, in ns (of a core) a byte; of an
    /// accelerator's on the share of the op's time, so that it is the slowdown's logarithm.
    double slope = 0;
    double standardError = 0; ///< 0: nothing is known
    std::size_t samples = 0; ///< ops that it rests on
    double deviation = 0; ///< standard deviation of the overlap within what is compared
    /// As how many equal groups of samples, which err apart, those count that it rests on: one that
    /// tells nearly all alone leaves it near 1 (Carter, Schnepel and Steigerwald, Review of
    /// Economics and Statistics 99(4), 2017; here each counts by what the overlap would vary less
    /// without it).
    double groups = 0;
};

struct OverlapSample
{
    double x = 0; ///< rate of the link, mean over the op, or share of the op's time
    double logNs = 0; ///< of products: for a multiplication
    double weight = 0; ///< duration
    std::size_t like = 0; ///< samples of one number may err together
};

/// Families of samples that would take as long if they overlapped as much.
using OverlapFamily = std::vector<OverlapSample>;

/// Of a family that is not empty.
OverlapSample weightedMean(const OverlapFamily &samples);

/// Weighted regression within families of three samples or more, with the error that allows for
/// unequal scatter, and for samples that err together: of many samples as White (1980), of few as
/// MacKinnon and White (1985, HC3).
OverlapCost costWithin(const std::vector<OverlapFamily> &families, bool areFew);

/// Lowers the weights of samples that are far off what such a regression says of them, as many of
/// which as are expected of a normal distribution stay as they are (Huber, Annals of Mathematical
/// Statistics 35(1), 1964; the weights are found by repeating the regression).
void weighOutliersLess(std::vector<OverlapFamily> &families);

template <typename Key>
std::vector<OverlapFamily> familiesOf(std::map<Key, OverlapFamily> &&byKey)
{
    std::vector<OverlapFamily> families;
    families.reserve(byKey.size());
    for (auto &[key, samples] : byKey)
        families.push_back(std::move(samples));
    return families;
}

/// What an op of one family takes on one rank: sums over its samples, then their means.
struct OverlapCell
{
    double x = 0, logNs = 0, samples = 0, ns = 0;
};
struct OverlapOfRanks
{
    std::vector<OverlapCell> ofRank; ///< [ranks]
    double weight = 0; ///< the time of its ops, of all ranks together
};

/// Regression of what is neither the family's on all ranks nor the rank's in all families (the
/// two-way within transformation: Baltagi, Econometric Analysis of Panel Data, section 3.2). The
/// error is of families that err together (HC3). `families` hold the sums of each rank, of which
/// those without samples on some rank do not count. 0 of fewer than three families or two ranks.
OverlapCost costBetweenRanks(std::vector<OverlapOfRanks> families);

} // namespace core
