#pragma once

#include <cmath>

namespace core {

// Student's t, which the distances of ends from each other are taken to have. z is a distance over
// its scale.

/// Heavier tails than Cauchy's: half of the ends agree to microseconds where the others are
/// milliseconds apart, and the fit has to follow the former.
inline constexpr double EndFreedom = 0.5;

/// Sum of weighted logarithms of densities, up to a constant. Of equal weights it multiplies the
/// densities, which is many times faster than to add their logarithms.
class EndLikelihood
{
public:
    void add(double z, double weight)
    {
        if (weight != m_weight || m_product > Largest)
            take(weight);
        m_product *= 1 + z * z / EndFreedom;
    }
    double value() const { return m_sum + logOfProduct(); }

private:
    static constexpr double Largest = 1e150; ///< far from overflow with one more

    double logOfProduct() const { return -0.5 * (EndFreedom + 1) * m_weight * std::log(m_product); }
    void take(double weight)
    {
        m_sum += logOfProduct();
        m_product = 1;
        m_weight = weight;
    }

    double m_sum = 0, m_product = 1, m_weight = 0;
};

/// By which a squared distance is multiplied in reweighted least squares.
inline double robustWeight(double z)
{
    return (EndFreedom + 1) / (EndFreedom + z * z);
}

/// Fisher information of a distance over the mean of its robustWeight().
inline constexpr double EndInformation = (EndFreedom + 1) / (EndFreedom + 3);

} // namespace core
