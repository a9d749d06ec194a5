#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/peak_memory.h"
#include "core/scenario/rewrite.h"
#include "core/scenario/scenario.h"

#include <filesystem>
#include <memory>

// What the session's jobs do in their worker threads: values in, a value out.

namespace ui {

struct Diagnosed
{
    std::shared_ptr<const core::Diagnosis> diagnosis;
    std::shared_ptr<const core::PeakMemory> memory;
};

struct Predicted
{
    std::shared_ptr<const core::ScenarioResult> result;
    std::shared_ptr<const core::PeakMemory> memory;
    core::WorkModels work; ///< what has been asked for so far
};

/// What a job works on; its own connection reads the project.
struct Loaded
{
    std::filesystem::path project;
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Graph> graph;
};

Diagnosed diagnoseLoaded(const Loaded &loaded, const core::JobControl &control);
/// `base`: what all what-ifs on a trace start from; null while the diagnosis is not there yet,
/// then it is found twice. `work`: of an earlier what-if, which has found what it needed of it.
Predicted predictLoaded(const Loaded &loaded, const std::shared_ptr<const core::ScenarioBase> &base,
                        core::WorkModels work, const core::ScenarioSettings &settings,
                        const core::JobControl &control);

} // namespace ui
