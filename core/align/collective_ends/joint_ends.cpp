#include "core/align/collective_ends/joint_ends.h"

#include "core/align/collective_ends/end_tail.h"
#include "core/align/median.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

namespace core {

namespace {

    constexpr double SmallestEndScaleNs = 1000; ///< clocks of traces tick in microseconds
    constexpr int MostRounds = 300;
    constexpr int MostJumps = 4;
    constexpr double Settled = 1e-3; ///< of the scale
    constexpr double Met = 0.1; ///< of the scale: two climbs go on to the same place
    /// Times the step that reweighting proposes, which is too short by (n + 3) / (n + 1); below 2
    /// the likelihood still grows with each.
    constexpr double OverRelaxed = 1.7;
    /// Standard deviation: crystals keep within 1e-4. A prior of heavier tail (Student's t of 3)
    /// finds more drifts of 150 to 450 ppm in recordings of seconds, where such are rare, but also
    /// takes three times as many others for proved that are off by more than their interval.
    constexpr double UsualDrift = 5e-5;
    constexpr double ScaleSteps = 16; ///< between the scales that climbs begin at
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
            for (const EndPair &pair : pairs.all()) {
                m_total += static_cast<double>(pair.weight);
                m_longestNs = std::max(m_longestNs, std::abs(static_cast<double>(pair.timeNs)));
            }
            m_members.resize(groups.count);
            for (std::size_t w = 0; w < groups.ofWorker.size(); ++w)
                if (groups.ofWorker[w] != DriftGroups::None)
                    m_members[groups.ofWorker[w]].push_back(w);
        }

