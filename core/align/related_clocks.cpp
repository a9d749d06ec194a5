#include "core/align/related_clocks.h"

#include "core/align/clock_offsets.h"

#include <algorithm>
#include <cstddef>

namespace core {

namespace {

    /// What is left of the evidence where only those take part that are `wanted`, by worker.
    ClockEvidence evidenceAmong(const ClockEvidence &evidence, const std::vector<bool> &wanted)
    {
        ClockEvidence among;
        for (const ObservedCollective &collective : evidence.collectives) {
            ObservedCollective left { {}, collective.endsTogether };
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

    void setRelated(const ClockOffset &clock, Alignment &alignment)
    {
        alignment.offsetNs = clock.offsetNs;
        alignment.driftPpm = clock.driftPpm;
        alignment.driftFromNs = clock.originNs;
    }

} // namespace

void relateUnknownClocks(const ClockEvidence &evidence, const std::vector<Worker> &workers,
                         const std::vector<std::string> &hosts, AlignmentReport &report,
                         const JobControl &control)
{
    std::vector<bool> isLeft;
    for (const Alignment &clock : report.workers)
        isLeft.push_back(!clock.isKnown && !clock.isReference);
    for (;;) {
        throwIfCancelled(control);
        const ClockEvidence among = evidenceAmong(evidence, isLeft);
        isLeft = participants(among, workers.size());
        std::size_t first = workers.size();
        for (std::size_t w = 0; w < workers.size(); ++w)
            if (isLeft[w] && (first == workers.size() || workers[w].rank < workers[first].rank))
                first = w;
        if (first == workers.size())
            return;
        const ClockSolution solution = solveOffsets(among, hosts, first, {});
        for (std::size_t w = 0; w < workers.size(); ++w) {
            if (!isLeft[w] || !solution.workers[w])
                continue;
            if (w != first)
                setRelated(*solution.workers[w], report.workers[w]);
            isLeft[w] = false;
        }
        isLeft[first] = false;
    }
}

} // namespace core
