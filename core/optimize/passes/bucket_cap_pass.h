#pragma once

#include "core/change/change.h"
#include "core/optimize/pass.h"

#include <memory>
#include <string>

namespace core {

/// Sizes of DDP's buckets: bucket_cap_mb and first_bucket_mb.
std::unique_ptr<const Pass> bucketCapPass();

/// Proposes all sizes that make other buckets, on top of `start`, whose other changes `others`
/// names (", gradients in half precision"). There is no obstacle.
void proposeBucketSizes(Search &search, const Strategy &start, const std::string &others);

} // namespace core
