#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <optional>
#include <string>

namespace core {

/// What keeps the iteration as long as in the unchanged replay (to 0.05 %) although a strategy
/// changes something, as a sentence: the device that its critical path is on for longest. Empty
/// where they move it, or change nothing, and where its chunks are shown, which is to be seen
/// elsewhere. `trace` is the result's, which has its critical path.
std::optional<std::string> noEffectText(const Trace &trace, const Prediction &result);

} // namespace core
