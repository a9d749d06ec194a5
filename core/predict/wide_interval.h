#pragma once

#include "core/model/trace.h"
#include "core/predict/prediction.h"

#include <string>

namespace core {

/// Why the 95 % interval of the result is wide: "iteration 4 took 1.185 s, the others 1.008 s to
/// 1.029 s.", where iterations lie as far apart as half of it; of a what-if else what of
/// its change the trace tells least.
std::string whyWide(const Trace &trace, const Prediction &result);

} // namespace core
