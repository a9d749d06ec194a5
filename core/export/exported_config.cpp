#include "core/export/exported_config.h"

#include "core/base/duration_text.h"
#include "core/base/error.h"
#include "core/change/change_list.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/search.h"

namespace core {

namespace {

    constexpr const char *Program = "longpole " LONGPOLE_VERSION;

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
        Search search(predictor, request, control, {});
        search.find();
        notes.push_back("gradients=" + *text + ": two sizes cannot say these buckets. Instead: "
                        + (search.bestText().empty() ? "the recorded ones" : search.bestText())
                        + ".");
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
                        "compare it:");
        lines.push_back("longpole compare PROJECT LATER" + settings);
        return lines;
    }

} // namespace

ExportedConfig exportConfig(const ConfigTarget &target, const Strategy &strategy,
                            Predictor &predictor, const JobControl &control)
{
    const std::string name(target.name());
    if (strategy.isEmpty())
        throw Error("The strategy changes nothing, so there is nothing to export.");
    if (const auto obstacle = strategyObstacle(predictor.job(), strategy))
        throw Error(*obstacle);
    ExportedConfig exported;
    const Strategy wanted
        = withSizes(strategy, target, predictor, exported.notes, control.part(0, 0.6));
    const ConfigFile plain = target.write({ predictor.job(), wanted, {} });
    if (wanted.isEmpty())
        throw Error("'" + name + "' takes two sizes of buckets, and no sizes save time as the "
                    + namesOf(strategy) + " of this strategy do. Targets: " + configTargetNames()
                    + ".");
    if (plain.expressed == 0)
        throw Error("'" + name + "' has no settings for the changes of this strategy: "
                    + namesOf(wanted) + ". Targets: " + configTargetNames() + ".");
    // The file itself tells which changes the target can say.
    exported.said = target.read(plain.text, predictor.job());
    exported.prediction = predictor.predict(exported.said, control.part(0.6, 1));
    if (exported.prediction.obstacle)
        throw Error("What " + name + " can say of this strategy cannot be predicted: "
                    + *exported.prediction.obstacle);
    exported.file
        = target.write({ predictor.job(), wanted, commentsOf(exported.prediction, exported.said) });
    return exported;
}

} // namespace core
