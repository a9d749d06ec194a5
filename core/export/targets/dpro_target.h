#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// dpro: the tensor groups of dPRO's forks of Horovod and BytePS.
std::unique_ptr<const ConfigTarget> dproTarget();

} // namespace core
