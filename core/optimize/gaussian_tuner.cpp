#include "core/optimize/gaussian_tuner.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace core {

namespace {

    constexpr int GridPoints = 33; ///< of each setting

    /// What a process that was seen at some points expects at others: costs less their mean, in
    /// standard deviations.
    class GaussianProcess
    {
    public:
        GaussianProcess(std::vector<TunedPoint> points, const std::vector<double> &costs,
                        const GaussianTuning &tuning)
            : m_points(std::move(points))
            , m_length(tuning.length)
        {
            factorize(tuning.noise * tuning.noise);
            m_weights = solvedBack(solved(costs));
        }

        struct Expected
        {
            double mean, deviation;
        };
        Expected at(const TunedPoint &point) const
        {
            std::vector<double> alike;
            alike.reserve(m_points.size());
            for (const TunedPoint &seen : m_points)
                alike.push_back(kernel(seen, point));
            const double mean
                = std::inner_product(alike.begin(), alike.end(), m_weights.begin(), 0.0);
            const std::vector<double> known = solved(alike);
            const double variance
                = 1 - std::inner_product(known.begin(), known.end(), known.begin(), 0.0);
            return { mean, std::sqrt(std::max(0.0, variance)) };
        }

    private:
        double kernel(const TunedPoint &a, const TunedPoint &b) const
        {
            const double x = (a.first - b.first) / m_length;
            const double y = (a.second - b.second) / m_length;
            return std::exp(-(x * x + y * y) / 2);
        }

        /// Cholesky: the kernel matrix with noise as L times its transpose.
        void factorize(double variance)
        {
            const std::size_t size = m_points.size();
            m_lower.assign(size * size, 0);
            for (std::size_t row = 0; row < size; ++row)
                for (std::size_t column = 0; column <= row; ++column) {
                    double sum = kernel(m_points[row], m_points[column]);
                    for (std::size_t k = 0; k < column; ++k)
                        sum -= lower(row, k) * lower(column, k);
                    m_lower[row * size + column] = row == column
                        ? std::sqrt(std::max(1e-12, sum + variance))
                        : sum / lower(column, column);
                }
        }

        double lower(std::size_t row, std::size_t column) const
        {
            return m_lower[row * m_points.size() + column];
        }

        /// x of L x = values.
        std::vector<double> solved(std::vector<double> values) const
        {
            for (std::size_t row = 0; row < values.size(); ++row) {
                for (std::size_t k = 0; k < row; ++k)
                    values[row] -= lower(row, k) * values[k];
                values[row] /= lower(row, row);
            }
            return values;
        }

        /// x of L' x = values.
        std::vector<double> solvedBack(std::vector<double> values) const
        {
            for (std::size_t row = values.size(); row-- > 0;) {
                for (std::size_t k = row + 1; k < values.size(); ++k)
                    values[row] -= lower(k, row) * values[k];
                values[row] /= lower(row, row);
            }
            return values;
        }

        std::vector<TunedPoint> m_points;
        double m_length;
        std::vector<double> m_lower; ///< [points x points]
        std::vector<double> m_weights;
    };

    /// By how much less than `best` a normally distributed cost is, in the mean.
    double expectedImprovement(const GaussianProcess::Expected &expected, double best)
    {
        if (expected.deviation <= 0)
            return std::max(0.0, best - expected.mean);
        const double z = (best - expected.mean) / expected.deviation;
        const double below = std::erfc(-z / std::numbers::sqrt2) / 2;
        const double density = std::exp(-z * z / 2) / std::sqrt(2 * std::numbers::pi);
        return (best - expected.mean) * below + expected.deviation * density;
    }

    /// In standard deviations from the mean.
    std::vector<double> standardized(const std::vector<double> &costs)
    {
        const auto count = static_cast<double>(costs.size());
        const double mean = std::accumulate(costs.begin(), costs.end(), 0.0) / count;
        double squares = 0;
        for (const double cost : costs)
            squares += (cost - mean) * (cost - mean);
        const double deviation = std::max(1e-12, std::sqrt(squares / count));
        std::vector<double> result;
        result.reserve(costs.size());
        for (const double cost : costs)
            result.push_back((cost - mean) / deviation);
        return result;
    }

    class Tuner
    {
    public:
        Tuner(const GaussianTuning &tuning,
              const std::function<std::optional<double>(const TunedPoint &)> &costOf)
            : m_tuning(tuning)
            , m_costOf(costOf)
        {
        }

        std::optional<TunedPoint> best()
        {
            for (const TunedPoint &point : m_tuning.first)
                look(point);
            for (std::size_t i = 0; i < m_tuning.samples && !m_points.empty(); ++i)
                look(nextPoint());
            if (m_points.empty())
                return std::nullopt;
            const auto least = std::min_element(m_costs.begin(), m_costs.end());
            return m_points[static_cast<std::size_t>(least - m_costs.begin())];
        }

    private:
        void look(const TunedPoint &point)
        {
            m_asked.push_back(point);
            if (const std::optional<double> cost = m_costOf(point)) {
                m_points.push_back(point);
                m_costs.push_back(*cost);
            }
        }

        TunedPoint nextPoint() const
        {
            const std::vector<double> costs = standardized(m_costs);
            const GaussianProcess process(m_points, costs, m_tuning);
            const double best = *std::min_element(costs.begin(), costs.end());
            TunedPoint next;
            double most = -1;
            for (int x = 0; x < GridPoints; ++x)
                for (int y = 0; y < GridPoints; ++y) {
                    const TunedPoint point { x / (GridPoints - 1.0), y / (GridPoints - 1.0) };
                    if (std::find(m_asked.begin(), m_asked.end(), point) != m_asked.end())
                        continue;
                    const double gain = expectedImprovement(process.at(point), best);
                    if (gain > most) {
                        most = gain;
                        next = point;
                    }
                }
            return next;
        }

        const GaussianTuning &m_tuning;
        const std::function<std::optional<double>(const TunedPoint &)> &m_costOf;
        std::vector<TunedPoint> m_asked, m_points; ///< all, and those that can be had
        std::vector<double> m_costs; ///< of m_points
    };

} // namespace

std::optional<TunedPoint>
tunedByGaussianProcess(const GaussianTuning &tuning,
                       const std::function<std::optional<double>(const TunedPoint &)> &costOf)
{
    return Tuner(tuning, costOf).best();
}

} // namespace core
