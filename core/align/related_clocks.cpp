#include "core/align/related_clocks.h"

#include "core/align/clock_offsets.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <numeric>
#include <utility>

namespace core {

namespace {

    /// What is left of the evidence where only those take part that are `wanted`, by worker.
    ClockEvidence evidenceAmong(const ClockEvidence &evidence, const std::vector<bool> &wanted)
    {
        ClockEvidence among;
        for (const ObservedCollective &collective : evidence.collectives) {
            ObservedCollective left { {}, collective.endsTogether, collective.bytes };
            for (const ObservedPart &part : collective.parts)
                if (wanted[part.worker])
                    left.parts.push_back(part);
            if (left.parts.size() > 1)
                among.collectives.push_back(std::move(left));
        }
        for (const ObservedMessage &message : evidence.messages)
            if (wanted[message.sent.worker] && wanted[message.received.worker])
                among.messages.push_back(message);
        return among;
    }

    /// Workers that take part in something together, directly or through others.
    class TiedWorkers
    {
    public:
        explicit TiedWorkers(std::size_t workers)
            : m_above(workers)
        {
            std::iota(m_above.begin(), m_above.end(), std::size_t { 0 });
        }

        void tie(std::size_t a, std::size_t b)
        {
            a = firstOf(a);
            b = firstOf(b);
            m_above[std::max(a, b)] = std::min(a, b);
        }
        std::size_t firstOf(std::size_t worker)
        {
            while (m_above[worker] != worker)
                worker = m_above[worker] = m_above[m_above[worker]];
            return worker;
        }

    private:
        std::vector<std::size_t> m_above; ///< itself, of the first of its group
    };

    /// What each group of tied workers recorded: nothing of one says anything of another.
    std::map<std::size_t, ClockEvidence> evidenceByGroup(ClockEvidence &&all, std::size_t workers)
    {
        TiedWorkers tied(workers);
        for (const ObservedCollective &collective : all.collectives)
            for (const ObservedPart &part : collective.parts)
                tied.tie(collective.parts.front().worker, part.worker);
        for (const ObservedMessage &message : all.messages)
            tied.tie(message.sent.worker, message.received.worker);
        std::map<std::size_t, ClockEvidence> groups;
        for (ObservedCollective &collective : all.collectives)
            groups[tied.firstOf(collective.parts.front().worker)].collectives.push_back(
                std::move(collective));
        for (const ObservedMessage &message : all.messages)
            groups[tied.firstOf(message.sent.worker)].messages.push_back(message);
        return groups;
    }

    /// The workers that take part in anything.
    std::vector<bool> participants(const ClockEvidence &evidence, std::size_t workers)
    {
        std::vector<bool> takesPart(workers, false);
        for (const ObservedCollective &collective : evidence.collectives)
            for (const ObservedPart &part : collective.parts)
                takesPart[part.worker] = true;
        for (const ObservedMessage &message : evidence.messages)
            takesPart[message.sent.worker] = takesPart[message.received.worker] = true;
        return takesPart;
    }

    /// Of those that are left; the number of workers if none is.
    std::size_t lowestRank(const std::vector<Worker> &workers, const std::vector<bool> &isLeft)
    {
        std::size_t lowest = workers.size();
        for (std::size_t w = 0; w < workers.size(); ++w)
            if (isLeft[w] && (lowest == workers.size() || workers[w].rank < workers[lowest].rank))
                lowest = w;
        return lowest;
    }

    void setRelated(const ClockOffset &clock, Alignment &alignment)
    {
        alignment.offsetNs = clock.offsetNs;
        alignment.driftPpm = clock.driftPpm;
        alignment.driftFromNs = clock.originNs;
    }

    /// Also of those that take part together some may not be tied: collectives that no one ends
    /// together, say.
    void relateGroup(ClockEvidence evidence, const std::vector<Worker> &workers,
                     const std::vector<std::string> &hosts, AlignmentReport &report,
                     const JobControl &control)
    {
        for (;;) {
            throwIfCancelled(control);
            std::vector<bool> isLeft = participants(evidence, workers.size());
            const std::size_t first = lowestRank(workers, isLeft);
            if (first == workers.size())
                return;
            const ClockSolution solution = solveOffsets(evidence, hosts, first, {});
            for (std::size_t w = 0; w < workers.size(); ++w) {
                if (!isLeft[w] || !solution.workers[w])
                    continue;
                if (w != first)
                    setRelated(*solution.workers[w], report.workers[w]);
                isLeft[w] = false;
            }
            isLeft[first] = false;
            evidence = evidenceAmong(evidence, isLeft);
        }
    }

} // namespace

void relateUnknownClocks(const ClockEvidence &evidence, const std::vector<Worker> &workers,
                         const std::vector<std::string> &hosts, AlignmentReport &report,
                         const JobControl &control)
{
    std::vector<bool> isUnknown;
    for (const Alignment &clock : report.workers)
        isUnknown.push_back(!clock.isKnown && !clock.isReference);
    for (auto &[first, own] : evidenceByGroup(evidenceAmong(evidence, isUnknown), workers.size()))
        relateGroup(std::move(own), workers, hosts, report, control);
}

} // namespace core
