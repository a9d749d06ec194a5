#include "core/align/clock_offsets.h"

#include "core/align/clock_bounds.h"
#include "core/align/clock_groups.h"
#include "core/align/collective_ends/end_clocks.h"
#include "core/align/collective_ends/tied_groups.h"
#include "core/align/first_guess.h"
#include "core/align/message_clock.h"
#include "core/base/saturated_time.h"
#include "core/model/clock_drift.h"

#include <queue>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

namespace core {

namespace {

    constexpr std::size_t MostContradictions = 8;
    constexpr double LargestMessageDrift = LargestToldDriftPpm * 1e-6;

    std::int64_t alignedRaw(const std::optional<ClockOffset> &clock, std::int64_t rawNs)
    {
        if (!clock)
            return rawNs;
        const double drifted
            = clock->driftPpm * 1e-6 * static_cast<double>(rawNs - clock->originNs);
        return saturatedSum(saturatedSum(rawNs, clock->offsetNs), std::llround(drifted));
    }

    using TimesByWorker = std::vector<std::optional<TimeRange>>;

    /// By worker: from the first time that takes part to the last.
    TimesByWorker partTimes(const ClockEvidence &evidence, std::size_t workers)
    {
        TimesByWorker times(workers);
        const auto see = [&times](const ObservedPart &part) {
            std::optional<TimeRange> &own = times[part.worker];
            if (!own)
                own = TimeRange { part.startNs, part.startNs };
            own->startNs = std::min(own->startNs, part.startNs);
            own->endNs = std::max({ own->endNs, part.startNs, part.endNs });
        };
        for (const ObservedCollective &collective : evidence.collectives)
            std::for_each(collective.parts.begin(), collective.parts.end(), see);
        for (const ObservedMessage &message : evidence.messages) {
            see(message.sent);
            see(message.received);
        }
        return times;
    }

    /// Also when what is recorded beside the parts is earlier or later.
    TimesByWorker usedTimes(TimesByWorker parts, const ClockEvidence &evidence)
    {
        for (std::size_t w = 0; w < std::min(parts.size(), evidence.recorded.size()); ++w) {
            const std::optional<TimeRange> &recorded = evidence.recorded[w];
            if (!parts[w] || !recorded)
                continue;
            parts[w]->startNs = std::min(parts[w]->startNs, recorded->startNs);
            parts[w]->endNs = std::max(parts[w]->endNs, recorded->endNs);
        }
        return parts;
    }

    class Solver
    {
    public:
        Solver(const ClockEvidence &evidence, const std::vector<std::string> &hosts,
               std::size_t reference, const JobControl &control)
            : m_evidence(evidence)
            , m_hosts(hosts)
            , m_reference(reference)
            , m_control(control)
        {
        }

        ClockSolution solve()
        {
            guess();
            report(0.3);
            const EndCollectives ends = endCollectives(m_evidence);
            const std::vector<bool> areTied
                = fitEndClocks(ends, m_hosts, m_reference, m_solution.workers, m_control);
            report(0.6);
            fitMessageClocks(areTied, ends);
            report(0.7);
            m_bounds = bounds();
            report(0.8);
            respectBounds();
            move([this] { joinEqualClocks(m_hosts, m_reference, m_bounds, m_solution.workers); });
            nameContradictions();
            return std::move(m_solution);
        }

    private:
        void report(double fraction) const
        {
            throwIfCancelled(m_control);
            m_control.report(fraction, "aligning clocks");
        }

        void guess()
        {
            const auto offsets = guessOffsets(m_evidence, m_hosts.size(), m_reference, m_control);
            m_recorded = partTimes(m_evidence, m_hosts.size());
            for (std::size_t w = 0; w < offsets.size(); ++w) {
                auto &clock = m_solution.workers.emplace_back();
                const std::int64_t firstNs = m_recorded[w] ? m_recorded[w]->startNs : 0;
                if (offsets[w] && std::abs(static_cast<double>(*offsets[w])) < LargestOffsetNs)
                    clock = ClockOffset { *offsets[w], 0, firstNs, 0, false };
            }
            m_recorded = usedTimes(std::move(m_recorded), m_evidence);
        }

