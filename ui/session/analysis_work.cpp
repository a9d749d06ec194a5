#include "ui/session/analysis_work.h"

#include "core/base/error.h"
#include "core/change/gradients/measured_buckets.h"
#include "core/change/gradients/measured_partitions.h"
#include "core/change/transfers/comm_scale.h"
#include "core/measure/job_metadata.h"
#include "core/project/read/project_reader.h"

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    std::shared_ptr<const core::PeakMemory> peakMemoryOf(const Loaded &loaded,
                                                         const core::ScenarioResult &result,
                                                         const core::JobControl &control)
    {
        // Without a graph that is replayed nothing moves the allocations.
        if (result.graph == nullptr || result.replay == nullptr)
            return nullptr;
        try {
            const core::ProjectReader reader(loaded.project);
            return std::make_shared<const core::PeakMemory>(core::peakMemory(
                *loaded.trace, *loaded.graph, result,
                [&reader](core::WorkerId worker) { return reader.memory(worker); }, control));
        } catch (const core::Error &error) {
            // A project whose allocations cannot be read still tells its times.
            core::PeakMemory unread;
            unread.unknown = error.what();
            return std::make_shared<const core::PeakMemory>(std::move(unread));
        }
    }

    /// But for the shapes, which batch_scale reads from the project.
    std::shared_ptr<const core::ScenarioBase> withModels(const Loaded &loaded,
                                                         const core::ScenarioBase &base,
                                                         const core::JobControl &control)
    {
        core::ScenarioBase found = base;
        core::ScenarioSettings settings;
        settings.worldSize = settings.computeScale = 1;
        found.work = core::workModels(*loaded.trace, found, settings, control);
        core::setOverlapReadings(found, *loaded.graph, control);
        return std::make_shared<const core::ScenarioBase>(std::move(found));
    }

    /// Of all links between hosts; empty where they differ.
    std::optional<double> oneRateMbit(const std::vector<core::LinkModel> &links)
    {
        std::optional<double> one;
        for (const core::LinkModel &link : links) {
            if (link.isWithinHost)
                continue;
            if (link.bandwidthMbit <= 0 || (one && *one != link.bandwidthMbit))
                return std::nullopt;
            one = link.bandwidthMbit;
        }
        return one;
    }

    std::shared_ptr<const WhatIfFacts> factsOf(const Loaded &loaded,
                                               const core::ScenarioResult &selfReplay)
    {
        WhatIfFacts facts;
        facts.obstacles = core::settingObstacles(*loaded.graph, selfReplay.links);
        facts.recordedSlices = core::recordedSlices(*loaded.trace, *loaded.graph);
        facts.transferringRanks = core::transferringRanks(*loaded.graph, *loaded.trace);
        facts.bucketCapMb = core::recordedCapMb(*loaded.graph, *loaded.trace);
        const std::vector<double> rates = core::linkRatesMbit(*loaded.trace);
        const std::optional<double> oneRate = oneRateMbit(selfReplay.links);
        for (const core::Worker &worker : loaded.trace->workers) {
            if (worker.rank >= 0 && static_cast<std::size_t>(worker.rank) < rates.size())
                facts.linkMbit.emplace(worker.rank, rates[static_cast<std::size_t>(worker.rank)]);
            else if (oneRate)
                facts.linkMbit.emplace(worker.rank, *oneRate);
        }
        return std::make_shared<const WhatIfFacts>(std::move(facts));
    }

} // namespace

Diagnosed diagnoseLoaded(const Loaded &loaded, const core::JobControl &control)
{
    Diagnosed found;
    core::Diagnosis diagnosis = core::diagnose(*loaded.trace, loaded.graph, control.part(0, 0.95));
    // With the models also for the intervals of its gains.
    if (diagnosis.base != nullptr)
        diagnosis.base = withModels(loaded, *diagnosis.base, control.part(0.95, 0.95));
    found.base = diagnosis.base;
    found.diagnosis = std::make_shared<const core::Diagnosis>(std::move(diagnosis));
    if (found.diagnosis->isOfOneJob)
        found.facts = factsOf(loaded, found.diagnosis->selfReplay);
    found.memory = peakMemoryOf(loaded, found.diagnosis->selfReplay, control.part(0.95, 1));
    return found;
}

Predicted predictLoaded(const Loaded &loaded, const std::shared_ptr<const core::ScenarioBase> &base,
                        const core::ScenarioSettings &settings, const core::JobControl &control)
{
    core::ScenarioBase own
        = base ? *base : core::scenarioBase(*loaded.trace, *loaded.graph, control.part(0, 0.3));
    if (settings.batchScale && own.work.batch.growth == nullptr) {
        const core::ProjectReader reader(loaded.project);
        core::setBatchModel(own, *loaded.trace,
                            reader.readShapes(*loaded.trace, control.part(0.3, 0.45)));
    }
    own.work = core::workModels(*loaded.trace, own, settings, control.part(0.45, 0.5));
    Predicted found;
    found.result = std::make_shared<const core::ScenarioResult>(core::predictScenario(
        *loaded.trace, *loaded.graph, own, settings, control.part(0.5, 0.95)));
    found.base = std::make_shared<const core::ScenarioBase>(std::move(own));
    found.memory = peakMemoryOf(loaded, *found.result, control.part(0.95, 1));
    return found;
}

Predicted judgePredicted(const Loaded &loaded, Predicted found, const core::JobControl &control)
{
    if (!found.result->settings.isEmpty() && found.base->work.overlap == nullptr) {
        core::ScenarioBase base = *found.base;
        core::setOverlapReadings(base, *loaded.graph, control.part(0, 0.1));
        found.base = std::make_shared<const core::ScenarioBase>(std::move(base));
    }
    core::ScenarioResult result = *found.result;
    core::judgeScenario(*loaded.trace, loaded.graph, *found.base, result, control.part(0.1, 1));
    found.result = std::make_shared<const core::ScenarioResult>(std::move(result));
    return found;
}

} // namespace ui
