#include "core/align/joint_ends.h"

#include "core/align/median.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace core {

namespace {

    /// Heavier tails than Cauchy's: half of the ends agree to microseconds where the others are
    /// milliseconds apart, and the fit has to follow the former.
    constexpr double DegreesOfFreedom = 0.5;
    constexpr double SmallestEndScaleNs = 1000; ///< clocks of traces tick in microseconds
    constexpr int MostRounds = 300;
    constexpr double SettledNs = 0.5;

    /// One run of expectation maximisation.
    class Run
    {
    public:
        Run(const std::vector<JointEnd> &ends, std::size_t reference, std::vector<double> start,
            const DriftGroups &groups)
            : m_ends(ends)
            , m_reference(reference)
            , m_groups(groups)
        {
            m_fit.offsetNs = std::move(start);
            m_fit.drift.assign(m_fit.offsetNs.size(), 0);
            const double duration = medianDuration(ends);
            for (const JointEnd &end : ends) {
                m_spread.push_back(1 / std::sqrt(endWeight(end, duration)));
                m_meetNs.push_back(0);
                m_partCount += end.parts.size();
            }
        }

        JointFit run(const JobControl &control)
        {
            begin();
            for (int round = 0; round < MostRounds && step() > SettledNs; ++round)
                throwIfCancelled(control);
            m_fit.logLikelihood = logLikelihood();
            return std::move(m_fit);
        }

    private:
        double aligned(std::size_t k, const JointEnd::Part &part) const
        {
            return part.endNs + m_fit.offsetNs[part.worker]
                + m_fit.drift[part.worker] * m_ends[k].timeNs;
        }

        double weight(std::size_t k, double distanceNs) const
        {
            const double z = distanceNs / (m_fit.scaleNs * m_spread[k]);
            return (DegreesOfFreedom + 1) / (DegreesOfFreedom + z * z);
        }

        void begin()
        {
            std::vector<double> distances;
            for (std::size_t k = 0; k < m_ends.size(); ++k) {
                std::vector<double> at;
                for (const auto &part : m_ends[k].parts)
                    at.push_back(aligned(k, part));
                m_meetNs[k] = median(at);
                for (const double ns : at)
                    distances.push_back(std::abs(ns - m_meetNs[k]) / m_spread[k]);
            }
            m_fit.scaleNs = std::max(2 * median(std::move(distances)), 5 * SmallestEndScaleNs);
        }

        /// New T, offsets and drifts with the present weights; how far the offsets moved.
        double step()
        {
            m_sums.assign(m_fit.offsetNs.size(), {});
            for (std::size_t k = 0; k < m_ends.size(); ++k)
                meet(k);
            const double movedNs = move();
            rescale();
            return movedNs;
        }

        struct Sums
        {
            double weight = 0, gap = 0, time = 0, timeTime = 0, timeGap = 0;
        };

        /// T_k is the weighted mean of the ends; what each end lacks of it goes into the sums.
        void meet(std::size_t k)
        {
            const JointEnd &end = m_ends[k];
            double total = 0, sum = 0;
            m_weights.clear();
            for (const auto &part : end.parts) {
                const double ns = aligned(k, part), w = weight(k, ns - m_meetNs[k]);
                m_weights.push_back(w);
                total += w;
                sum += w * ns;
            }
            m_meetNs[k] = sum / total;
            for (std::size_t p = 0; p < end.parts.size(); ++p) {
                const double w = m_weights[p] / (m_spread[k] * m_spread[k]);
                const double gap = m_meetNs[k] - end.parts[p].endNs, t = end.timeNs;
                Sums &sums = m_sums[end.parts[p].worker];
                sums.weight += w;
                sums.gap += w * gap;
                sums.time += w * t;
                sums.timeTime += w * t * t;
                sums.timeGap += w * t * gap;
            }
        }

        double move()
        {
            moveDrifts();
            const std::vector<double> before = m_fit.offsetNs;
            for (std::size_t w = 0; w < m_sums.size(); ++w)
                if (m_sums[w].weight > 0)
                    m_fit.offsetNs[w]
                        = (m_sums[w].gap - m_fit.drift[w] * m_sums[w].time) / m_sums[w].weight;
            const double zero = m_fit.offsetNs[m_reference];
            double movedNs = 0;
            for (std::size_t w = 0; w < m_sums.size(); ++w) {
                if (m_sums[w].weight > 0)
                    m_fit.offsetNs[w] -= zero;
                movedNs = std::max(movedNs, std::abs(m_fit.offsetNs[w] - before[w]));
            }
            return movedNs;
        }

