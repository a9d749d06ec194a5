#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// horovod-groups: a Python module that gives hvd.DistributedOptimizer its groups.
std::unique_ptr<const ConfigTarget> horovodGroupsTarget();

} // namespace core
