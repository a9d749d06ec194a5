#pragma once

#include "core/analyze/diagnosis.h"

#include <string>

namespace core {

/// "; 95 % interval 370.1 ms to 401.2 ms", and before it that there may be no gain, where it
/// begins at none; or why it is not known. Empty of a gain that is measured.
std::string gainIntervalText(const Bottleneck &bottleneck);

} // namespace core