        double aligned(std::size_t worker, std::int64_t rawNs) const
        {
            const auto &reference = m_solution.workers[m_reference];
            return static_cast<double>(saturatedDifference(
                alignedRaw(m_solution.workers[worker], rawNs), reference->originNs));
        }

        /// Workers that no collective ties to the reference, but messages with ones that are tied,
        /// and those that their own collectives tie to them: from near to far. What nothing ties
        /// by more than messages in one direction stays unknown.
        void fitMessageClocks(std::vector<bool> areTied, const EndCollectives &ends)
        {
            const TiedGroups groups(ends, areTied.size());
            std::vector<std::vector<const ObservedMessage *>> messagesOf(areTied.size());
            for (const ObservedMessage &message : m_evidence.messages) {
                messagesOf[message.sent.worker].push_back(&message);
                messagesOf[message.received.worker].push_back(&message);
            }
            std::queue<std::size_t> tied;
            for (std::size_t w = 0; w < areTied.size(); ++w)
                if (areTied[w])
                    tied.push(w);
            // Once from each: another of their messages tells nothing that these did not.
            std::vector<std::size_t> triedFrom(areTied.size(), areTied.size());
            for (; !tied.empty(); tied.pop()) {
                throwIfCancelled(m_control);
                for (const ObservedMessage *message : messagesOf[tied.front()]) {
                    const bool isSent = message->sent.worker == tied.front();
                    const std::size_t peer = (isSent ? message->received : message->sent).worker;
                    if (areTied[peer] || !m_solution.workers[peer]
                        || std::exchange(triedFrom[peer], tied.front()) == tied.front()
                        || !fitMessages(peer, messagesOf[peer], areTied))
                        continue;
                    fitMates(peer, groups);
                    for (const std::size_t w : groups.workersWith(peer)) {
                        areTied[w] = true;
                        tied.push(w);
                    }
                }
            }
            for (std::size_t w = 0; w < areTied.size(); ++w)
                if (!areTied[w])
                    m_solution.workers[w].reset();
        }

        /// Fits those that collectives tie to a worker that messages have tied: they drift as it
        /// does, but for what the collectives prove beside it.
        void fitMates(std::size_t worker, const TiedGroups &groups)
        {
            const std::vector<std::size_t> &group = groups.workersWith(worker);
            if (group.size() < 2)
                return;
            const ClockOffset own = *m_solution.workers[worker];
            for (const std::size_t w : group) {
                auto &mate = m_solution.workers[w];
                if (!mate || w == worker)
                    continue;
                const std::int64_t laterNs
                    = saturatedDifference(saturatedSum(mate->originNs, mate->offsetNs),
                                          saturatedSum(own.originNs, own.offsetNs));
                mate->driftPpm = own.driftPpm;
                mate->offsetNs += std::llround(own.driftPpm * 1e-6 * static_cast<double>(laterNs));
            }
            fitEndClocks(groups.collectivesOf(worker), m_hosts, worker, m_solution.workers,
                         m_control);
            for (const std::size_t w : group)
                if (w != worker)
                    boundDriftOfMate(own, m_hosts[worker], w);
        }

        void boundDriftOfMate(const ClockOffset &own, const std::string &host, std::size_t worker)
        {
            ClockOffset &mate = *m_solution.workers[worker];
            const double provedPpm = mate.driftPpm - own.driftPpm;
            const bool isOneHost = !host.empty() && host == m_hosts[worker];
            if (own.driftRange && (provedPpm != 0 || isOneHost))
                mate.driftRange = DriftRange { own.driftRange->leastPpm + provedPpm,
                                               own.driftRange->mostPpm + provedPpm };
            else if (mate.driftPpm != 0)
                mate.driftRange = DriftRange { -LargestToldDriftPpm, LargestToldDriftPpm };
        }

