#include "core/commands/optimize_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/commands/output_file.h"
#include "core/commands/strategy_option.h"
#include "core/commands/text/text.h"
#include "core/export/exported_config.h"
#include "core/measure/exact_text.h"
#include "core/optimize/pass_list.h"
#include "core/optimize/search.h"
#include "core/optimize/search_json.h"
#include "core/optimize/search_words.h"
#include "core/optimize/strategy_file.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <ostream>
#include <set>

namespace core {

namespace {

    constexpr const char *Compressed = "compressed";
    constexpr const char *AllPasses = "all";
    constexpr double BytesPerGib = 1024.0 * 1024 * 1024;

    /// CLI11 takes "-1" for the largest number there is.
    std::string wholeNumberFault(const std::string &text)
    {
        return text.find_first_not_of("0123456789") == std::string::npos
            ? std::string()
            : "'" + text + "' is not 0 or a larger whole number.";
    }

    /// Those that have words for the advised strategy.
    std::vector<std::string> targetNames(const SearchResult &result, const MeasuredJob &job)
    {
        std::vector<std::string> names;
        if (const Candidate *const advised = result.advised())
            for (const ConfigTarget *const target : targetsFor(advised->strategy, job))
                names.emplace_back(target->name());
        return names;
    }

    void printAdvice(const SearchResult &result, const MeasuredJob &job, std::ostream &out)
    {
        const Candidate *const advised = result.advised();
        out << adviceText(result) << "\n";
        for (const std::string &note : searchNotes(result))
            out << "note       " << note << "\n";
        if (advised == nullptr)
            return;
        out << "iteration  " << durationText(advised->predictedNs) << " instead of "
            << durationText(result.baselineNs) << "\n"
            << "gain       95 % interval " << gainIntervalText(*advised) << "\n"
            << "trust      " << trustText(*advised)
            << (advised->trustReason.empty() ? "" : ". " + advised->trustReason) << "\n";
        for (std::size_t i = 0; i < advised->explanation.size(); ++i)
            out << (i == 0 ? "why        " : "           ") << advised->explanation[i] << "\n";
        for (const auto &[key, value] : advised->strategy.list())
            out << "           --set " << key << "=" << value << "\n";
        const std::vector<std::string> targets = targetNames(result, job);
        std::string text;
        for (const std::string &name : targets)
            text += (text.empty() ? "longpole export --to " : ", ") + name;
        out << "export     " << (text.empty() ? noTargetText(advised->strategy) : text) << "\n";
    }

    /// Those that are not advised.
    void printOthers(const SearchResult &result, std::ostream &out)
    {
        const bool isAdvised = result.advised() != nullptr;
        if (result.candidates.size() < (isAdvised ? 2U : 1U))
            return;
        out << (isAdvised ? "\nThe fastest of the other passes:\n" : "\n");
        TextTable table({ "pass", "strategy", "iteration", "gain", "95 % interval", "numerics" });
        for (std::size_t i = isAdvised ? 1 : 0; i < result.candidates.size(); ++i) {
            const Candidate &candidate = result.candidates[i];
            table.addRow({ candidate.pass, candidate.change, durationText(candidate.predictedNs),
                           gainText(result, candidate), gainIntervalText(candidate),
                           std::string(numericsName(candidate.numerics)) });
        }
        table.print(out);
        if (!result.alike.empty())
            out << (result.alike.size() == 1
                        ? std::string("The first is")
                        : "The first " + std::to_string(result.alike.size()) + " are")
                << " within 1 % of it: the one that is simplest to set is advised.\n";
    }

    std::string baselineText(const Baseline &baseline)
    {
        if (!baseline.predictedNs)
            return "not known";
        return durationText(*baseline.predictedNs)
            + (baseline.p95Ns ? " (95 % of them up to " + durationText(*baseline.p95Ns) + ")"
                              : std::string());
    }

    void printBaselines(const SearchResult &result, std::ostream &out)
    {
        if (result.baselines.empty())
            return;
        out << "\nFor comparison, iterations" << environmentText(result) << ":\n";
        TextTable table({ "baseline", "iteration" });
        for (const Baseline &baseline : result.baselines)
            table.addRow({ std::string(baseline.title), baselineText(baseline) });
        table.print(out);
        std::set<std::string> told;
        for (const Baseline &baseline : result.baselines)
            if (!baseline.predictedNs && told.insert(baseline.unknown).second)
                out << "Not known: " << baseline.unknown << "\n";
    }

    void printMemory(const SearchResult &result, std::ostream &out)
    {
        const auto isTooLarge = [](const SearchStep &step) { return step.isTooLarge; };
        const auto dropped = static_cast<std::size_t>(
            std::count_if(result.steps.begin(), result.steps.end(), isTooLarge));
        if (dropped > 0)
            out << "dropped    " << countText(dropped, "candidate")
                << " whose predicted peak memory exceeds the limit (--memory-limit)\n";
        if (!result.memoryUnknown.empty())
            out << "memory     not known, so --memory-limit has no effect: " << result.memoryUnknown
                << "\n";
    }

    /// "all" stands for every pass. Throws UsageError where there is no such pass.
    std::vector<std::string> namedPasses(const std::vector<std::string> &names)
    {
        std::vector<std::string> named;
        for (const auto &pass : passes())
            if (std::any_of(names.begin(), names.end(), [&pass](const std::string &name) {
                    return name == AllPasses || name == pass->info().name;
                }))
                named.emplace_back(pass->info().name);
        for (const std::string &name : names)
            if (name != AllPasses && std::find(named.begin(), named.end(), name) == named.end())
                throw UsageError("There is no pass '" + name + "'. Passes: all, " + passNamesText()
                                 + ".");
        return named;
    }

