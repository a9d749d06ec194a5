#include "core/commands/diagnose_command.h"

#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/report/iteration_groups.h"
#include "core/analyze/report/period_report.h"
#include "core/base/duration_text.h"
#include "core/base/sentence.h"
#include "core/commands/text/diagnosis_text.h"
#include "core/commands/text/group_text.h"
#include "core/commands/text/prediction_text.h"
#include "core/commands/text/text.h"
#include "core/pipeline/pipeline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <set>
#include <utility>

namespace core {

namespace {

    /// Input of the texts of a diagnosis.
    struct Report
    {
        const Trace &trace;
        const Diagnosis &diagnosis;
        const IterationWords words;
        const std::string project; ///< as a command line names it
        const bool isVerbose;
    };

    bool hasBottleneck(const Diagnosis &diagnosis, std::string_view kind)
    {
        return std::any_of(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                           [kind](const Bottleneck &found) { return found.kind == kind; });
    }

    void printPeriod(const PeriodReport &period, std::ostream &out)
    {
        out << periodText(period) << "\n";
        for (const std::string &text : kindTexts(period))
            out << text << "\n";
    }

    /// The answer, and how far to trust it.
    void printVerdict(const Report &report, std::ostream &out)
    {
        const Diagnosis &diagnosis = report.diagnosis;
        out << diagnosis.verdict << "\n";
        for (const std::string &remark : diagnosis.verdictRemarks)
            out << remark << "\n";
        const bool areSlowTold = hasBottleneck(diagnosis, SlowIterationsKind);
        if (diagnosis.period)
            printPeriod(*diagnosis.period, out);
        if (diagnosis.iterationGroups && !diagnosis.iterationGroups->areKinds && !areSlowTold)
            out << iterationGroupsText(*diagnosis.iterationGroups) << "\n";
        for (const std::string &sentence : diagnosis.blindSpots)
            out << sentence << "\n";
        if (!diagnosis.isOfOneJob)
            return;
        const Prediction &replay = diagnosis.selfReplay;
        out << withCapital(diagnosis.hasIterations ? "iteration" : "recording") << ": "
            << durationText(replay.measuredNs) << " measured, " << durationText(replay.predictedNs)
            << " replayed. ";
        if (report.isVerbose)
            return printReasons(replay, out);
        out << (replay.trust == TrustLevel::Good ? "Trust: good." : trustText(replay)) << "\n";
    }

    bool isShareTold(const Diagnosis &diagnosis, const Bottleneck &found)
    {
        const auto tells = [&found](const std::string &sentence) {
            return sentence.starts_with(found.title + found.effect);
        };
        return tells(diagnosis.verdict)
            || std::any_of(diagnosis.verdictRemarks.begin(), diagnosis.verdictRemarks.end(), tells);
    }

    /// "2. Twice the network bandwidth: 179.6 ms (27 %; 95 % interval 167.0 ms to 196.8 ms)".
    std::string headingOf(const Report &report, const Bottleneck &found, int number)
    {
        std::string rest;
        if (!isShareTold(report.diagnosis, found))
            rest = percentText(found.gainFraction)
                + (found.kind == SlowIterationsKind ? " of the mean iteration" : "");
        if (const std::string interval = gainIntervalText(found); !interval.empty())
            rest += (rest.empty() ? "" : "; ") + interval;
        return std::to_string(number) + ". " + found.title + ": " + durationText(found.gainNs)
            + (rest.empty() ? "" : " (" + rest + ")");
    }

    /// Prints it without the evidence that is `told`; several may rest on one fact.
    void printBottleneck(const Report &report, const Bottleneck &found, std::set<std::string> &told,
                         std::ostream &out)
    {
        if (!isReasonTold(found, report.diagnosis.verdictRemarks))
            out << "   " << found.reason << "\n";
        if (report.isVerbose)
            for (const std::string &line : found.evidence)
                if (told.insert(line).second)
                    out << "   - " << line << "\n";
        out << "   " << (report.isVerbose ? found.advice : firstSentence(found.advice)) << "\n";
        if (const std::string command = tryCommand(found, report.project); !command.empty())
            out << "   $ " << command << "\n";
    }