        void moveDrifts()
        {
            std::vector<double> above(m_groups.count, 0), below(m_groups.count, 0);
            for (std::size_t w = 0; w < m_sums.size(); ++w) {
                const std::size_t group = m_groups.ofWorker[w];
                const Sums &s = m_sums[w];
                if (group == DriftGroups::None || s.weight <= 0)
                    continue;
                above[group] += s.timeGap - s.time * s.gap / s.weight;
                below[group] += s.timeTime - s.time * s.time / s.weight;
            }
            for (std::size_t w = 0; w < m_sums.size(); ++w) {
                const std::size_t group = m_groups.ofWorker[w];
                if (group != DriftGroups::None && below[group] > 0)
                    m_fit.drift[w] = above[group] / below[group];
            }
        }

        void rescale()
        {
            double sum = 0;
            for (std::size_t k = 0; k < m_ends.size(); ++k)
                for (const auto &part : m_ends[k].parts) {
                    const double distance = aligned(k, part) - m_meetNs[k];
                    const double z = distance / m_spread[k];
                    sum += weight(k, distance) * z * z;
                }
            m_fit.scaleNs = std::max(SmallestEndScaleNs, std::sqrt(sum / freedom()));
        }

        /// Ends less the unknown T of each collective.
        double freedom() const { return std::max(1.0, double(m_partCount - m_ends.size())); }

        double logLikelihood() const
        {
            double sum = 0;
            for (std::size_t k = 0; k < m_ends.size(); ++k)
                for (const auto &part : m_ends[k].parts) {
                    const double z
                        = (aligned(k, part) - m_meetNs[k]) / (m_fit.scaleNs * m_spread[k]);
                    sum += std::log1p(z * z / DegreesOfFreedom);
                }
            return -0.5 * (DegreesOfFreedom + 1) * sum - freedom() * std::log(m_fit.scaleNs);
        }

        const std::vector<JointEnd> &m_ends;
        std::size_t m_reference;
        const DriftGroups &m_groups;
        JointFit m_fit;
        std::vector<double> m_spread; ///< u_k
        std::vector<double> m_meetNs; ///< T_k
        std::vector<double> m_weights; ///< of the parts of one collective
        std::vector<Sums> m_sums; ///< by worker
        std::size_t m_partCount = 0;
    };

} // namespace

double JointFit::standardErrorNs(double weight) const
{
    // Fisher information of Student-t's location: (n + 1) / (n + 3) / scale^2 an end. The other
    // worker's ends are as uncertain.
    constexpr double Inflation = (DegreesOfFreedom + 3) / (DegreesOfFreedom + 1);
    return scaleNs * std::sqrt(2 * Inflation / weight);
}

double endWeight(const JointEnd &end, double medianDurationNs)
{
    // Clocks tick in microseconds: the ends of a very short collective agree no better.
    constexpr double ShortestShare = 0.01;
    const double shortestNs = std::max(1.0, ShortestShare * medianDurationNs);
    return medianDurationNs > 0 ? medianDurationNs / std::max(end.durationNs, shortestNs) : 1;
}

double medianDuration(const std::vector<JointEnd> &ends)
{
    std::vector<double> durations;
    durations.reserve(ends.size());
    for (const JointEnd &end : ends)
        durations.push_back(end.durationNs);
    return durations.empty() ? 0 : median(std::move(durations));
}

JointFit fitJointEnds(const std::vector<JointEnd> &ends, std::size_t reference,
                      const std::vector<std::vector<double>> &starts, const DriftGroups &drift,
                      const JobControl &control)
{
    JointFit best;
    best.logLikelihood = -std::numeric_limits<double>::infinity();
    for (const std::vector<double> &start : starts) {
        JointFit fit = Run(ends, reference, start, drift).run(control);
        if (fit.logLikelihood > best.logLikelihood)
            best = std::move(fit);
    }
    return best;
}

} // namespace core
