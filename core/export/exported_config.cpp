#include "core/export/exported_config.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/presets.h"
#include "core/optimize/search.h"

#include <algorithm>

namespace core {

namespace {

    constexpr double LeastSentShare = 0.75; ///< of the gradients' bytes; half precision sends 0.5
    constexpr const char *HowToCheck = "To check it, record the job with this file, import the "
                                       "recording, and compare it:";
    constexpr const char *Program = "longpole " LONGPOLE_VERSION;

    /// Changes that only a compiler makes, and no file sets.
    Strategy compiledPartOf(Strategy strategy)
    {
        std::erase_if(strategy.changes, [](const Change &change) {
            const auto traits = traitsOf(change.key);
            return !traits || (traits->effects & effect::Compiled) == 0;
        });
        return strategy;
    }

    /// Buckets that no two sizes make give way to the best sizes there are.
    Strategy withSizes(const Strategy &strategy, const ConfigTarget &target,
                       const Predictor &predictor, std::vector<std::string> &notes,
                       const JobControl &control)
    {
        if (target.bucketForm() != BucketForm::Sizes)
            return strategy;
        const auto text = strategy.text(CutsKey);
        const auto counts = text ? bucketCounts(*text) : std::nullopt;
        const GradientStep *const step = usualStep(predictor.job().graph);
        if (!counts || step == nullptr || limitsOfBuckets(step->parameterBytes, *counts))
            return strategy;
        SearchRequest request;
        request.passes = { "bucket_cap" };
        request.environment = strategy;
        request.environment.remove(CutsKey);
        const Strategy compiled = compiledPartOf(strategy);
        for (const Change &change : compiled.changes)
            std::erase(request.environment.changes, change);
        Search search(predictor, request, control, {});
        search.find();
        notes.push_back("gradients=" + *text + ": two sizes cannot say these buckets. Instead: "
                        + (search.bestText().empty() ? "the recorded ones" : search.bestText())
                        + ".");
        return Search::with(search.best(), compiled);
    }

    /// "bucket_cap_mb, compression"
    std::string namesOf(const Strategy &strategy)
    {
        std::string text;
        for (const Change &change : strategy.changes)
            text += (text.empty() ? "" : ", ") + change.name();
        return text;
    }

    /// "op_fusion=xla: why. collective=tree: why."
    std::string sentencesOf(const std::vector<std::string> &lines)
    {
        std::string text;
        for (const std::string &line : lines)
            text += (text.empty() ? "" : " ") + line;
        return text;
    }

    /// Savings of joined ops, where they are joined: no setting, but a fact of the prediction.
    void addFusionFacts(const Strategy &strategy, Strategy &said)
    {
        for (const std::string_view key : { FusionSavingKey, FusionTimesKey })
            if (const Change *fact = strategy.find(key); fact && said.has(OpFusionKey))
                said.set(*fact);
    }

    std::vector<std::string> commentsOf(const ExportedConfig &exported)
    {
        return { "Written by " + std::string(Program) + ".",
                 "Predicted iteration: " + durationText(exported.prediction.predictedNs)
                     + " instead of " + durationText(exported.environmentNs) + ".",
                 "The same what-if: longpole replay PROJECT" + exported.settings, HowToCheck,
                 "longpole compare PROJECT LATER" + exported.settings };
    }

} // namespace

std::vector<const ConfigTarget *> targetsFor(const Strategy &strategy, const MeasuredJob &job)
{
    const bool hasCuts = strategy.has(std::string(CutsKey));
    const auto leavesScheduleOut
        = [](const std::string &line) { return line.starts_with("schedule="); };
    std::vector<const ConfigTarget *> able;
    for (const auto &target : configTargets()) {
        const ConfigFile file = target->write({ job, strategy, {} });
        const bool hasWords
            = file.expressed > 0 || (hasCuts && target->bucketForm() == BucketForm::Sizes);
        if (hasWords && std::none_of(file.leftOut.begin(), file.leftOut.end(), leavesScheduleOut))
            able.push_back(target.get());
    }
    return able;
}

std::string noTargetText(const Strategy &strategy)
{
    Strategy wanted = strategy;
    for (const Change &change : environmentOf(strategy).changes)
        std::erase(wanted.changes, change);
    const auto schedule = wanted.text("schedule");
    return "No export target can say " + (schedule ? "schedule=" + *schedule : namesOf(wanted))
        + ".";
}

ExportedConfig exportConfig(const ConfigTarget &target, const Strategy &strategy,
                            Predictor &predictor, const JobControl &control)
{
    const std::string name(target.name());
    if (strategy.isEmpty())
        throw Error("The strategy changes nothing, so there is nothing to export.");
    if (const auto obstacle = strategyObstacle(predictor.job(), strategy))
        throw Error(*obstacle);
    ExportedConfig exported;
    const Strategy environment = environmentOf(strategy);
    Strategy wanted = withSizes(strategy, target, predictor, exported.notes, control.part(0, 0.6));
    for (const Change &change : environment.changes)
        std::erase(wanted.changes, change);
    const ConfigFile plain = target.write({ predictor.job(), wanted, {} });
    if (wanted.isEmpty() && environment == strategy)
        throw Error("The strategy changes only what surrounds the job (" + namesOf(strategy)
                    + "), which no config file sets.");
    if (wanted.isEmpty())
        throw Error("'" + name + "' takes two sizes of buckets, and no sizes save time as the "
                    + namesOf(strategy) + " of this strategy do. Targets: " + configTargetNames()
                    + ".");
    if (plain.expressed == 0)
        throw Error("'" + name + "' has no settings for the changes of this strategy: "
                    + sentencesOf(plain.leftOut) + " Targets: " + configTargetNames() + ".");
    // The file itself tells which changes the target can say.
    exported.said = Search::with(target.read(plain.text, predictor.job()), environment);
    addFusionFacts(strategy, exported.said);
    exported.prediction = predictor.predict(exported.said, control.part(0.6, 0.9));
    if (exported.prediction.obstacle)
        throw Error("What " + name + " can say of this strategy cannot be predicted: "
                    + *exported.prediction.obstacle);
    if (const MeasuredJob job = predictor.job(); usualStep(job.graph) != nullptr
        && !exported.said.has("compression")
        && sentShare(job.graph, wholeIterations(job.graph)) < LeastSentShare)
        exported.notes.push_back(
            "The recorded job sends its gradients in fewer bytes (a communication hook, say). The "
            "prediction is with that: keep it, as this file does not set it.");
    exported.environmentNs = predictor.iterationNs(environment, control.part(0.9, 1))
                                 .value_or(exported.prediction.unchangedNs);
    for (const auto &[key, value] : exported.said.list())
        exported.settings += " --set " + key + "=" + value;
    exported.file = target.write({ predictor.job(), wanted, commentsOf(exported) });
    return exported;
}

} // namespace core
