#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// TicTac: TIC and TAC, which have no sizes.
std::unique_ptr<const Pass> ticTacPass();

} // namespace core
