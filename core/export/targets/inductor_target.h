#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// inductor: a Python module whose wrap() takes the place of DistributedDataParallel() and
/// torch.compile().
std::unique_ptr<const ConfigTarget> inductorTarget();

} // namespace core
