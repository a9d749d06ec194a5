#include "core/commands/align_command.h"

#include "core/analyze/alignment_json.h"
#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/commands/text/text.h"
#include "core/model/clock_drift.h"
#include "core/model/separate_jobs.h"
#include "core/model/unrelated_clocks.h"
#include "core/pipeline/align_by_hand.h"
#include "core/pipeline/merged_collectives.h"
#include "core/pipeline/rank_checks.h"
#include "core/project/read/project_reader.h"
#include "core/report/clock_text.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <ostream>
#include <set>

namespace core {

namespace {

    /// Ranks of other jobs than the reference's: what their offsets were solved from are no
    /// collectives of theirs with it.
    std::set<WorkerId> ranksOfOtherJobs(const ProjectReader &reader, const JobControl &control)
    {
        std::set<WorkerId> ranks;
        if (!areOfSeveralJobs(reader.info().diagnostics))
            return ranks;
        const auto noName = [](std::string_view) { return false; };
        for (const auto &job : separateJobs(readMergedOutline(reader, noName, control)).jobs)
            if (std::none_of(job.begin(), job.end(), [&reader](WorkerId worker) {
                    return reader.info().alignment.workers[worker.value].isReference;
                }))
                ranks.insert(job.begin(), job.end());
        return ranks;
    }

    std::string stateOf(const Alignment &alignment, const ProjectInfo &info, bool isOfOtherJob)
    {
        if (alignment.isReference)
            return "reference";
        if (isOfOtherJob && !isByHand(info.byHand, alignment.worker))
            return "not aligned: of another job";
        if (isByHand(info.byHand, alignment.worker))
            return "set by hand";
        if (isPlaced(alignment))
            return placedClockText(info.workers, info.alignment, alignment.worker);
        if (!alignment.isKnown)
            return "unknown";
        if (isOneClock(alignment))
            return "one clock";
        return alignment.isAsRecorded ? "as recorded" : "aligned";
    }

    int parseRank(const std::string &word)
    {
        int rank = 0;
        const char *end = word.data() + word.size();
        const auto parsed = std::from_chars(word.data(), end, rank);
        if (parsed.ec != std::errc() || parsed.ptr != end)
            throw UsageError("'--reset " + word
                             + "': this is no rank; without one, all are reset.");
        return rank;
    }

    ClockChange parseOffset(const std::string &word)
    {
        ClockChange change;
        std::int64_t offsetNs = 0;
        const char *end = word.data() + word.size();
        const auto rank = std::from_chars(word.data(), end, change.rank);
        const bool isRank = rank.ec == std::errc() && rank.ptr != end && *rank.ptr == '=';
        const auto offset = std::from_chars(isRank ? rank.ptr + 1 : end, end, offsetNs);
        if (!isRank || offset.ec != std::errc() || offset.ptr != end)
            throw UsageError(
                "'--set-offset " + word
                + "' is not of the form RANK=NS: a rank, and whole nanoseconds that are "
                  "added to its times, as in 1=-3757000.");
        change.offsetNs = offsetNs;
        return change;
    }