        bool fitMessages(std::size_t worker, const std::vector<const ObservedMessage *> &messages,
                         const std::vector<bool> &areTied)
        {
            ClockOffset &clock = *m_solution.workers[worker];
            std::vector<MessageBound> bounds;
            std::int64_t leastSureNs = 0;
            for (const ObservedMessage *message : messages) {
                const bool sends = message->sent.worker == worker;
                const ObservedPart &peer = sends ? message->received : message->sent;
                if (!areTied[peer.worker])
                    continue;
                const std::int64_t own = sends ? message->sent.startNs : message->received.endNs;
                const std::int64_t other = sends ? peer.endNs : peer.startNs;
                const std::int64_t unsureNs
                    = SmallestContradictionNs + m_solution.workers[peer.worker]->uncertaintyNs;
                leastSureNs = std::max(leastSureNs, unsureNs);
                bounds.push_back({ static_cast<double>(own - clock.originNs),
                                   aligned(peer.worker, other) - aligned(worker, own)
                                       + static_cast<double>(sends ? unsureNs : -unsureNs),
                                   sends });
            }
            MessageFit wanted = wantedOf(worker);
            auto fit = fitMessageClock(bounds, wanted);
            if (fit && fit->reachNs < 0
                && wanted.largestDrift == 0) { // the name of a host is wrong
                wanted.largestDrift = LargestMessageDrift;
                fit = fitMessageClock(bounds, wanted);
            }
            if (!fit)
                return false;
            const bool isContradicted = fit->reachNs < 0;
            clock.offsetNs += std::llround(fit->line.offsetNs);
            clock.driftPpm = fit->line.drift * 1e6;
            clock.uncertaintyNs
                = std::llround(std::abs(fit->reachNs)) + (isContradicted ? 2 * leastSureNs : 0);
            if (!isContradicted)
                clock.driftRange = DriftRange { fit->drift.first * 1e6, fit->drift.second * 1e6 };
            return true;
        }

        /// What the messages of a worker are asked for. A clock that they allow to be the
        /// reference's is taken for it; those of another host's workers are compared first, see
        /// joinEqualClocks().
        MessageFit wantedOf(std::size_t worker) const
        {
            const ClockOffset &clock = *m_solution.workers[worker];
            const std::string &host = m_hosts[worker];
            MessageFit fit;
            if (const auto &range = m_recorded[worker]) {
                fit.firstNs = static_cast<double>(range->startNs - clock.originNs);
                fit.lastNs = static_cast<double>(range->endNs - clock.originNs);
            }
            fit.largestDrift
                = !host.empty() && host == m_hosts[m_reference] ? 0 : LargestMessageDrift;
            fit.prefersConstant = !host.empty() && host != m_hosts[m_reference]
                && std::count(m_hosts.begin(), m_hosts.end(), host) > 1;
            if (!fit.prefersConstant)
                fit.preferred = ClockLine { -static_cast<double>(clock.offsetNs), 0 };
            return fit;
        }

        std::vector<ClockBound> bounds() const
        {
            std::vector<bool> isKnown;
            for (const auto &clock : m_solution.workers)
                isKnown.push_back(clock.has_value());
            return clockBounds(
                m_evidence,
                [this](std::size_t worker, std::int64_t rawNs) { return aligned(worker, rawNs); },
                isKnown, !areRecordedClocksPossible(), m_control);
        }

        /// Then none of the records is an outlier: alignment has to satisfy all of them, too.
        bool areRecordedClocksPossible() const
        {
            return countViolations(m_evidence,
                                   std::vector<std::optional<ClockOffset>>(m_hosts.size()))
                == 0;
        }

