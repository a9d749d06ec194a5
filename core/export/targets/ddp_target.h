#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// pytorch-ddp: a Python module whose wrap() takes the place of DistributedDataParallel().
std::unique_ptr<const ConfigTarget> ddpTarget();

} // namespace core
