#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// ByteScheduler: partition size and credit.
std::unique_ptr<const Pass> byteSchedulerPass();

} // namespace core
