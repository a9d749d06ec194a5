#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// dpro-partition: the partition sizes of dPRO's fork of BytePS, a line each tensor.
std::unique_ptr<const ConfigTarget> dproPartitionTarget();

} // namespace core
