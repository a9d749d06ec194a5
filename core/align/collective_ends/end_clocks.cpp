#include "core/align/collective_ends/end_clocks.h"

#include "core/align/collective_ends/end_pairs.h"
#include "core/align/collective_ends/end_reach.h"
#include "core/align/collective_ends/end_uncertainty.h"
#include "core/align/collective_ends/joint_ends.h"
#include "core/align/median.h"
#include "core/base/saturated_time.h"
#include "core/model/clock_drift.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <string_view>

namespace core {

namespace {

    constexpr std::size_t FewestForDrift = 6; ///< collectives of a worker
    /// Twice the gain of log-likelihood that a drift has to bring: chance does it once in 10,000.
    constexpr double DriftEvidence = 15;
    /// Standard errors that a drift must exceed: three, where the noise has the tail that the fit
    /// expects; the fit takes errors for smaller by half where it is normal.
    constexpr double DriftErrors = 5;
    /// Of those errors, how many on either side hold a proved drift with 95 %: two of normal noise.
    constexpr double DriftReach = 4;
    constexpr double SmallestWidthNs = 1000;

    class EndClocks
    {
    public:
        EndClocks(const EndCollectives &collectives, const std::vector<std::string> &hosts,
                  std::size_t reference, std::vector<std::optional<ClockOffset>> &clocks,
                  const JobControl &control)
            : m_hosts(hosts)
            , m_reference(reference)
            , m_clocks(clocks)
            , m_control(control)
        {
            m_areTied = tiedWorkers(collectives, clocks.size(), reference);
            for (const ObservedCollective *collective : collectives)
                if (m_areTied[collective->parts.front().worker])
                    m_ends.push_back(endOf(*collective));
            center();
            compare();
            m_pairs.emplace(m_ends, clocks.size());
        }

        std::vector<bool> fit()
        {
            if (m_ends.empty())
                return m_areTied;
            const JointFit steady
                = fitJointEnds(*m_pairs, m_reference, starts(), noDrift(), m_control);
            const DriftGroups groups = driftGroups();
            const JointFit drifting = groups.count == 0
                ? steady
                : fitJointEnds(*m_pairs, m_reference, { steady.offsetNs }, groups, m_control);
            const JointFit fit = withDrift(steady, drifting, groups);
            m_referenceReach.emplace(*m_pairs, fit, m_reference);
            untieDamaged(fit);
            for (std::size_t w = 0; w < m_clocks.size(); ++w)
                if (m_areTied[w] && !m_hosts[w].empty())
                    m_ofHost[m_hosts[w]].push_back(w);
            for (std::size_t w = 0; w < m_clocks.size(); ++w)
                if (m_areTied[w] && w != m_reference)
                    apply(fit, drifting, w);
            widenOfUnequalLinks(fit);
            return std::move(m_areTied);
        }

    private:
        struct Distance
        {
            const JointEnd *end = nullptr;
            std::size_t other = 0; ///< the worker that it is to
            double ns = 0;
            double latestNs = 0, earliestNs = 0; ///< see EndDistance
        };

        JointEnd endOf(const ObservedCollective &collective) const
        {
            JointEnd end;
            std::vector<double> at;
            auto shortest = std::numeric_limits<std::int64_t>::max();
            for (const ObservedPart &part : collective.parts) {
                at.push_back(guessed(part.worker, part.endNs));
                const std::int64_t durationNs = part.endNs - part.startNs;
                end.parts.push_back({ part.worker, at.back(), static_cast<double>(durationNs) });
                shortest = std::min(shortest, durationNs);
            }
            end.durationNs = static_cast<double>(shortest);
            end.timeNs = median(std::move(at));
            end.bytes = collective.bytes;
            return end;
        }

        /// With the first guess, since the reference's origin.
        double guessed(std::size_t worker, std::int64_t rawNs) const
        {
            const ClockOffset &clock = *m_clocks[worker];
            const std::int64_t atNs = saturatedSum(rawNs, clock.offsetNs);
            return static_cast<double>(saturatedDifference(atNs, m_clocks[m_reference]->originNs))
                + clock.driftPpm * 1e-6 * static_cast<double>(rawNs - clock.originNs);
        }

