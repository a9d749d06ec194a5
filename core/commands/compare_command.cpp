#include "core/commands/compare_command.h"

#include "core/base/duration_text.h"
#include "core/commands/text/text.h"
#include "core/compare/comparison_json.h"
#include "core/compare/comparison_rows.h"
#include "core/compare/comparison_words.h"
#include "core/compare/run_comparison.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <ostream>
#include <string>

namespace core {

namespace {

    int exitCodeOf(RunVerdict verdict)
    {
        switch (verdict) {
        case RunVerdict::Kept:
        case RunVerdict::NoDifference:
        case RunVerdict::Faster:
            return Done;
        case RunVerdict::NotKept:
        case RunVerdict::Slower:
            return PromiseNotKept;
        case RunVerdict::Inconclusive:
            break;
        }
        return Inconclusive;
    }

    std::string gainRangeText(const RunGain &gain)
    {
        return durationText(gain.ns) + " (95 % interval " + durationText(gain.lowNs) + " to "
            + durationText(gain.highNs) + ")";
    }

    void printGains(const RunComparison &comparison, std::ostream &out)
    {
        out << "gain       "
            << (comparison.hasNoise() ? gainRangeText(comparison.gain)
                                      : durationText(comparison.gain.ns))
            << "\n";
        if (!comparison.promise)
            return;
        const Promise &promise = *comparison.promise;
        out << "promised   "
            << (promise.unknownInterval
                    ? durationText(promise.gain().ns) + ". No interval: " + *promise.unknownInterval
                    : gainRangeText(promise.gain()))
            << "\ntrust      " << trustLevelName(promise.trust)
            << (promise.trustReason.empty() ? "" : ". " + promise.trustReason) << "\n";
        for (const auto &[key, value] : promise.strategy.list())
            out << "           " << key << " = " << value << "\n";
    }

    /// "+12.3 ms"
    std::string differenceText(std::int64_t ns)
    {
        return (ns > 0 ? "+" : "") + durationText(ns);
    }

    std::string noiseColumn(const std::optional<std::int64_t> &noiseNs)
    {
        return noiseNs ? "\u00b1" + durationText(*noiseNs, 3) : std::string("unknown");
    }

    void printComparedParts(const RunComparison &comparison, std::ostream &out)
    {
        std::vector<std::string> header { "", "earlier", "later", "difference", "noise" };
        if (comparison.promise)
            header.emplace_back("promised");
        TextTable table(header);
        for (const ComparedRow &row : comparedRows(comparison)) {
            std::vector<std::string> cells { row.title, durationText(row.earlierNs),
                                             durationText(row.laterNs),
                                             differenceText(row.laterNs - row.earlierNs),
                                             noiseColumn(row.noiseNs) };
            if (row.promisedNs)
                cells.push_back(durationText(*row.promisedNs));
            table.addRow(cells);
        }
        table.print(out);
    }

    void printText(const RunComparison &comparison, std::ostream &out)
    {
        out << comparisonHeadline(comparison) << "\n";
        for (const std::string &note : comparisonNotes(comparison))
            out << note << "\n";
        printGains(comparison, out);
        out << "\n";
        printComparedParts(comparison, out);
    }

} // namespace

void CompareCommand::declare(CLI::App &app)
{
    app.add_option("earlier", m_earlier, "Project file of the earlier run")->required();
    app.add_option("later", m_later, "Project file of the later run")->required();
    m_strategy.declare(app, "the later run had it; was its promise kept?");
    app.add_flag("--json", m_json, "Print JSON");
    app.footer("Exit codes: 0 kept, faster, or no difference beyond the noise; 4 not kept, or "
               "slower; 5 inconclusive.");
}

int CompareCommand::run(const CommandIo &io)
{
    m_strategy.check();
    const LoadedProject before = loadProject(m_earlier, io.control.part(0, 0.3));
    const LoadedProject after = loadProject(m_later, io.control.part(0.3, 0.6));
    MeasuredRun earlier
        = measuredRunOf(m_earlier, *before.trace, *before.graph, io.control.part(0.6, 0.65));
    MeasuredRun later
        = measuredRunOf(m_later, *after.trace, *after.graph, io.control.part(0.65, 0.7));
    std::optional<Promise> promise;
    if (m_strategy.isGiven()) {
        const ProjectReader reader(m_earlier);
        Predictor predictor = predictorOf(before, reader, io.control.part(0.7, 0.8));
        const Strategy strategy = m_strategy.strategy(predictor.job(), io);
        if (strategy.isEmpty())
            throw Error(
                "The strategy changes nothing, so it promises nothing. Leave out --strategy "
                "to compare the runs alone.");
        promise = promiseOf(predictor, strategy, io.control.part(0.8, 1));
    }
    const RunComparison comparison
        = compareRuns(std::move(earlier), std::move(later), std::move(promise));
    if (m_json)
        io.out << toJson(comparison).dump(2) << "\n";
    else
        printText(comparison, io.out);
    return exitCodeOf(comparison.verdict);
}

} // namespace core
