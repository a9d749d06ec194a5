#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/peak_memory.h"
#include "core/predict/predictor.h"
#include "core/project/read/project_reader.h"

#include <cstdint>
#include <filesystem>
#include <memory>

// What the session's jobs do in their worker threads: values in, a value out.

namespace ui {

struct Diagnosed
{
    std::shared_ptr<const core::Diagnosis> diagnosis;
    std::shared_ptr<const core::PeakMemory> memory;
    /// With what the first what-ifs would have to find; null: nothing is replayed.
    std::shared_ptr<const core::Predictor> predictor;
    std::shared_ptr<const core::ChangeFacts> facts; ///< null: nothing is replayed
};

struct Predicted
{
    std::shared_ptr<const core::Prediction> result;
    std::shared_ptr<const core::PeakMemory> memory;
    /// That predicted it, with what it has found so far.
    std::shared_ptr<const core::Predictor> predictor;
};

/// What a job works on; its own connection reads the project.
struct Loaded
{
    std::filesystem::path project;
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Graph> graph;
};

/// The worker's own copy of `predictor`, or a new one where it is null; reads the project when it
/// has to.
core::Predictor predictorFor(const Loaded &loaded,
                             const std::shared_ptr<const core::Predictor> &predictor,
                             const core::JobControl &control);
/// Slices of all tracks.
std::uint64_t sliceCount(const core::ProjectInfo &info);
Diagnosed diagnoseLoaded(const Loaded &loaded, const core::JobControl &control);
/// `predictor`: of an earlier what-if or the diagnosis, with what it has found; null while neither
/// is there yet. Result::obstacle tells what the trace does not support. The result is not judged:
/// its timeline does not wait for its interval.
Predicted predictLoaded(const Loaded &loaded,
                        const std::shared_ptr<const core::Predictor> &predictor,
                        const core::Strategy &strategy, const core::JobControl &control);
/// The same with interval and trust.
Predicted judgePredicted(const Loaded &loaded, Predicted found, const core::JobControl &control);

} // namespace ui
