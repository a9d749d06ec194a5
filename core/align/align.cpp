#include "core/align/align.h"

#include "core/align/alignment_status.h"
#include "core/align/clock_evidence.h"
#include "core/align/clock_offsets.h"
#include "core/align/median.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

namespace core {

namespace {

    std::size_t lowestRank(const std::vector<Worker> &workers)
    {
        const auto lowest
            = std::min_element(workers.begin(), workers.end(),
                               [](const Worker &a, const Worker &b) { return a.rank < b.rank; });
        return static_cast<std::size_t>(lowest - workers.begin());
    }

    /// By worker: median distance of its aligned ends from the reference's, or from those of
    /// another participant where the reference takes no part; 0 for none.
    std::vector<std::int64_t> residuals(const ClockEvidence &evidence, std::size_t reference,
                                        const std::vector<Alignment> &clocks)
    {
        std::vector<std::vector<std::int64_t>> distances(clocks.size());
        const auto endOf = [&clocks](const ObservedPart &part) {
            return clocks[part.worker].toAligned(part.endNs);
        };
        for (const ObservedCollective &collective : evidence.collectives) {
            if (!collective.endsTogether)
                continue;
            const ObservedPart *first = nullptr, *second = nullptr;
            for (const ObservedPart &part : collective.parts) {
                if (!clocks[part.worker].isKnown)
                    continue;
                if (!first || part.worker == reference)
                    second = std::exchange(first, &part);
                else if (!second)
                    second = &part;
            }
            if (!second)
                continue;
            for (const ObservedPart &part : collective.parts)
                if (clocks[part.worker].isKnown)
                    distances[part.worker].push_back(
                        std::abs(endOf(part) - endOf(&part == first ? *second : *first)));
        }
        std::vector<std::int64_t> medians;
        medians.reserve(distances.size());
        for (std::vector<std::int64_t> &own : distances)
            medians.push_back(own.empty() ? 0 : median(std::move(own)));
        return medians;
    }

    std::string methodOf(const ClockEvidence &evidence)
    {
        const bool hasEnds = std::any_of(
            evidence.collectives.begin(), evidence.collectives.end(),
            [](const ObservedCollective &collective) { return collective.endsTogether; });
        if (evidence.messages.empty())
            return hasEnds ? "collective-ends" : "none";
        return hasEnds ? "collective-ends+messages" : "messages";
    }

} // namespace

AlignmentReport align(const Trace &trace, const JobControl &control)
{
    AlignmentReport report;
    if (trace.workers.empty()) {
        report.method = "none";
        report.status = "The trace has no rank.";
        return report;
    }
    control.report(0, "matching collectives");
    const ClockEvidence evidence = clockEvidence(trace, control);
    control.report(0.7, "aligning clocks");
    const std::size_t reference = lowestRank(trace.workers);
    std::vector<std::string> hosts;
    for (const Worker &worker : trace.workers)
        hosts.push_back(worker.host);
    const ClockSolution solution = solveOffsets(evidence, hosts, reference);
    throwIfCancelled(control);

    for (std::size_t w = 0; w < trace.workers.size(); ++w) {
        Alignment &alignment = report.workers.emplace_back();
        alignment.worker = trace.workers[w].id;
        alignment.isReference = w == reference;
        if (const auto &clock = solution.workers[w]) {
            alignment.isKnown = true;
            alignment.offsetNs = clock->offsetNs;
            alignment.driftPpm = clock->driftPpm;
            alignment.driftFromNs = clock->originNs;
            alignment.uncertaintyNs = clock->uncertaintyNs;
            alignment.isAsRecorded = clock->isAsRecorded;
        }
    }
    const std::vector<std::int64_t> residualNs = residuals(evidence, reference, report.workers);
    for (std::size_t w = 0; w < report.workers.size(); ++w)
        if (w != reference)
            report.workers[w].residualNs = residualNs[w];
    report.violationsBefore
        = countViolations(evidence, std::vector<std::optional<ClockOffset>>(trace.workers.size()));
    report.violationsAfter = countViolations(evidence, solution.workers);
    report.method = methodOf(evidence);
    report.status = alignmentStatus(trace, report, evidence, solution.contradictions);
    control.report(1, "aligning clocks");
    return report;
}

} // namespace core