    /// The strategy of a file; what of it is passed over goes to `io.err`. Throws Error.
    Strategy startOf(const std::filesystem::path &file, const MeasuredJob &job, const CommandIo &io)
    {
        const StrategyFile start = readStrategyFile(file, job);
        for (const std::string &note : start.notes)
            io.err << note << "\n";
        return start.strategy;
    }

    /// No strategy, so that there is none to write.
    Error nothingTried(const SearchResult &result)
    {
        std::string text = "Nothing could be tried" + environmentText(result) + ".";
        for (const std::string &line : obstacleLines(result))
            text += "\n  " + line;
        return Error(text);
    }

    void printPasses(const SearchResult &result, std::ostream &out)
    {
        out << "\n" << countText(result.replays, "replay");
        if (result.guesses > 0)
            out << " and " << countText(result.guesses, "replay") << " of the skeleton";
        out << " in " << durationText(result.wallNs) << ".";
        if (result.isStopped)
            out << " Stopped: this is the best so far.";
        if (result.isOutOfTime)
            out << " The time was up: this is the best so far (--time-budget).";
        out << "\n";
        printMemory(result, out);
        for (const std::string &line : obstacleLines(result))
            out << "not tried  " << line << "\n";
    }

} // namespace

void OptimizeCommand::declare(CLI::App &app)
{
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--passes", m_passes, "Which to run, as a,b, or all: " + passNamesText())
        ->delimiter(',');
    app.add_option("--allow", m_allowed,
                   "What may change the numbers that the job computes: compressed")
        ->delimiter(',')
        ->check(CLI::IsMember({ Compressed }));
    app.add_option("--time-budget", m_seconds, "Seconds after which the search ends")
        ->check(CLI::Range(0.1, 1e6).description("0.1 to 1000000"))
        ->capture_default_str();
    app.add_option(
           "--memory-limit", m_memoryGib,
           "GiB that a device may need; strategies with a larger predicted peak are dropped")
        ->check(CLI::Range(1e-3, 1e6).description("0.001 to 1000000"));
    app.add_option("--seed", m_seed, "Of the order in which moves are tried")
        ->check(wholeNumberFault, "0 or a larger whole number")
        ->capture_default_str();
    app.add_option("--set", m_settings,
                   "KEY=VALUE that every strategy has, as a rate of the links. Keys:\n"
                       + changeKeysText())
        ->allow_extra_args(false);
    app.add_option("--from", m_start, "Strategy file from which the search goes on");
    app.add_option("-o,--output", m_output, "Writes the advised strategy to this JSON file");
    app.add_flag("--force", m_mayOverwrite, "Overwrite the file if it is there");
    app.add_flag("--json", m_json, "Print JSON");
    app.add_flag("--verbose", m_isVerbose,
                 "Print the iterations with the defaults of other systems, too");
}

/// Without the paths of files, which differ from machine to machine.
std::string OptimizeCommand::originText() const
{
    std::string text = "optimize";
    const auto add = [&text](const char *option, const std::vector<std::string> &values) {
        for (std::size_t i = 0; i < values.size(); ++i)
            text += (i == 0 ? std::string(" ") + option + " " : ",") + values[i];
    };
    add("--passes", m_passes);
    add("--allow", m_allowed);
    if (!m_start.empty())
        text += " --from " + m_start.filename().string();
    if (m_memoryGib)
        text += " --memory-limit " + exactText(*m_memoryGib);
    for (const std::string &setting : m_settings)
        text += " --set " + setting;
    return text + " --seed " + std::to_string(m_seed);
}

int OptimizeCommand::run(const CommandIo &io)
{
    SearchRequest request;
    request.passes = namedPasses(m_passes);
    request.allowsReducedNumerics
        = std::find(m_allowed.begin(), m_allowed.end(), Compressed) != m_allowed.end();
    request.seconds = m_seconds;
    request.seed = m_seed;
    request.wantsBaselines = m_isVerbose || m_json;
    const StatedJob stated = statedJobIn(m_settings);
    request.environment = parseStrategy(changeWords(m_settings));
    if (m_memoryGib)
        request.memoryLimitBytes = static_cast<std::uint64_t>(*m_memoryGib * BytesPerGib);
    if (!m_output.empty()) {
        refuseFolder(m_output, "strategy.json");
        refuseIrreplaceable(m_output, m_project);
        refuseExisting(m_output, m_mayOverwrite);
    }
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.2), stated);
    const ProjectReader reader(m_project);
    Predictor predictor = predictorOf(project, reader, io.control.part(0.2, 0.3));
    if (!m_start.empty())
        request.start = startOf(m_start, predictor.job(), io);
    Search search(predictor, request, io.control.part(0.3, 1), {});
    const SearchResult result = search.run();
    if (isNothingTried(result))
        throw nothingTried(result);
    if (!m_output.empty())
        writeFile(
            m_output,
            strategyText(result, result.advised(), predictor.job(), { originText(), m_seed }));
    if (m_json) {
        auto json = toJson(result, predictor.job(), { originText(), m_seed });
        json["export_targets"] = targetNames(result, predictor.job());
        io.out << json.dump(2) << "\n";
        return Done;
    }
    printAdvice(result, predictor.job(), io.out);
    if (!m_output.empty())
        io.out << "written    " << m_output.string() << "\n";
    printOthers(result, io.out);
    if (m_isVerbose)
        printBaselines(result, io.out);
    printPasses(result, io.out);
    return Done;
}

} // namespace core
