#include "core/commands/compare_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/commands/text.h"
#include "core/compare/comparison_json.h"
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

    /// Names the project in what is wrong with it.
    MeasuredRun runOf(const LoadedProject &project, const std::filesystem::path &file,
                      const JobControl &control)
    {
        try {
            return measuredRun(*project.trace, *project.graph, control);
        } catch (const Error &error) {
            throw Error(error.message(), { file.string(), {} });
        }
    }

    std::string gainRangeText(const RunGain &gain)
    {
        return durationText(gain.ns) + " (95 % interval " + durationText(gain.lowNs) + " to "
            + durationText(gain.highNs) + ")";
    }

    bool hasNoise(const RunComparison &comparison)
    {
        return comparison.earlier.iterationCount > 1 && comparison.later.iterationCount > 1;
    }

    void printGains(const RunComparison &comparison, std::ostream &out)
    {
        out << "gain       "
            << (hasNoise(comparison) ? gainRangeText(comparison.gain)
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
        const MeasuredRun &earlier = comparison.earlier, &later = comparison.later;
        std::vector<std::string> header { "", "earlier", "later", "difference", "noise" };
        if (comparison.promise)
            header.emplace_back("promised");
        TextTable table(header);
        const auto add = [&](const std::string &title, std::int64_t earlierNs, std::int64_t laterNs,
                             const std::optional<std::int64_t> &noiseNs,
                             const std::optional<std::int64_t> &promisedNs) {
            std::vector<std::string> row { title, durationText(earlierNs), durationText(laterNs),
                                           differenceText(laterNs - earlierNs),
                                           noiseColumn(noiseNs) };
            if (promisedNs)
                row.push_back(durationText(*promisedNs));
            table.addRow(row);
        };
        const auto &promise = comparison.promise;
        add("iteration (median of " + std::to_string(earlier.iterationCount) + " and "
                + std::to_string(later.iterationCount) + ", slowest rank)",
            earlier.iteration.ns, later.iteration.ns,
            hasNoise(comparison) ? std::optional(comparison.gain.noiseNs()) : std::nullopt,
            promise ? std::optional(promise->iterationNs) : std::nullopt);
        for (const ComparedPart &part : comparison.parts)
            add("mean " + std::string(part.part.title), part.earlierNs, part.laterNs, part.noiseNs,
                part.promisedNs);
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
    MeasuredRun earlier = runOf(before, m_earlier, io.control.part(0.6, 0.65));
    MeasuredRun later = runOf(after, m_later, io.control.part(0.65, 0.7));
    std::optional<Promise> promise;
    if (m_strategy.isGiven()) {
        const ProjectReader reader(m_earlier);
        Predictor predictor = predictorOf(before, reader, io.control.part(0.7, 0.8));
        const Strategy strategy = m_strategy.strategy(predictor.job(), io);
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
