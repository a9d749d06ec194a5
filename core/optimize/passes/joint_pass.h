#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// joint: a walk by chance over buckets, compiled parts and schedules at once.
std::unique_ptr<const Pass> jointPass();

} // namespace core
