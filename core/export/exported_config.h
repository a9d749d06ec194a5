#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/export/config_target.h"
#include "core/predict/prediction.h"
#include "core/predict/predictor.h"

#include <string>
#include <vector>

namespace core {

/// A strategy as the config file of a training job.
struct ExportedConfig
{
    ConfigFile file;
    Strategy said; ///< what the file says, read back from it
    Prediction prediction; ///< of `said`
    std::vector<std::string> notes; ///< changes of the strategy that the file says in another way
};

/// Writes a strategy for a target, reads the file back and predicts what it says. Throws Error
/// where the strategy is empty or cannot be predicted, and where the target has words for none of
/// it; Cancelled.
ExportedConfig exportConfig(const ConfigTarget &target, const Strategy &strategy,
                            Predictor &predictor, const JobControl &control);

} // namespace core
