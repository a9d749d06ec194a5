#include "ui/session/analysis_work.h"

#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"

#include <utility>

namespace ui {

namespace {

    std::shared_ptr<const core::PeakMemory> peakMemoryOf(const core::Predictor &predictor,
                                                         const core::Prediction &prediction,
                                                         const core::JobControl &control)
    {
        if (auto memory = predictor.peakMemory(prediction, control))
            return std::make_shared<const core::PeakMemory>(std::move(*memory));
        return nullptr;
    }

    /// Opens the project when something is read for the first time: most what-ifs read nothing.
    core::PredictorSources sourcesOf(const Loaded &loaded)
    {
        const auto reader = std::make_shared<std::unique_ptr<core::ProjectReader>>();
        const auto open = [reader, path = loaded.project]() -> const core::ProjectReader & {
            if (*reader == nullptr)
                *reader = std::make_unique<core::ProjectReader>(path);
            return **reader;
        };
        return { [open, trace = loaded.trace](const core::JobControl &control) {
                    return open().readShapes(*trace, control);
                },
                 [open](core::WorkerId worker) { return open().memory(worker); } };
    }

    /// Without what it reads the project by: each job has its own connection.
    std::shared_ptr<const core::Predictor> kept(core::Predictor predictor)
    {
        predictor.setSources({});
        return std::make_shared<const core::Predictor>(std::move(predictor));
    }

} // namespace

core::Predictor predictorFor(const Loaded &loaded,
                             const std::shared_ptr<const core::Predictor> &predictor,
                             const core::JobControl &control)
{
    core::Predictor own
        = predictor ? *predictor : core::Predictor(*loaded.trace, loaded.graph, control);
    own.setSources(sourcesOf(loaded));
    return own;
}

std::uint64_t sliceCount(const core::ProjectInfo &info)
{
    std::uint64_t slices = 0;
    for (const core::Track &track : info.tracks)
        slices += track.sliceCount;
    return slices;
}

Diagnosed diagnoseLoaded(const Loaded &loaded, const core::JobControl &control)
{
    Diagnosed found;
    core::Diagnosis diagnosis = core::diagnose(*loaded.trace, loaded.graph, control.part(0, 0.95));
    if (diagnosis.predictor == nullptr) {
        found.diagnosis = std::make_shared<const core::Diagnosis>(std::move(diagnosis));
        return found;
    }
    core::Predictor predictor = *diagnosis.predictor;
    predictor.setSources(sourcesOf(loaded));
    // But for the shapes, which are read from the project.
    predictor.findModels(core::effect::Ranks | core::effect::Speed, control.part(0.95, 0.95));
    predictor.findOverlapReadings(control.part(0.95, 0.95));
    found.facts = std::make_shared<const core::ChangeFacts>(core::changeFacts(predictor.job()));
    found.memory = peakMemoryOf(predictor, diagnosis.selfReplay, control.part(0.95, 1));
    // With the models also for the intervals of its gains.
    found.predictor = diagnosis.predictor = kept(std::move(predictor));
    found.diagnosis = std::make_shared<const core::Diagnosis>(std::move(diagnosis));
    return found;
}

Predicted predictLoaded(const Loaded &loaded,
                        const std::shared_ptr<const core::Predictor> &predictor,
                        const core::Strategy &strategy, const core::JobControl &control)
{
    core::Predictor own = predictorFor(loaded, predictor, control.part(0, 0.3));
    Predicted found;
    found.result
        = std::make_shared<const core::Prediction>(own.predict(strategy, control.part(0.3, 0.95)));
    if (found.result->obstacle)
        throw core::Error(*found.result->obstacle);
    found.memory = peakMemoryOf(own, *found.result, control.part(0.95, 1));
    found.predictor = kept(std::move(own));
    return found;
}

Predicted judgePredicted(const Loaded &loaded, Predicted found, const core::JobControl &control)
{
    core::Predictor own = predictorFor(loaded, found.predictor, control.part(0, 0));
    core::Prediction result = *found.result;
    own.judge(result, control);
    found.result = std::make_shared<const core::Prediction>(std::move(result));
    found.predictor = kept(std::move(own));
    return found;
}

} // namespace ui
