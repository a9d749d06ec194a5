#include "core/measure/robust_mean.h"

#include "core/base/median_ns.h"
#include "core/measure/median_deviation.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace core {

double robustMeanNs(const std::vector<std::int64_t> &values)
{
    constexpr int MostRounds = 50;
    constexpr double CloseNs = 0.5;
    const std::int64_t median = medianNs(values);
    std::vector<std::int64_t> distances;
    distances.reserve(values.size());
    for (const std::int64_t value : values)
        distances.push_back(std::abs(value - median));
    const double most = HuberTuning * DeviationOfMedian * static_cast<double>(medianNs(distances));
    auto mean = static_cast<double>(median);
    for (int round = 0; round < MostRounds && most > 0; ++round) {
        double sum = 0, weights = 0;
        for (const std::int64_t value : values) {
            const auto ns = static_cast<double>(value);
            const double weight = most / std::max(most, std::abs(ns - mean));
            sum += weight * ns;
            weights += weight;
        }
        const double before = mean;
        mean = sum / weights;
        if (std::abs(mean - before) <= CloseNs)
            break;
    }
    return mean;
}

} // namespace core