        /// Counts times from their middle, which keeps offset and drift apart.
        void center()
        {
            if (m_ends.empty())
                return;
            std::sort(m_ends.begin(), m_ends.end(),
                      [](const JointEnd &a, const JointEnd &b) { return a.timeNs < b.timeNs; });
            m_middleNs = (m_ends.front().timeNs + m_ends.back().timeNs) / 2;
            for (std::size_t k = 0; k < m_ends.size(); ++k) {
                m_ends[k].timeNs -= m_middleNs;
                m_ends[k].batch = k * std::min(MostBatches, m_ends.size()) / m_ends.size();
            }
        }

        DriftGroups noDrift() const
        {
            return { std::vector<std::size_t>(m_clocks.size(), DriftGroups::None), 0 };
        }

        /// One a host; workers of unknown hosts each their own.
        DriftGroups driftGroups() const
        {
            DriftGroups groups = noDrift();
            std::map<std::string, std::size_t> byHost;
            for (std::size_t w = 0; w < m_clocks.size(); ++w) {
                const std::string &host = m_hosts[w];
                if (!m_areTied[w] || w == m_reference
                    || (!host.empty() && host == m_hosts[m_reference]))
                    continue;
                const auto number = host.empty()
                    ? groups.count
                    : byHost.try_emplace(host, groups.count).first->second;
                groups.ofWorker[w] = number;
                groups.count = std::max(groups.count, number + 1);
            }
            return groups;
        }

        /// The first guess; where all left the shortest collective of all; median ends.
        std::vector<std::vector<double>> starts() const
        {
            std::vector<std::vector<double>> starts(3, std::vector<double>(m_clocks.size(), 0));
            const auto shortest = std::min_element(
                m_ends.begin(), m_ends.end(),
                [](const JointEnd &a, const JointEnd &b) { return a.durationNs < b.durationNs; });
            for (const auto &part : shortest->parts)
                starts[1][part.worker] = shortest->timeNs + m_middleNs - part.endNs;
            for (std::size_t w = 0; w < m_clocks.size(); ++w) {
                std::vector<double> distances;
                for (const Distance &distance : m_distances[w])
                    distances.push_back(distance.ns);
                if (!distances.empty() && w != m_reference)
                    starts[2][w] = -median(std::move(distances));
            }
            return starts;
        }

        /// Keeps, by worker, how far it left each collective after the reference or, where that
        /// took no part, after another.
        void compare()
        {
            m_distances.resize(m_clocks.size());
            for (const JointEnd &end : m_ends) {
                const JointEnd::Part *other = &end.parts[0], *another = &end.parts[1];
                for (const auto &part : end.parts)
                    if (part.worker == m_reference)
                        other = &part;
                if (other == another)
                    another = &end.parts[0];
                for (const auto &part : end.parts) {
                    const JointEnd::Part *peer = &part == other ? another : other;
                    m_distances[part.worker].push_back({ &end, peer->worker,
                                                         part.endNs - peer->endNs, part.durationNs,
                                                         -peer->durationNs });
                }
            }
        }

        /// What is left of a distance when the fit has moved both clocks.
        static double corrected(const JointFit &fit, std::size_t worker, const Distance &distance)
        {
            return distance.ns + fit.offsetNs[worker] - fit.offsetNs[distance.other]
                + (fit.drift[worker] - fit.drift[distance.other]) * distance.end->timeNs;
        }

        /// The drifts that the ends prove; the others stay 0.
        JointFit withDrift(const JointFit &steady, const JointFit &drifting,
                           DriftGroups groups) const
        {
            const std::vector<bool> areProved = provedDrifts(drifting, groups);
            bool isAny = false;
            for (std::size_t &group : groups.ofWorker) {
                if (group != DriftGroups::None && !areProved[group])
                    group = DriftGroups::None;
                isAny |= group != DriftGroups::None;
            }
            if (!isAny)
                return steady;
            JointFit proved
                = fitJointEnds(*m_pairs, m_reference, { steady.offsetNs }, groups, m_control);
            const auto count = std::count(areProved.begin(), areProved.end(), true);
            const double gain = 2 * (proved.logLikelihood - steady.logLikelihood);
            return gain > DriftEvidence * static_cast<double>(count) ? proved : steady;
        }

