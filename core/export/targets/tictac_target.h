#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// tictac: the priorities of TicTac's TensorFlow, a line each tensor.
std::unique_ptr<const ConfigTarget> tictacTarget();

} // namespace core
