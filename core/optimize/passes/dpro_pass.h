#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// dpro: dPRO's Algorithm 1: tensors and the ops that compute their gradients are joined together.
std::unique_ptr<const Pass> dproPass();

} // namespace core
