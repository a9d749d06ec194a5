#pragma once

#include "core/predict/clock_reasons.h"
#include "core/predict/prediction.h"
#include "core/replay/graph_change.h"

#include <optional>

namespace core {

/// Why a what-if that makes nothing slower (`change` of the unchanged graph) is predicted to take
/// longer all the same: the first iterations shrink and the others do with what is left to them, or
/// operations run in another order (Graham, "Bounds on Multiprocessing Timing Anomalies", SIAM J.
/// Appl. Math. 17(2), 1969). Empty where it is not.
std::optional<TrustReason> slowerWithoutCause(const GraphChange &change, const Strategy &strategy,
                                              const Prediction &result);

} // namespace core