        /// By group: whether its drift is many standard errors from 0, the more the more groups
        /// there are to choose from (Bonferroni).
        std::vector<bool> provedDrifts(const JointFit &drifting, const DriftGroups &groups) const
        {
            std::vector<std::vector<std::size_t>> members(groups.count);
            for (std::size_t w = 0; w < m_clocks.size(); ++w)
                if (groups.ofWorker[w] != DriftGroups::None)
                    members[groups.ofWorker[w]].push_back(w);
            const double errors = std::sqrt(DriftErrors * DriftErrors
                                            + 2 * std::log(static_cast<double>(groups.count)));
            std::vector<bool> areProved;
            for (const std::vector<std::size_t> &own : members) {
                const double drift = std::abs(drifting.drift[own.front()]);
                const bool isEnough = std::any_of(own.begin(), own.end(), [this](std::size_t w) {
                    return m_distances[w].size() >= FewestForDrift;
                });
                areProved.push_back(isEnough && drift < LargestDrift
                                    && drift > errors * driftError(*m_pairs, drifting, own));
            }
            return areProved;
        }

        /// Correction that the fit adds to the worker's first guess.
        double moveNs(const JointFit &fit, std::size_t worker) const
        {
            const double atOriginNs = guessed(worker, m_clocks[worker]->originNs) - m_middleNs;
            return fit.offsetNs[worker] + fit.drift[worker] * atOriginNs;
        }

        /// Collectives of damaged times may move a clock further than LargestOffsetNs.
        void untieDamaged(const JointFit &fit)
        {
            for (std::size_t w = 0; w < m_clocks.size(); ++w) {
                if (!isFitted(w))
                    continue;
                const double offsetNs = static_cast<double>(m_clocks[w]->offsetNs) + moveNs(fit, w);
                m_areTied[w] = std::abs(offsetNs) < LargestOffsetNs;
            }
        }

        void apply(const JointFit &fit, const JointFit &drifting, std::size_t worker)
        {
            ClockOffset &clock = *m_clocks[worker];
            clock.offsetNs += std::llround(moveNs(fit, worker));
            clock.driftPpm += fit.drift[worker] * 1e6;
            if (fit.drift[worker] != 0)
                clock.driftRange = provedRange(fit, worker);
            judge(fit, drifting, worker);
        }

        DriftRange provedRange(const JointFit &fit, std::size_t worker) const
        {
            std::vector<std::size_t> oneClock { worker };
            if (const auto host = m_ofHost.find(m_hosts[worker]); host != m_ofHost.end())
                std::copy_if(host->second.begin(), host->second.end(), std::back_inserter(oneClock),
                             [worker](std::size_t w) { return w != worker; });
            const double reachPpm = std::min(
                LargestToldDriftPpm, DriftReach * driftError(*m_pairs, fit, oneClock) * 1e6);
            const double driftPpm = m_clocks[worker]->driftPpm;
            return { driftPpm - reachPpm, driftPpm + reachPpm };
        }

        /// Then what the reference has is what the worker has.
        bool isOnlyTiedToReference(std::size_t worker) const
        {
            const auto pairs = m_pairs->of(worker);
            return std::all_of(pairs.begin(), pairs.end(),
                               [this](const EndPair &pair) { return pair.other == m_reference; });
        }

        /// How sure the worker's clock is.
        void judge(const JointFit &fit, const JointFit &drifting, std::size_t worker)
        {
            ClockOffset &clock = *m_clocks[worker];
            const std::vector<EndDistance> distances = distancesOf(fit, worker);
            const OffsetReach reach(*m_pairs, fit, worker);
            // What other causes may have moved it: a drift that is not proved, links of unequal
            // rate.
            double othersNs = disagreementNs(distances);
            if (fit.drift[worker] == 0)
                othersNs = std::hypot(othersNs, drifting.offsetNs[worker] - fit.offsetNs[worker]);
            const bool isOnlyTied = isOnlyTiedToReference(worker);
            const double zeroNs = isOnlyTied ? 0 : m_referenceReach->farthestNs();
            const double contradictedNs = contradictedReachNs(distances);
            const double reachNs
                = std::max(std::min(std::hypot(reach.farthestNs(), zeroNs, othersNs),
                                    feasibleReachNs(distances)),
                           contradictedNs);
            clock.uncertaintyNs = std::llround(std::max(SmallestWidthNs, reachNs))
                + m_clocks[m_reference]->uncertaintyNs;
        }

