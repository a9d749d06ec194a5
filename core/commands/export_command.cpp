#include "core/commands/export_command.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/commands/output_file.h"
#include "core/commands/text.h"
#include "core/export/config_target.h"
#include "core/optimize/search.h"
#include "core/optimize/strategy_file.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <ostream>

namespace core {

namespace {

    constexpr const char *Program = "longpole " LONGPOLE_VERSION;

    /// Buckets that no two sizes make give way to the best sizes there are.
    Strategy withSizes(const Strategy &strategy, const Predictor &predictor, const CommandIo &io)
    {
        const auto text = strategy.text(CutsKey);
        const auto counts = text ? bucketCounts(*text) : std::nullopt;
        const GradientStep *const step = usualStep(predictor.job().graph);
        if (!counts || step == nullptr || limitsOfBuckets(step->parameterBytes, *counts))
            return strategy;
        SearchRequest request;
        request.passes = { "bucket_cap" };
        request.environment = strategy;
        request.environment.remove(CutsKey);
        Search search(predictor, request, io.control.part(0.4, 0.8), {});
        search.run();
        io.err << "gradients=" << *text << ": two sizes cannot say these buckets. Instead: "
               << (search.bestText().empty() ? "the recorded ones" : search.bestText()) << ".\n";
        return search.best();
    }

    /// "bucket_cap_mb, compression"
    std::string namesOf(const Strategy &strategy)
    {
        std::string text;
        for (const Change &change : strategy.changes)
            text += (text.empty() ? "" : ", ") + change.name();
        return text;
    }

    std::vector<std::string> commentsOf(const Prediction &prediction, const Strategy &strategy)
    {
        std::vector<std::string> lines { "Written by " + std::string(Program) + "." };
        lines.push_back("Predicted iteration: " + durationText(prediction.predictedNs)
                        + " instead of " + durationText(prediction.unchangedNs) + ".");
        std::string settings;
        for (const auto &[key, value] : strategy.list())
            settings += " --set " + key + "=" + value;
        lines.push_back("The same what-if: longpole replay PROJECT" + settings);
        lines.push_back("To check it, record the job with this file, import the recording, and "
                        "compare.");
        return lines;
    }

} // namespace

void ExportCommand::declare(CLI::App &app)
{
    std::string targets;
    for (const auto &target : configTargets())
        targets += (targets.empty() ? "" : "; ") + std::string(target->name()) + ": "
            + std::string(target->meaning());
    app.add_option("project", m_project, "Project file")->required();
    app.add_option("--strategy", m_strategy, "Strategy file of 'longpole optimize'")->required();
    app.add_option("--to", m_target, "Who takes the file. " + targets)->required();
    app.add_option("-o,--output", m_output, "File to write")->required();
    app.add_flag("--force", m_mayOverwrite, "Replace the file if it is there already");
}

int ExportCommand::run(const CommandIo &io)
{
    const ConfigTarget *const target = configTargetNamed(m_target);
    if (target == nullptr)
        throw UsageError("There is no target '" + m_target + "'. Targets: " + configTargetNames()
                         + ".");
    refuseFolder(m_output, target->fileName());
    refuseIrreplaceable(m_output, m_project);
    refuseExisting(m_output, m_mayOverwrite);
    const LoadedProject project = loadProject(m_project, io.control.part(0, 0.3));
    const ProjectReader reader(m_project);
    Predictor predictor = predictorOf(project, reader, io.control.part(0.3, 0.4));
    const StrategyFile file = readStrategyFile(m_strategy, predictor.job());
    for (const std::string &note : file.notes)
        io.err << m_strategy.string() << ": " << note << "\n";
    if (file.strategy.isEmpty())
        throw Error("The strategy of '" + m_strategy.string()
                    + "' changes nothing, so there is nothing to export.");
    if (const auto obstacle = strategyObstacle(predictor.job(), file.strategy))
        throw Error(*obstacle);
    const Strategy wanted = withSizes(file.strategy, predictor, io);
    const ConfigFile plain = target->write({ predictor.job(), wanted, {} });
    if (plain.expressed == 0)
        throw Error("'" + m_target + "' has no settings for the changes of this strategy: "
                    + namesOf(wanted) + ". Targets: " + configTargetNames() + ".");
    // The file itself tells which changes the target can say.
    const Strategy said = target->read(plain.text, predictor.job());
    const Prediction prediction = predictor.predict(said, io.control.part(0.8, 1));
    if (prediction.obstacle)
        throw Error("What " + m_target
                    + " can say of this strategy cannot be predicted: " + *prediction.obstacle);
    const ConfigFile config
        = target->write({ predictor.job(), wanted, commentsOf(prediction, said) });
    writeFile(m_output, config.text);
    io.out << m_output.string() << ": predicted iteration " << durationText(prediction.predictedNs)
           << " instead of " << durationText(prediction.unchangedNs) << "\n";
    for (const std::string &line : config.leftOut)
        io.out << "left out   " << line << "\n";
    if (!config.leftOut.empty())
        io.out << "The prediction is of what the file says.\n";
    return Done;
}

} // namespace core