        /// Keeps the bounds true while `change` moves offsets.
        template <class Change>
        void move(Change change)
        {
            const auto before = m_solution.workers;
            change();
            const auto movedNs = [&](std::size_t w) {
                return static_cast<double>(m_solution.workers[w]->offsetNs - before[w]->offsetNs);
            };
            for (ClockBound &bound : m_bounds)
                bound.boundNs += movedNs(bound.j) - movedNs(bound.i);
        }

        void respectBounds()
        {
            const BoundedShift shift
                = satisfyBounds(m_bounds, m_hosts.size(), m_reference, m_control);
            m_areBoundsPossible = shift.slackNs <= SmallestContradictionNs;
            auto shifted = m_solution.workers;
            for (std::size_t w = 0; w < shifted.size(); ++w) {
                if (!shifted[w])
                    continue;
                const std::int64_t byNs = std::llround(shift.shiftNs[w]);
                shifted[w]->offsetNs += byNs;
                if (shifted[w]->driftRange) // all that is left open is as far away as it was
                    shifted[w]->uncertaintyNs += std::abs(byNs);
            }
            // Records that contradict each other would drag all clocks along; then the ends are the
            // better witnesses.
            if (countViolations(m_evidence, shifted)
                < countViolations(m_evidence, m_solution.workers))
                move([&] { m_solution.workers = std::move(shifted); });
        }

        void nameContradictions()
        {
            if (m_areBoundsPossible)
                return;
            for (const ClockBound &bound : m_bounds)
                if (bound.isBroken())
                    m_solution.contradictions.push_back(
                        { WorkerId(static_cast<std::uint32_t>(bound.i)),
                          WorkerId(static_cast<std::uint32_t>(bound.j)),
                          std::llround(-bound.boundNs) });
            std::sort(m_solution.contradictions.begin(), m_solution.contradictions.end(),
                      [](const auto &a, const auto &b) { return a.byNs > b.byNs; });
            if (m_solution.contradictions.size() > MostContradictions)
                m_solution.contradictions.resize(MostContradictions);
        }

        const ClockEvidence &m_evidence;
        const std::vector<std::string> &m_hosts;
        std::size_t m_reference;
        const JobControl &m_control;
        ClockSolution m_solution;
        TimesByWorker m_recorded; ///< that the clocks are used for
        std::vector<ClockBound> m_bounds; ///< with the clocks of m_solution
        bool m_areBoundsPossible = true; ///< some clocks satisfy all of m_bounds
    };

} // namespace

ClockSolution solveOffsets(const ClockEvidence &evidence, const std::vector<std::string> &hosts,
                           std::size_t reference, const JobControl &control)
{
    return Solver(evidence, hosts, reference, control).solve();
}

std::uint64_t countViolations(const ClockEvidence &evidence,
                              const std::vector<std::optional<ClockOffset>> &workers)
{
    const auto time = [&workers](std::size_t worker, std::int64_t rawNs) {
        return alignedRaw(workers[worker], rawNs);
    };
    std::uint64_t violations = 0;
    std::vector<std::int64_t> starts;
    for (const ObservedCollective &collective : evidence.collectives) {
        starts.clear();
        auto lastStart = std::numeric_limits<std::int64_t>::min();
        auto firstEnd = std::numeric_limits<std::int64_t>::max();
        for (const ObservedPart &part : collective.parts) {
            starts.push_back(time(part.worker, part.startNs));
            lastStart = std::max(lastStart, starts.back());
            firstEnd = std::min(firstEnd, time(part.worker, part.endNs));
        }
        if (lastStart <= firstEnd)
            continue;
        std::sort(starts.begin(), starts.end());
        for (const ObservedPart &leaving : collective.parts)
            violations += static_cast<std::uint64_t>(
                starts.end()
                - std::upper_bound(starts.begin(), starts.end(),
                                   time(leaving.worker, leaving.endNs)));
    }
    for (const ObservedMessage &message : evidence.messages)
        if (time(message.sent.worker, message.sent.startNs)
            > time(message.received.worker, message.received.endNs))
            ++violations;
    return violations;
}

} // namespace core