        /// Begins at a scale of the ends' distances, or at their median. Nothing if it comes to
        /// where `best` is.
        std::optional<JointFit> run(std::optional<double> scaleNs, const JointFit &best,
                                    const JobControl &control)
        {
            m_fit.scaleNs = scaleNs.value_or(startScaleNs());
            if (scaleNs)
                jump(control);
            settle(best, control);
            for (int jumps = 0; jumps < MostJumps && !hasMet(best) && jump(control); ++jumps)
                settle(best, control);
            if (hasMet(best))
                return std::nullopt;
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

        void settle(const JointFit &best, const JobControl &control)
        {
            for (int round = 0; round < MostRounds && !hasMet(best); ++round) {
                throwIfCancelled(control);
                if (step() <= Settled * m_fit.scaleNs)
                    break;
            }
        }

        /// So near to another fit that both climb to the same place.
        bool hasMet(const JointFit &best) const
        {
            if (best.offsetNs.empty() || std::abs(std::log(m_fit.scaleNs / best.scaleNs)) > Met)
                return false;
            for (std::size_t w = 0; w < best.offsetNs.size(); ++w)
                if (std::abs(m_fit.offsetNs[w] - best.offsetNs[w]) > Met * best.scaleNs
                    || std::abs(m_fit.drift[w] - best.drift[w]) * m_longestNs > Met * best.scaleNs)
                    return false;
            return true;
        }

        /// New drifts, offsets and scale, each with the weights that the present ones give; how
        /// far the offsets moved.
        double step()
        {
            m_before = m_fit.offsetNs;
            m_squares = m_weights = 0;
            for (const std::vector<std::size_t> &members : m_members)
                if (members.size() > 1)
                    moveDrift(members);
            for (std::size_t w = 0; w < m_before.size(); ++w)
                if (!m_pairs.of(w).empty())
                    moveClock(w);
            keepReference();
            double movedNs = 0;
            for (std::size_t w = 0; w < m_before.size(); ++w)
                movedNs = std::max(movedNs, std::abs(m_fit.offsetNs[w] - m_before[w]));
            // Parameter-expanded EM (Liu, Rubin, Wu 1998): the same scale in fewer rounds.
            m_fit.scaleNs = std::max(SmallestEndScaleNs, std::sqrt(m_squares / m_weights));
            return movedNs;
        }

        struct Sums
        {
            double weight = 0, left = 0, time = 0, timeTime = 0, timeLeft = 0;
            double squares = 0, weights = 0; ///< of distances, for the scale
        };

        Sums sumsOf(std::size_t worker) const
        {
            Sums sums;
            const double scale2 = m_fit.scaleNs * m_fit.scaleNs;
            const std::size_t group = m_groups.ofWorker[worker];
            for (const EndPair &pair : m_pairs.of(worker)) {
                const double left = m_fit.leftNs(pair);
                const double spread2 = static_cast<double>(pair.spread * pair.spread);
                // weight * robustWeight(z) / spread2, with one division
                const double w = static_cast<double>(pair.weight) * (EndFreedom + 1) * scale2
                    / (EndFreedom * scale2 * spread2 + left * left);
                sums.weight += w;
                sums.left += w * left;
                sums.squares += w * left * left;
                sums.weights += w * spread2;
                if (group == DriftGroups::None || m_groups.ofWorker[pair.other] == group)
                    continue; // one clock: time tells nothing
                const auto timeNs = static_cast<double>(pair.timeNs);
                sums.time += w * timeNs;
                sums.timeTime += w * timeNs * timeNs;
                sums.timeLeft += w * timeNs * left;
            }
            return sums;
        }

        /// And its drift, if that is no other's as well.
        void moveClock(std::size_t worker)
        {
            const Sums sums = sumsOf(worker);
            double drifted = 0;
            if (isOwnDrift(worker)) {
                DriftStep step(driftPrior(), m_fit.drift[worker]);
                step.add(sums);
                drifted = OverRelaxed * step.drift();
                m_fit.drift[worker] += drifted;
            }
            m_fit.offsetNs[worker] -= (OverRelaxed * sums.left + drifted * sums.time) / sums.weight;
            m_squares += sums.squares;
            m_weights += sums.weights;
        }

        void moveDrift(const std::vector<std::size_t> &members)
        {
            DriftStep step(driftPrior(), m_fit.drift[members.front()]);
            for (const std::size_t w : members)
                if (!m_pairs.of(w).empty())
                    step.add(sumsOf(w));
            for (const std::size_t w : members)
                m_fit.drift[w] += OverRelaxed * step.drift();
        }

        double driftPrior() const { return std::pow(m_fit.scaleNs / UsualDrift, 2); }

        bool isOwnDrift(std::size_t worker) const
        {
            const std::size_t group = m_groups.ofWorker[worker];
            return group != DriftGroups::None && m_members[group].size() == 1;
        }

        /// To the most probable drift, whatever the offsets are, with the present weights.
        class DriftStep
        {
        public:
            DriftStep(double prior, double drift)
                : m_above(prior * drift)
                , m_below(prior)
            {
            }
            void add(const Sums &s)
            {
                m_above += s.timeLeft - s.time * s.left / s.weight;
                m_below += s.timeTime - s.time * s.time / s.weight;
            }
            double drift() const { return -m_above / m_below; }

        private:
            double m_above, m_below;
        };

        /// All clocks are relative to it.
        void keepReference()
        {
            const double zero = m_fit.offsetNs[m_reference];
            for (std::size_t w = 0; w < m_fit.offsetNs.size(); ++w)
                if (!m_pairs.of(w).empty())
                    m_fit.offsetNs[w] -= zero;
        }

        /// Every worker goes to the place where it leaves one of its collectives together with a
        /// peer that its pairs like best; whether any moved.
        bool jump(const JobControl &control)
        {
            bool isAny = false;
            for (std::size_t w = 0; w < m_fit.offsetNs.size(); ++w) {
                throwIfCancelled(control);
                if (m_pairs.of(w).size() > 1 && jump(w))
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
            for (const EndPair &pair : m_pairs.of(worker))
                left.push_back({ m_fit.leftNs(pair),
                                 m_fit.scaleNs * static_cast<double>(pair.spread),
                                 static_cast<double>(pair.weight) });
            const auto likelihood = [&left](double shiftNs) {
                EndLikelihood sum;
                for (const Left &one : left)
                    sum.add((one.ns + shiftNs) / one.spread, one.weight);
                return sum.value();
            };
            const std::size_t most
                = std::clamp(MostTrials / m_pairs.all().size(), FewestPlaces, MostPlaces);
            const std::size_t places = std::min(left.size(), most);
            double best = likelihood(0), bestNs = 0;
            for (std::size_t place = 0; place < places; ++place) {
                const double shiftNs = -left[place * left.size() / places].ns;
                const double here = likelihood(shiftNs);
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
            EndLikelihood pairs;
            for (const EndPair &pair : m_pairs.all())
                pairs.add(z(pair), static_cast<double>(pair.weight));
            // Both workers see a pair.
            double sum = (pairs.value() - m_total * std::log(m_fit.scaleNs)) / 2;
            for (const std::vector<std::size_t> &members : m_members)
                if (!members.empty())
                    sum -= 0.5 * std::pow(m_fit.drift[members.front()] / UsualDrift, 2);
            return sum;
        }

        static constexpr double SmallestGain = 0.1; ///< less is what settling finds

        const EndPairs &m_pairs;
        std::size_t m_reference;
        const DriftGroups &m_groups;
        std::vector<std::vector<std::size_t>> m_members; ///< of drift groups
        JointFit m_fit;
        std::vector<double> m_before; ///< offsets, of the last step
        double m_squares = 0, m_weights = 0; ///< of all pairs, for the scale
        double m_longestNs = 0; ///< from the middle of the trace
        double m_total = 0; ///< weight of all pairs, of both workers
    };

} // namespace

JointFit fitJointEnds(const EndPairs &pairs, std::size_t reference,
                      const std::vector<std::vector<double>> &starts, const DriftGroups &drift,
                      const JobControl &control)
{
    JointFit best;
    best.logLikelihood = -std::numeric_limits<double>::infinity();
    const auto climb = [&](const std::vector<double> &start, std::optional<double> scaleNs) {
        auto fit = Climb(pairs, reference, start, drift).run(scaleNs, best, control);
        if (fit && fit->logLikelihood > best.logLikelihood)
            best = std::move(*fit);
    };
    for (const std::vector<double> &start : starts)
        climb(start, {});
    // Many ends that agree to microseconds are missed by whom the others have led elsewhere.
    double scaleNs = best.scaleNs;
    while (scaleNs > std::sqrt(ScaleSteps) * SmallestEndScaleNs) {
        scaleNs = std::max(SmallestEndScaleNs, scaleNs / ScaleSteps);
        climb(std::vector<double>(best.offsetNs), scaleNs);
    }
    return best;
}

} // namespace core
