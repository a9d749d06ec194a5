#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// Half precision for gradients that are sent: compression=2.
std::unique_ptr<const Pass> compressionPass();

} // namespace core
