#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// bucket_cap_mb and first_bucket_mb: gradients in buckets, as PyTorch DDP makes them. See
/// rebucket().
std::unique_ptr<const ChangeKind> bucketChange();

} // namespace core
