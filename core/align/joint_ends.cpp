#include "core/align/joint_ends.h"

#include "core/align/end_pairs.h"
#include "core/align/median.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace core {

namespace {

    /// Heavier tails than Cauchy's: half of the ends agree to microseconds where the others are
    /// milliseconds apart, and the fit has to follow the former.
    constexpr double DegreesOfFreedom = 0.5;
    constexpr double SmallestEndScaleNs = 1000; ///< clocks of traces tick in microseconds
    constexpr int MostRounds = 300;
    constexpr int MostJumps = 4;
    constexpr double Settled = 1e-3; ///< of the scale
    constexpr double UsualDrift = 5e-5; ///< standard deviation: crystals keep within 1e-4
    constexpr double NextScale = 16; ///< that a climb begins at, times the last one's
    /// Places that every worker tries in turn, times its pairs.
    constexpr std::size_t MostTrials = 4'000'000;
    constexpr std::size_t FewestPlaces = 4, MostPlaces = 256;

    /// One climb from one start.
    class Climb
    {
    public:
        Climb(const EndPairs &pairs, std::size_t reference, std::vector<double> start,
              const DriftGroups &groups)
            : m_pairs(pairs)
            , m_reference(reference)
            , m_groups(groups)
        {
            m_fit.offsetNs = std::move(start);
            m_fit.drift.assign(m_fit.offsetNs.size(), 0);
            for (const EndPair &pair : pairs.all())
                m_total += pair.weight;
        }

        /// Begins at a scale of the ends' distances, or at their median.
        JointFit run(std::optional<double> scaleNs, const JobControl &control)
        {
            m_fit.scaleNs = scaleNs.value_or(startScaleNs());
            if (scaleNs)
                jump(control);
            settle(control);
            for (int jumps = 0; jumps < MostJumps && jump(control); ++jumps)
                settle(control);
            m_fit.logLikelihood = logLikelihood();
            return std::move(m_fit);
        }

    private:
        double z(const EndPair &pair) const
        {
            return m_fit.leftNs(pair) / (m_fit.scaleNs * pair.spread);
        }

        double startScaleNs() const
        {
            std::vector<double> distances;
            distances.reserve(m_pairs.all().size());
            for (const EndPair &pair : m_pairs.all())
                distances.push_back(std::abs(m_fit.leftNs(pair)) / pair.spread);
            return std::max(2 * median(std::move(distances)), 5 * SmallestEndScaleNs);
        }

        void settle(const JobControl &control)
        {
            for (int round = 0; round < MostRounds && step() > Settled * m_fit.scaleNs; ++round)
                throwIfCancelled(control);
        }

        /// New drifts, offsets and scale, each with the weights that the present ones give; how
        /// far the offsets moved.
        double step()
        {
            moveDrifts();
            const std::vector<double> before = m_fit.offsetNs;
            for (std::size_t w = 0; w < before.size(); ++w)
                if (m_pairs.countOf(w) > 0) {
                    const Sums sums = sumsOf(w);
                    m_fit.offsetNs[w] -= sums.left / sums.weight;
                }
            keepReference();
            double movedNs = 0;
            for (std::size_t w = 0; w < before.size(); ++w)
                movedNs = std::max(movedNs, std::abs(m_fit.offsetNs[w] - before[w]));
            rescale();
            return movedNs;
        }

        struct Sums
        {
            double weight = 0, left = 0, time = 0, timeTime = 0, timeLeft = 0;
        };

        Sums sumsOf(std::size_t worker) const
        {
            Sums sums;
            const std::size_t group = m_groups.ofWorker[worker];
            const double perScale = 1 / (m_fit.scaleNs * m_fit.scaleNs);
            m_pairs.visit(worker, [&](const EndPair &pair, double sign) {
                const double left = sign * m_fit.leftNs(pair);
                // robustWeight() over spread^2, in one division: here the fit spends its time.
                const double w = pair.weight * (DegreesOfFreedom + 1)
                    / (DegreesOfFreedom * pair.spread * pair.spread + left * left * perScale);
                sums.weight += w;
                sums.left += w * left;
                const std::size_t other = pair.a == worker ? pair.b : pair.a;
                if (group == DriftGroups::None || m_groups.ofWorker[other] == group)
                    return; // one clock: time tells nothing
                sums.time += w * pair.timeNs;
                sums.timeTime += w * pair.timeNs * pair.timeNs;
                sums.timeLeft += w * pair.timeNs * left;
            });
            return sums;
        }

        void moveDrifts()
        {
            if (m_groups.count == 0)
                return;
            std::vector<double> above(m_groups.count, 0), below(m_groups.count, 0);
            for (std::size_t w = 0; w < m_fit.drift.size(); ++w) {
                const std::size_t group = m_groups.ofWorker[w];
                if (group == DriftGroups::None || m_pairs.countOf(w) == 0)
                    continue;
                const Sums s = sumsOf(w);
                above[group] += s.timeLeft - s.time * s.left / s.weight;
                below[group] += s.timeTime - s.time * s.time / s.weight;
            }
            const double prior = std::pow(m_fit.scaleNs / UsualDrift, 2);
            for (std::size_t w = 0; w < m_fit.drift.size(); ++w) {
                const std::size_t group = m_groups.ofWorker[w];
                if (group != DriftGroups::None)
                    m_fit.drift[w]
                        -= (above[group] + prior * m_fit.drift[w]) / (below[group] + prior);
            }
        }

