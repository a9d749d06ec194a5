#pragma once

#include "core/change/change_kind.h"

#include <memory>

namespace core {

/// schedule, partition_bytes, credit_bytes and schedule_seed: gradients in another order, by
/// themselves or in partitions. See withSchedule().
std::unique_ptr<const ChangeKind> partitionChange();

} // namespace core
