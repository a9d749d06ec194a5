#pragma once

#include "core/change/measured_job.h"
#include "core/predict/peak_memory.h"
#include "core/predict/prediction.h"
#include "core/project/saved_strategies.h"
#include "ui/views/compare/scenarios/scenario_model.h"

#include <memory>
#include <optional>
#include <vector>

namespace ui {

/// Source of the rows of the table of scenarios.
struct ScenarioSources
{
    std::vector<core::SavedStrategy> kept;
    std::optional<core::MeasuredJob> job; ///< empty: not known yet, and no kept one is read
    std::shared_ptr<const core::Prediction> unchanged; ///< replay of the measured job
    std::shared_ptr<const core::Prediction> below; ///< null: nothing is set
    std::shared_ptr<const core::Prediction> reference; ///< above; null: the measurement
    std::shared_ptr<const core::PeakMemory> memory; ///< of what is below
};

/// The measured job, then what the project keeps, then what is shown and not kept.
std::vector<Scenario> scenarioList(const ScenarioSources &sources);

} // namespace ui
