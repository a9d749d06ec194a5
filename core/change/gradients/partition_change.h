#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// schedule, partition_bytes and credit_bytes: gradients in partitions. See withPartitions().
std::unique_ptr<const ChangeKind> partitionChange();

} // namespace core
