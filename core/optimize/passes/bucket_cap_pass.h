#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// Sizes of DDP's buckets: bucket_cap_mb and first_bucket_mb.
std::unique_ptr<const Pass> bucketCapPass();

} // namespace core
