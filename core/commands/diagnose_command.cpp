#include "core/commands/diagnose_command.h"

#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/bottlenecks/path_evidence.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/iteration_words.h"
#include "core/analyze/report/iteration_groups.h"
#include "core/base/duration_text.h"
#include "core/base/shortened_name.h"
#include "core/commands/gain_text.h"
#include "core/commands/group_text.h"
#include "core/commands/scenario_text.h"
#include "core/commands/text.h"
#include "core/model/compared_iterations.h"
#include "core/pipeline/pipeline.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <ostream>
#include <set>

namespace core {

namespace {

    // Printed; --json has more.
    constexpr std::size_t MostNearCritical = 5, MostOperations = 10;

    /// "mean of iterations 0 to 2", "the iteration", "the recorded time".
    std::string meanText(const Trace &trace, const IterationWords &words)
    {
        if (words.per().empty())
            return words.one();
        std::set<std::int64_t> numbers;
        for (const Iteration &iteration : comparedIterations(trace).iterations)
            numbers.insert(iteration.index);
        return "mean of " + iterationNumbersText({ numbers.begin(), numbers.end() });
    }

    /// "210.3 ms (rank 1)", "210.3 ms (most for rank 1)", "0 ns".
    std::string waitingText(std::int64_t waitNs, const std::vector<RankWait> &waits)
    {
        if (waitNs == 0 || waits.empty())
            return durationText(waitNs);
        return durationText(waitNs) + (waits.size() > 1 ? " (most for rank " : " (for rank ")
            + std::to_string(waits.front().rank) + ")";
    }

    /// What the exposed communication of a device goes to; where that is not known, nothing.
    void addExposedCells(std::vector<std::string> &row, const RankDiagnosis &rank,
                         const TimeBreakdown &time)
    {
        const std::optional<std::int64_t> transferNs = time.exposedTransferNs();
        row.push_back(transferNs ? durationText(*transferNs) : "-");
        row.push_back(transferNs ? waitingText(*time.exposedWaitNs, rank.waits) : "-");
    }

    /// Of each rank's compared iterations; `time` says what the first column is of. Exposed
    /// communication is transfer and waiting, where any rank's is told apart.
    void printDevices(const Diagnosis &diagnosis, const std::string &time, std::ostream &out)
    {
        const bool hasWaits
            = std::any_of(diagnosis.ranks.begin(), diagnosis.ranks.end(), [](const auto &rank) {
                  return std::any_of(rank.devices.begin(), rank.devices.end(), [](const auto &one) {
                      return one.iterationMean.exposedWaitNs.has_value();
                  });
              });
        std::vector<std::string> names { "rank", "device",  time,          "compute",
                                         "comm", "overlap", "exposed comm" };
        if (hasWaits)
            names.insert(names.end(), { "= transfer", "+ waiting" });
        names.insert(names.end(), { "copies", "idle" });
        TextTable table(std::move(names));
        for (const RankDiagnosis &rank : diagnosis.ranks)
            for (const DeviceBreakdown &device : rank.devices) {
                const TimeBreakdown &t = device.iterationMean;
                std::vector<std::string> row {
                    std::to_string(rank.rank),    device.device,          durationText(t.windowNs),
                    durationText(t.computeNs),    durationText(t.commNs), durationText(t.overlapNs),
                    durationText(t.exposedCommNs)
                };
                if (hasWaits)
                    addExposedCells(row, rank, t);
                row.insert(row.end(), { durationText(t.memOnlyNs), durationText(t.idleNs) });
                table.addRow(std::move(row));
            }
        table.print(out);
    }

    /// "12", "1.5", "0.33": of so many an iteration.
    std::string countNumber(double count)
    {
        char text[32];
        const bool isWhole = std::abs(count - std::round(count)) < 0.005;
        const int decimals = isWhole || count >= 100 ? 0 : count >= 10 ? 1 : 2;
        std::snprintf(text, sizeof text, "%.*f", decimals, count);
        return text;
    }

    /// Of the same iterations as the devices' table above.
    void printOperations(const LongestOperations &all, const IterationWords &words,
                         std::ostream &out)
    {
        if (all.operations.empty())
            return;
        const std::size_t shown = std::min(MostOperations, all.operations.size());
        out << "\nlongest operations by name over all ranks, " << shown << " of " << all.names
            << ": own time" << words.per()
            << " (without operations that they call), mean of the ranks that have them; +-: the "
               "standard "
               "deviation from iteration to iteration; share: of "
            << words.one()
            << ", a sum over calls, which is above 100 % where several run at once on several "
               "threads or streams\n";
        TextTable table({ "operation", "kind", "own time", "+-", "share", "count", "each", "ranks",
                          "shortest", "longest" });
        const auto ofRank = [](std::int64_t ns, int rank) {
            return durationText(ns) + " (rank " + std::to_string(rank) + ")";
        };
        for (std::size_t i = 0; i < shown; ++i) {
            const OperationTime &one = all.operations[i];
            table.addRow({ shortenedName(one.name), std::string(deviceWorkName(one.kind)),
                           durationText(one.ns),
                           one.deviationNs ? durationText(*one.deviationNs) : "-",
                           percentText(one.share), countNumber(one.count), durationText(one.meanNs),
                           std::to_string(one.ranks),
                           one.ranks > 1 ? ofRank(one.leastNs, one.leastRank) : "-",
                           one.ranks > 1 ? ofRank(one.mostNs, one.mostRank) : "-" });
        }
        table.print(out);
    }