    /// Changes, then the limits that no change reaches.
    void printBottlenecks(const Report &report, std::ostream &out)
    {
        std::set<std::string> told;
        int number = 0;
        for (const bool isBound : { false, true }) {
            bool isFirst = true;
            for (const Bottleneck &found : report.diagnosis.bottlenecks) {
                if (found.isBound != isBound)
                    continue;
                if (std::exchange(isFirst, false))
                    out << "\n"
                        << (isBound ? "Upper limits of gains" : "Gains") << report.words.per()
                        << (isBound ? "" : ", each predicted alone") << ":\n";
                out << headingOf(report, found, ++number) << "\n";
                printBottleneck(report, found, told, out);
            }
        }
    }

    void printRankRemarks(const Report &report, std::ostream &out)
    {
        const std::vector<std::string> &remarks = report.diagnosis.rankRemarks;
        if (remarks.empty() || (!report.isVerbose && hasBottleneck(report.diagnosis, "straggler")))
            return;
        out << "\n";
        for (std::size_t i = 0; i < (report.isVerbose ? remarks.size() : 1); ++i)
            out << remarks[i] << "\n";
    }

    void printText(const Report &report, std::ostream &out)
    {
        const Diagnosis &diagnosis = report.diagnosis;
        const bool all = report.isVerbose;
        printVerdict(report, out);
        if (!diagnosis.isOfOneJob) {
            out << diagnosis.selfReplay.trustReason << "\nEach rank for itself:\n";
            return printDevices(report.trace, diagnosis, report.words, all, out);
        }
        printBottlenecks(report, out);
        out << "\n";
        printDevices(report.trace, diagnosis, report.words, all, out);
        out << "\n";
        printCriticalPath(diagnosis, report.words, all, out);
        if (all)
            printNearCritical(diagnosis.nearCritical, out);
        out << "\n";
        printOperations(diagnosis.operations, report.words, all, out);
        printRankRemarks(report, out);
        if (!all) {
            out << "\nMore: longpole diagnose " << report.project << " --verbose\n";
            const ChangeObstacles obstacles = diagnosis.predictor->obstacles();
            if (std::any_of(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                            [&obstacles](const Bottleneck &found) {
                                return leadsToSearch(found, obstacles);
                            }))
                out << "Best buckets: longpole optimize " << report.project << "\n";
            return;
        }
        out << "\n";
        if (diagnosis.period)
            printKinds(*diagnosis.period, out);
        printGroups(diagnosis.groups, out);
        printScheduling(diagnosis.selfReplay, diagnosis.predictor->obstacles(), out);
    }

} // namespace

void DiagnoseCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--verbose", m_isVerbose, "Also print evidence, reasons and longer tables");
    app.add_flag("--json", m_json, "Print JSON");
    app.footer("A gain is the difference between two typical iterations, as the replay predicts "
               "them. Gains overlap, so they do not add up.\n"
               "If a 95 % interval begins at 0 or below, the gain may be nothing. Measured values "
               "have no interval: breakdowns, waiting, the loss of rare slow iterations.\n"
               "Own time leaves out the operations that an operation calls; +- is its standard "
               "deviation between iterations. Shares can exceed 100 %, as threads and streams run "
               "at once.\n"
               + std::string(schedulingHelp()));
}

int DiagnoseCommand::run(const CommandIo &io)
{
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.5));
    Diagnosis diagnosis = diagnose(*project.trace, project.graph, io.control.part(0.5, 0.9));
    setGainIntervals(gainIntervals(diagnosis, io.control.part(0.9, 1)), diagnosis);
    if (m_json)
        io.out << toJson(diagnosis).dump(2, ' ', false,
                                         nlohmann::ordered_json::error_handler_t::replace)
               << "\n";
    else
        printText({ *project.trace,
                    diagnosis,
                    { *project.trace, project.graph->iterationCount },
                    shellWord(m_project),
                    m_isVerbose },
                  io.out);
    return Done;
}

} // namespace core