        /// By how much a collective's ends may be moved: by the rank that shows most of it, and by
        /// the others.
        struct MovedEnd
        {
            std::size_t worker = 0;
            double mostNs = 0, othersNs = 0;

            void add(std::size_t one, double ns)
            {
                if (ns > mostNs) {
                    othersNs = mostNs;
                    mostNs = ns;
                    worker = one;
                } else {
                    othersNs = std::max(othersNs, ns);
                }
            }
            double besideNs(std::size_t one) const { return one == worker ? othersNs : mostNs; }
        };

        bool isFitted(std::size_t worker) const
        {
            return m_areTied[worker] && worker != m_reference;
        }

        std::map<const JointEnd *, MovedEnd> movedEnds(const JointFit &fit) const
        {
            std::map<const JointEnd *, MovedEnd> moved;
            for (std::size_t w = 0; w < m_clocks.size(); ++w) {
                if (!isFitted(w))
                    continue;
                const double movedNs = unequalLinksNs(distancesOf(fit, w));
                for (const Distance &distance : m_distances[w])
                    moved[distance.end].add(w, movedNs);
            }
            return moved;
        }

        /// A rank behind a slow link may leave all collectives late by as much; that others leave
        /// those of one payload later than those of another shows that there is one: what the rank
        /// shows itself, judge() counts. A clock that is as recorded by its own ends is left: by
        /// chance no delay makes it so.
        void widenOfUnequalLinks(const JointFit &fit)
        {
            const std::map<const JointEnd *, MovedEnd> moved = movedEnds(fit);
            for (std::size_t w = 0; w < m_clocks.size(); ++w) {
                if (!isFitted(w))
                    continue;
                ClockOffset &clock = *m_clocks[w];
                if (std::abs(clock.offsetNs - m_clocks[m_reference]->offsetNs)
                    <= clock.uncertaintyNs)
                    continue;
                double movedNs = 0;
                for (const Distance &distance : m_distances[w])
                    movedNs = std::max(movedNs, moved.at(distance.end).besideNs(w));
                const double feasibleNs = feasibleReachNs(distancesOf(fit, w));
                const auto ownNs = static_cast<double>(clock.uncertaintyNs);
                clock.uncertaintyNs = std::llround(
                    std::max(ownNs, std::min(std::hypot(ownNs, movedNs), feasibleNs)));
            }
        }

        /// As the fit leaves them.
        std::vector<EndDistance> distancesOf(const JointFit &fit, std::size_t worker) const
        {
            std::vector<EndDistance> distances;
            for (const Distance &distance : m_distances[worker])
                distances.push_back({ corrected(fit, worker, distance), distance.latestNs,
                                      distance.earliestNs, distance.end->durationNs,
                                      distance.end->bytes });
            return distances;
        }

        const std::vector<std::string> &m_hosts;
        std::size_t m_reference;
        std::vector<std::optional<ClockOffset>> &m_clocks;
        const JobControl &m_control;
        std::vector<JointEnd> m_ends;
        std::vector<std::vector<Distance>> m_distances; ///< by worker
        std::vector<bool> m_areTied;
        std::map<std::string_view, std::vector<std::size_t>> m_ofHost; ///< tied workers; by name
        std::optional<EndPairs> m_pairs;
        std::optional<OffsetReach> m_referenceReach; ///< against all others
        double m_middleNs = 0; ///< of the trace, since the reference's origin
    };

} // namespace

std::vector<bool> fitEndClocks(const EndCollectives &collectives,
                               const std::vector<std::string> &hosts, std::size_t reference,
                               std::vector<std::optional<ClockOffset>> &clocks,
                               const JobControl &control)
{
    return EndClocks(collectives, hosts, reference, clocks, control).fit();
}

} // namespace core
