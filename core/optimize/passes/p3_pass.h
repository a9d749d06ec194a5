#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// P3: sizes of its partitions.
std::unique_ptr<const Pass> p3Pass();

} // namespace core
