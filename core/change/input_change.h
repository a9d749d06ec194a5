#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// input_scale: the time of loading the input. See withScaledPhase().
std::unique_ptr<const ChangeKind> inputChange();

} // namespace core
