#pragma once

#include "core/base/time_range.h"
#include "core/import/nccl/nccl_event_tree.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace core {

/// From the begin to the end record; absent if one of them has no time, or they are reversed.
std::optional<TimeRange> ncclHostRange(const NcclEvent &event);

/// When the kernel ran on one channel. The end is often lost; then the GPU's own clock, whose
/// zero is unknown, still tells how long it ran.
std::optional<std::int64_t> ncclKernelEnd(const NcclEvent &event);

/// When an operation ran: from the first to the last moment of its kernel channels and of its
/// network operations. Absent if they do not say.
std::optional<TimeRange> ncclDeviceRange(const NcclEventTree &tree, std::size_t operation);

} // namespace core
