#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/export/config_target.h"
#include "core/predict/prediction.h"
#include "core/predict/predictor.h"

#include <cstdint>
#include <string>
#include <vector>

namespace core {

/// A strategy as the config file of a training job.
struct ExportedConfig
{
    ConfigFile file;
    Strategy said; ///< what the file says, read back from it, in the strategy's environment
    Prediction prediction; ///< of `said`
    std::int64_t environmentNs = 0; ///< predicted iteration of the environment alone
    std::string settings; ///< `said` as options: " --set bucket_cap_mb=5 --set bandwidth_mbit=1000"
    std::vector<std::string> notes; ///< changes of the strategy that the file says in another way
};

/// Writes a strategy for a target: what it does to gradients, and the algorithm of all-reduces. The
/// environment (rates, ranks, speeds) that it holds for is left out. Reads the file back and
/// predicts what it says. Throws Error where the strategy is empty or cannot be predicted, and
/// where the target has words for none of it; Cancelled.
ExportedConfig exportConfig(const ConfigTarget &target, const Strategy &strategy,
                            Predictor &predictor, const JobControl &control);

/// Targets that have words for something of a strategy, and for its schedule where it has one.
/// Boundaries of buckets may give way to sizes.
std::vector<const ConfigTarget *> targetsFor(const Strategy &strategy, const MeasuredJob &job);

/// "No export target can say schedule=dear.", where targetsFor() is empty.
std::string noTargetText(const Strategy &strategy);

} // namespace core
