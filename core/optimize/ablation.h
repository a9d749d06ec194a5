#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/predict/predictor.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// One part of a strategy: all of its changes of one kind.
struct StrategyPart
{
    std::string names; ///< "bucket_cap_mb and first_bucket_mb"
    /// Predicted iteration without this part, with all others, ns; empty: not known.
    std::optional<std::int64_t> withoutNs;
};

/// Parts of a strategy beside the environment, each left out in turn, in the order in which kinds
/// of change are applied. A strategy of one part gives that one, without which the environment is
/// left. What is not replayed within `seconds` is not known. Throws Cancelled.
std::vector<StrategyPart> ablation(Predictor &predictor, const Strategy &environment,
                                   const Strategy &strategy, double seconds,
                                   const JobControl &control);

/// "Without compression it takes 612.1 ms, without bucket_cap_mb 455.0 ms."; empty where the
/// strategy has fewer than two parts.
std::string ablationText(const std::vector<StrategyPart> &parts);

} // namespace core
