#include "core/align/align.h"

#include "core/align/clock_offsets.h"
#include "core/model/slice_index.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <string_view>

namespace core {

namespace {

    /// Collectives that no rank can leave before all have come. A broadcast, reduce, send or
    /// receive lets ranks go on alone.
    constexpr std::array<std::string_view, 7> SynchronisingKinds
        = { "all_reduce",     "all_gather", "all_to_all", "all_to_allv",
            "reduce_scatter", "barrier",    "send_recv" };

    bool isSynchronising(const std::string &kind)
    {
        return std::find(SynchronisingKinds.begin(), SynchronisingKinds.end(), kind)
            != SynchronisingKinds.end();
    }

    std::vector<ObservedCollective> observe(const Trace &trace, const JobControl &control)
    {
        std::vector<std::string> notes;
        const SliceIndex slices(trace);
        std::vector<ObservedCollective> observed;
        for (const MatchedCollective &matched : matchCollectives(trace, notes)) {
            throwIfCancelled(control);
            if (!isSynchronising(trace.collectives[matched.calls.front()].kind))
                continue;
            ObservedCollective &collective = observed.emplace_back();
            for (const std::size_t index : matched.calls) {
                const CollectiveCall &call = trace.collectives[index];
                collective.parts.push_back(
                    { call.worker.value, slices.startNs(call.slice), slices.endNs(call.slice) });
            }
        }
        return observed;
    }

    std::size_t lowestRank(const std::vector<Worker> &workers)
    {
        const auto lowest
            = std::min_element(workers.begin(), workers.end(),
                               [](const Worker &a, const Worker &b) { return a.rank < b.rank; });
        return static_cast<std::size_t>(lowest - workers.begin());
    }

    /// Median distance of a worker's aligned ends from the reference's, or from those of the first
    /// other participant where the reference takes no part.
    std::int64_t residualOf(std::size_t worker, std::size_t reference,
                            const std::vector<ObservedCollective> &collectives,
                            const ClockOffsets &offsets)
    {
        std::vector<std::int64_t> distances;
        for (const ObservedCollective &collective : collectives) {
            const ObservedCollective::Part *own = nullptr, *peer = nullptr;
            for (const auto &part : collective.parts) {
                if (part.worker == worker)
                    own = &part;
                else if (offsets.offsetNs[part.worker] && (!peer || part.worker == reference))
                    peer = &part;
            }
            if (own && peer)
                distances.push_back(std::abs((own->endNs + *offsets.offsetNs[worker])
                                             - (peer->endNs + *offsets.offsetNs[peer->worker])));
        }
        if (distances.empty())
            return 0;
        const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
        std::nth_element(distances.begin(), middle, distances.end());
        return *middle;
    }

    /// "11.100 ms", "49 us", "2.5 s"
    std::string timeText(std::int64_t ns)
    {
        std::array<char, 48> text {};
        const double value = static_cast<double>(std::abs(ns));
        if (value < 1e6)
            std::snprintf(text.data(), text.size(), "%.0f us", value / 1e3);
        else if (value < 1e9)
            std::snprintf(text.data(), text.size(), "%.3f ms", value / 1e6);
        else
            std::snprintf(text.data(), text.size(), "%.3f s", value / 1e9);
        return text.data();
    }

    std::string offsetSentence(const Trace &trace, const AlignmentReport &report,
                               std::size_t collectives)
    {
        const Alignment *farthest = nullptr;
        std::int64_t residualNs = 0;
        for (const Alignment &alignment : report.workers) {
            if (!alignment.isKnown || alignment.isReference)
                continue;
            if (!farthest || std::abs(alignment.offsetNs) > std::abs(farthest->offsetNs))
                farthest = &alignment;
            residualNs = std::max(residualNs, alignment.residualNs);
        }
        if (!farthest)
            return {};
        const auto rankOf
            = [&trace](WorkerId w) { return std::to_string(trace.workers[w.value].rank); };
        const auto reference
            = std::find_if(report.workers.begin(), report.workers.end(),
                           [](const Alignment &alignment) { return alignment.isReference; });
        const std::string direction = farthest->offsetNs < 0 ? " ahead of" : " behind";
        return "Clocks aligned on " + std::to_string(collectives)
            + (collectives == 1 ? " collective" : " collectives") + ": the largest offset is rank "
            + rankOf(farthest->worker) + "'s, " + timeText(farthest->offsetNs) + direction
            + " rank " + rankOf(reference->worker) + "; ends of matched collectives then agree to "
            + timeText(residualNs) + ".";
    }

    std::string statusOf(const Trace &trace, const AlignmentReport &report, std::size_t collectives)
    {
        if (trace.workers.size() < 2)
            return "One rank: there is no other clock to align with.";
        std::string unknown;
        for (const Alignment &alignment : report.workers)
            if (!alignment.isKnown)
                unknown += (unknown.empty() ? "" : ", ")
                    + std::to_string(trace.workers[alignment.worker.value].rank);
        std::string status = offsetSentence(trace, report, collectives);
        if (!unknown.empty())
            status += (status.empty() ? "" : " ")
                + ("No synchronising collective ties these ranks to the reference, so their times "
                   "are shown as recorded: "
                   + unknown + ".");
        if (report.violationsAfter > 0)
            status += " In " + std::to_string(report.violationsAfter)
                + " places a rank still seems to leave a collective before another has entered it.";
        return status;
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
    const std::vector<ObservedCollective> collectives = observe(trace, control);
    control.report(0.7, "aligning clocks");
    const std::size_t reference = lowestRank(trace.workers);
    const ClockOffsets offsets = solveOffsets(collectives, trace.workers.size(), reference);

    for (std::size_t w = 0; w < trace.workers.size(); ++w) {
        Alignment &alignment = report.workers.emplace_back();
        alignment.worker = trace.workers[w].id;
        alignment.isReference = w == reference;
        alignment.isKnown = offsets.offsetNs[w].has_value();
        alignment.offsetNs = offsets.offsetNs[w].value_or(0);
        if (alignment.isKnown && !alignment.isReference)
            alignment.residualNs = residualOf(w, reference, collectives, offsets);
    }
    report.violationsBefore = countViolations(
        collectives, std::vector<std::optional<std::int64_t>>(trace.workers.size(), 0));
    report.violationsAfter = countViolations(collectives, offsets.offsetNs);
    report.method = collectives.empty() ? "none" : "collective-ends";
    report.status = statusOf(trace, report, collectives.size());
    control.report(1, "aligning clocks");
    return report;
}

} // namespace core
