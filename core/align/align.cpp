#include "core/align/align.h"

#include "core/align/alignment_status.h"
#include "core/align/clock_evidence.h"
#include "core/align/clock_offsets.h"
#include "core/align/clock_quality.h"
#include "core/align/related_clocks.h"
#include "core/model/unrelated_clocks.h"

#include <algorithm>
#include <set>

namespace core {

namespace {

    std::size_t lowestRank(const std::vector<Worker> &workers)
    {
        const auto lowest
            = std::min_element(workers.begin(), workers.end(),
                               [](const Worker &a, const Worker &b) { return a.rank < b.rank; });
        return static_cast<std::size_t>(lowest - workers.begin());
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

    /// By worker: whether the files that hold its slices are the reference's, too, so that one
    /// clock has stamped both. Not where the trace names different hosts.
    std::vector<bool> sharesClock(const Trace &trace, std::size_t reference)
    {
        std::vector<std::set<FileId>> files(trace.workers.size());
        for (const Track &track : trace.tracks)
            files[track.worker.value].insert(track.file);
        const std::string &host = trace.workers[reference].host;
        std::vector<bool> shares;
        for (std::size_t w = 0; w < files.size(); ++w) {
            const std::string &own = trace.workers[w].host;
            // 0: the file is not known.
            shares.push_back(!files[w].empty() && !files[w].contains(FileId())
                             && std::includes(files[reference].begin(), files[reference].end(),
                                              files[w].begin(), files[w].end())
                             && (own.empty() || host.empty() || own == host));
        }
        return shares;
    }

    /// What one file holds needs no alignment. A file that was put together of several clocks shows
    /// it: then its offset is not within the uncertainty.
    void joinSharedClocks(const Trace &trace, std::size_t reference, AlignmentReport &report)
    {
        const std::vector<bool> shares = sharesClock(trace, reference);
        for (std::size_t w = 0; w < shares.size(); ++w) {
            Alignment &clock = report.workers[w];
            if (!shares[w] || clock.isReference || (clock.isKnown && !clock.isAsRecorded))
                continue;
            clock.isKnown = clock.isAsRecorded = true;
            clock.uncertaintyNs = 0;
            clock.driftRange.reset();
        }
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
    const ClockEvidence evidence = clockEvidence(trace, control.part(0, 0.7));
    control.report(0.7, "aligning clocks");
    const std::size_t reference = lowestRank(trace.workers);
    std::vector<std::string> hosts;
    for (const Worker &worker : trace.workers)
        hosts.push_back(worker.host);
    const ClockSolution solution = solveOffsets(evidence, hosts, reference, control.part(0.7, 1));
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
            alignment.driftRange = clock->driftRange;
        }
    }
    joinSharedClocks(trace, reference, report);
    relateUnknownClocks(evidence, trace.workers, hosts, report, control);
    placeUnrelatedClocks(trace.tracks, report);
    report.violationsBefore
        = countViolations(evidence, std::vector<std::optional<ClockOffset>>(trace.workers.size()));
    judgeClocks(evidence, report);
    report.method = methodOf(evidence);
    report.contradictions = solution.contradictions;
    report.status = alignmentStatus(trace, report, {}, evidence, report.contradictions);
    tellPlacedClocks(trace.workers, report);
    control.report(1, "aligning clocks");
    return report;
}

AlignmentReport withClocksByHand(const Trace &trace, AlignmentReport solved,
                                 const ClocksByHand &byHand, const JobControl &control)
{
    if (byHand.empty())
        return solved;
    for (const Alignment &clock : byHand)
        solved.workers[clock.worker.value] = clock;
    const ClockEvidence evidence = clockEvidence(trace, control);
    judgeClocks(evidence, solved);
    solved.status = alignmentStatus(trace, solved, byHand, evidence, {});
    tellPlacedClocks(trace.workers, solved);
    return solved;
}

} // namespace core