    /// "iteration 7 (nearest to the median; 691 ms measured, 693 ms replayed)".
    std::string typicalText(const Diagnosis &diagnosis, const IterationWords &words)
    {
        const CriticalPathReport &path = diagnosis.criticalPath;
        std::string text
            = diagnosis.hasIterations ? "iteration " + std::to_string(path.iteration) : words.one();
        text += " (";
        if (diagnosis.nearCritical.iterations.size() > 1)
            text += "the one nearest to the median; ";
        if (path.measuredNs > 0)
            text += durationText(path.measuredNs) + " measured, ";
        return text + durationText(path.totalNs()) + " replayed)";
    }

    std::string partsText(const CriticalPathParts &path)
    {
        return "compute " + durationText(path.computeNs) + ", communication "
            + durationText(path.commNs) + ", host " + durationText(path.hostNs) + ", launch "
            + durationText(path.launchNs) + ", input " + durationText(path.inputNs) + ", wait "
            + durationText(path.waitNs) + ", idle " + durationText(path.idleNs);
    }

    void printMeanPath(const CriticalPathReport &path, std::ostream &out)
    {
        const auto count = std::count_if(path.iterations.begin(), path.iterations.end(),
                                         [](const auto &one) { return one.isCounted; });
        if (count > 1)
            out << "   mean of " << count << " iterations: " << partsText(path.mean) << "\n";
    }

    void printNearCritical(const NearCriticalReport &near, const IterationWords &words,
                           std::ostream &out)
    {
        out << "nearly critical: off this path, but on one that is as long once the operation "
               "takes its slack longer (slack below "
            << durationText(near.limitNs) << ", 1 % of " << words.one()
            << "; 0: it is as long already):" << (near.steadyState.empty() ? " nothing\n" : "\n");
        for (std::size_t i = 0; i < std::min(MostNearCritical, near.steadyState.size()); ++i) {
            const NearCriticalOp &op = near.steadyState[i];
            out << "   " << shortenedName(op.name) << " on rank " << op.rank << ", " << op.device
                << ": slack " << durationText(op.slackNs) << ", takes " << durationText(op.meanNs)
                << words.per();
            if (near.steadyIterations > 1)
                out << ", in " << op.iterations << " of the " << near.steadyIterations
                    << " iterations after the first";
            if (op.times > 1)
                out << " (" << op.times << " ops)";
            out << "\n";
        }
    }

    /// What a gain is given as a part of: that of rare slow iterations is no median one's.
    std::string gainWholeText(const Bottleneck &bottleneck, const IterationWords &words)
    {
        return bottleneck.kind == SlowIterationsKind ? "the mean iteration" : words.one();
    }

    /// time: what the ranks' breakdowns are of.
    void printText(const Diagnosis &diagnosis, const IterationWords &words, const std::string &time,
                   std::ostream &out)
    {
        out << diagnosis.verdict << "\n";
        if (diagnosis.iterationGroups)
            out << iterationGroupsText(*diagnosis.iterationGroups) << "\n";
        for (const std::string &sentence : diagnosis.blindSpots)
            out << sentence << "\n";
        if (!diagnosis.isOfOneJob) {
            for (const std::string &reason : diagnosis.selfReplay.trustReasons)
                out << reason << "\n";
            out << "Each rank for itself:\n";
            return printDevices(diagnosis, time, out);
        }
        printTrust(diagnosis.selfReplay, out);
        out << "\n";
        printDevices(diagnosis, time, out);
        printOperations(diagnosis.operations, words, out);
        printGroups(diagnosis.groups, out);
        const CriticalPathReport &path = diagnosis.criticalPath;
        out << "\ncritical path of " << typicalText(diagnosis, words) << ": " << partsText(path)
            << "\n";
        printMeanPath(path, out);
        printNearCritical(diagnosis.nearCritical, words, out);
        for (const std::string &remark : diagnosis.rankRemarks)
            out << remark << "\n";
        printScheduling(diagnosis.selfReplay, diagnosis.predictor->obstacles(), out);
        out << "\n";
        std::size_t number = 0;
        for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
            out << ++number << ". " << bottleneck.title << "\n   gain "
                << durationText(bottleneck.gainNs) << " (" << percentText(bottleneck.gainFraction)
                << " of " << gainWholeText(bottleneck, words) << gainIntervalText(bottleneck)
                << ")\n";
            for (const std::string &line : bottleneck.evidence)
                out << "   - " << line << "\n";
            out << "   " << bottleneck.advice << "\n";
        }
    }

} // namespace

void DiagnoseCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_flag("--json", m_json, "Print JSON");
    app.footer(
        "A gain is the difference between two typical iterations, as the replay predicts "
        "them, and the 95 % interval is of that difference: where it begins at 0 or below, the "
        "gain may be nothing. What is measured has none: the "
        "breakdowns, waiting, and what rare slow iterations lose.");
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
    else {
        const IterationWords words(*project.trace, project.graph->iterationCount);
        printText(diagnosis, words, meanText(*project.trace, words), io.out);
    }
    return Done;
}

} // namespace core