        /// All clocks are relative to it.
        void keepReference()
        {
            const double zero = m_fit.offsetNs[m_reference];
            for (std::size_t w = 0; w < m_fit.offsetNs.size(); ++w)
                if (m_pairs.countOf(w) > 0)
                    m_fit.offsetNs[w] -= zero;
        }

        void rescale()
        {
            double sum = 0;
            for (const EndPair &pair : m_pairs.all()) {
                const double zOf = z(pair);
                sum += pair.weight * robustWeight(zOf) * zOf * zOf;
            }
            m_fit.scaleNs = std::max(SmallestEndScaleNs, m_fit.scaleNs * std::sqrt(sum / m_total));
        }

        /// Every worker goes to the place where it leaves one of its collectives together with a
        /// peer that its pairs like best; whether any moved.
        bool jump(const JobControl &control)
        {
            bool isAny = false;
            for (std::size_t w = 0; w < m_fit.offsetNs.size(); ++w) {
                throwIfCancelled(control);
                if (m_pairs.countOf(w) > 1 && jump(w))
                    isAny = true;
            }
            keepReference();
            return isAny;
        }

        bool jump(std::size_t worker)
        {
            struct Left
            {
                double ns, spread, weight;
            };
            std::vector<Left> left;
            m_pairs.visit(worker, [&](const EndPair &pair, double sign) {
                left.push_back(
                    { sign * m_fit.leftNs(pair), m_fit.scaleNs * pair.spread, pair.weight });
            });
            // No pair adds to the sum: below `least` it need not be known.
            const auto likelihood = [&left](double shiftNs, double least) {
                double sum = 0;
                for (std::size_t i = 0; i < left.size() && sum >= least; ++i)
                    sum += left[i].weight * endLogDensity((left[i].ns + shiftNs) / left[i].spread);
                return sum;
            };
            const std::size_t most
                = std::clamp(MostTrials / (2 * m_pairs.all().size()), FewestPlaces, MostPlaces);
            const std::size_t places = std::min(left.size(), most);
            double best = likelihood(0, -std::numeric_limits<double>::infinity()), bestNs = 0;
            for (std::size_t place = 0; place < places; ++place) {
                const double shiftNs = -left[place * left.size() / places].ns;
                const double here = likelihood(shiftNs, best);
                if (here > best + SmallestGain) {
                    best = here;
                    bestNs = shiftNs;
                }
            }
            m_fit.offsetNs[worker] += bestNs;
            return bestNs != 0;
        }

        double logLikelihood() const
        {
            double sum = 0;
            for (const EndPair &pair : m_pairs.all())
                sum += pair.weight * endLogDensity(z(pair));
            std::vector<double> drifts(m_groups.count, 0);
            for (std::size_t w = 0; w < m_fit.drift.size(); ++w)
                if (m_groups.ofWorker[w] != DriftGroups::None)
                    drifts[m_groups.ofWorker[w]] = m_fit.drift[w];
            for (const double drift : drifts)
                sum -= 0.5 * std::pow(drift / UsualDrift, 2);
            return sum - m_total * std::log(m_fit.scaleNs);
        }

        static constexpr double SmallestGain = 0.1; ///< less is what settling finds

        const EndPairs &m_pairs;
        std::size_t m_reference;
        const DriftGroups &m_groups;
        JointFit m_fit;
        double m_total = 0; ///< weight of all pairs
    };

} // namespace

double JointFit::leftNs(const EndPair &pair) const
{
    return pair.gapNs + offsetNs[pair.a] - offsetNs[pair.b]
        + (drift[pair.a] - drift[pair.b]) * pair.timeNs;
}

double endLogDensity(double z)
{
    return -0.5 * (DegreesOfFreedom + 1) * std::log1p(z * z / DegreesOfFreedom);
}

double robustWeight(double z)
{
    return (DegreesOfFreedom + 1) / (DegreesOfFreedom + z * z);
}

double endInformation()
{
    return (DegreesOfFreedom + 1) / (DegreesOfFreedom + 3);
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

JointFit fitJointEnds(const EndPairs &pairs, std::size_t reference,
                      const std::vector<std::vector<double>> &starts, const DriftGroups &drift,
                      const JobControl &control)
{
    JointFit best;
    best.logLikelihood = -std::numeric_limits<double>::infinity();
    const auto climb = [&](const std::vector<double> &start, std::optional<double> scaleNs) {
        JointFit fit = Climb(pairs, reference, start, drift).run(scaleNs, control);
        if (fit.logLikelihood > best.logLikelihood)
            best = std::move(fit);
    };
    for (const std::vector<double> &start : starts)
        climb(start, {});
    // Many ends that agree to microseconds are missed by whom the others have led elsewhere.
    const double widestNs = best.scaleNs;
    double scaleNs = SmallestEndScaleNs;
    while (scaleNs < widestNs) {
        climb(std::vector<double>(best.offsetNs), scaleNs);
        scaleNs *= NextScale;
    }
    return best;
}

} // namespace core
