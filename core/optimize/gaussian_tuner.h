#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace core {

/// Two settings, each as a part 0..1 of its range.
using TunedPoint = std::pair<double, double>;

/// How a tuner looks for the least cost.
struct GaussianTuning
{
    std::vector<TunedPoint> first; ///< where it looks first
    std::size_t samples = 20; ///< others that it chooses
    double noise = 0.8; ///< standard deviation of a sample, in those of all samples
    double length = 0.3; ///< within which costs are alike, as a part of a range
};

/// Bayesian optimisation (Snoek, Larochelle and Adams, NIPS 2012, sections 2 and 3): a Gaussian
/// process with a squared exponential kernel; each next sample is where the improvement that it
/// expects is the largest on a grid of 33 x 33. `costOf` gives empty where a point cannot be had;
/// it is asked for each once. Returns the sample of the least cost; empty where none can be had.
std::optional<TunedPoint>
tunedByGaussianProcess(const GaussianTuning &tuning,
                       const std::function<std::optional<double>(const TunedPoint &)> &costOf);

} // namespace core
