#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/peak_memory.h"
#include "core/predict/prediction_base.h"
#include "core/predict/run_scenario.h"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

// What the session's jobs do in their worker threads: values in, a value out.

namespace ui {

/// What of a what-if the trace allows for, and how it was recorded: what a panel of settings shows.
struct WhatIfFacts
{
    core::SettingObstacles obstacles;
    std::optional<core::ScenarioSettings> recordedSlices; ///< see core::recordedSlices()
    std::set<std::vector<int>> transferringRanks; ///< see core::transferringRanks()
    std::optional<double> bucketCapMb; ///< that the job ran with, stated or as its buckets tell
    std::map<int, double> linkMbit; ///< of each rank's link, as stated, else as fitted
};

struct Diagnosed
{
    std::shared_ptr<const core::Diagnosis> diagnosis;
    std::shared_ptr<const core::PeakMemory> memory;
    /// The diagnosis' base with what the first what-ifs would have to find; null where there is
    /// none.
    std::shared_ptr<const core::ScenarioBase> base;
    std::shared_ptr<const WhatIfFacts> facts; ///< null: nothing is replayed
};

struct Predicted
{
    std::shared_ptr<const core::ScenarioResult> result;
    std::shared_ptr<const core::PeakMemory> memory;
    /// What it was predicted from, with what has been asked for of the ranks' work so far.
    std::shared_ptr<const core::ScenarioBase> base;
};

/// What a job works on; its own connection reads the project.
struct Loaded
{
    std::filesystem::path project;
    std::shared_ptr<const core::Trace> trace;
    std::shared_ptr<const core::Graph> graph;
};

Diagnosed diagnoseLoaded(const Loaded &loaded, const core::JobControl &control);
/// `base`: what all what-ifs on a trace start from, of an earlier one where there was one, which
/// has found what it needed of the ranks' work; null while the diagnosis is not there yet, then it
/// is found twice. The result is not judged: its timeline does not wait for its interval.
Predicted predictLoaded(const Loaded &loaded, const std::shared_ptr<const core::ScenarioBase> &base,
                        const core::ScenarioSettings &settings, const core::JobControl &control);
/// The same with interval and trust.
Predicted judgePredicted(const Loaded &loaded, Predicted found, const core::JobControl &control);

} // namespace ui
