#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// DeAR: sizes of its fusion buffer.
std::unique_ptr<const Pass> dearPass();

} // namespace core
