#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// Any buckets of consecutive tensors: gradients.
std::unique_ptr<const Pass> bucketCutsPass();

} // namespace core