    void printText(const ProjectInfo &info, const std::set<WorkerId> &ofOtherJobs,
                   std::ostream &out)
    {
        TextTable table({ "rank", "offset", "+-", "drift ppm", "residual", "" });
        const AlignmentReport &report = info.alignment;
        const std::vector<ClockDrift> drifts
            = clockDrifts(report, info.workers, info.byHand, info.iterations);
        std::vector<Alignment> byRank = report.workers;
        const auto rankOf
            = [&info](const Alignment &one) { return info.workers[one.worker.value].rank; };
        std::sort(byRank.begin(), byRank.end(), [&rankOf](const Alignment &a, const Alignment &b) {
            return rankOf(a) < rankOf(b);
        });
        for (const Alignment &one : byRank) {
            const bool isSet = isByHand(info.byHand, one.worker);
            const bool isOfOther = ofOtherJobs.contains(one.worker);
            const bool isMeasured = (one.isKnown && !(isOfOther && !isSet)) || one.isReference;
            const bool hasError = isMeasured && !isSet && !isOneClock(one);
            table.addRow(
                { std::to_string(rankOf(one)),
                  isMeasured ? offsetText(one.offsetNs, isSet ? 0 : one.uncertaintyNs) : "",
                  hasError ? durationText(one.uncertaintyNs) : "",
                  isMeasured ? driftText(drifts[one.worker.value]) : "",
                  isMeasured ? durationText(one.residualNs) : "", stateOf(one, info, isOfOther) });
        }
        table.print(out);
        out << "\n";
        if (const std::string sentence = clockSentence(info);
            !sentence.empty() && ofOtherJobs.empty())
            out << sentence << "\n";
        out << report.status << "\n";
        if (!ofOtherJobs.empty())
            return; // whose times are before or after whose tells nothing
        out << "operations that end before what they wait for begins: " << report.violationsBefore
            << " before, " << report.violationsAfter << " after\n";
    }

    /// What is certain to be wrong with an offset that was set: ranks would leave a collective, or
    /// have a message, before others had come to it.
    void warnOfViolations(const AlignmentReport &before, const AlignmentReport &now,
                          std::ostream &err)
    {
        if (now.violationsAfter > before.violationsAfter)
            err << "warning: with this offset " << now.violationsAfter << " instead of "
                << before.violationsAfter
                << " operations end before what they wait for on another rank begins. Check the "
                   "sign and the unit (nanoseconds that "
                   "are added "
                   "to the rank's times); --reset goes back to the solved clock.\n";
    }

} // namespace

void AlignCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--set-offset", m_offsets,
                   "RANK=NS: add NS nanoseconds to the times of a rank instead of what was solved, "
                   "which the project keeps (a solved drift stays); may be repeated")
        ->allow_extra_args(false);
    app.add_option("--reset", m_resets, "Use the solved clocks again: of these ranks, or of all")
        ->expected(0, -1);
    app.add_flag("--json", m_json, "Print JSON");
    app.footer(
        "offset is what is added to the rank's times: positive where its clock is behind the "
        "reference's.\ndrift is by how much that grows, in microseconds a second: positive where "
        "its "
        "clock runs slow, +- how far that may be off; where none is proved, it is not known, 0 is "
        "applied (or the middle of what messages allow), and +- says how large it may be.\n+- is "
        "how far an offset may be off: "
        "with 95 % probability it is nearer "
        "to the true "
        "one.\nresidual is how far apart the rank and the reference leave collectives after "
        "alignment, in the\nmedian: large where one leaves late, however sure the offset is.");
}

std::vector<ClockChange> AlignCommand::changes(const ProjectInfo &info) const
{
    std::vector<ClockChange> changes;
    for (const std::string &word : m_resets) {
        if (!word.empty()) {
            changes.push_back({ parseRank(word), {} });
            continue;
        }
        for (const Worker &worker : info.workers)
            changes.push_back({ worker.rank, {} });
    }
    for (const std::string &word : m_offsets)
        changes.push_back(parseOffset(word));
    return changes;
}

int AlignCommand::run(const CommandIo &io)
{
    const ProjectInfo before = ProjectReader(m_project).info();
    const std::vector<ClockChange> wanted = changes(before);
    if (!wanted.empty())
        alignByHand(m_project, wanted, io.control);
    const ProjectReader reader(m_project);
    if (!m_offsets.empty())
        warnOfViolations(before.alignment, reader.info().alignment, io.err);
    if (m_json)
        io.out << toJson(reader.info().alignment, reader.info().byHand,
                         reader.info().solvedAlignment, reader.info().workers,
                         reader.info().iterations)
                      .dump(2)
               << "\n";
    else
        printText(reader.info(), ranksOfOtherJobs(reader, io.control), io.out);
    return Done;
}

} // namespace core
