#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// lightning: a Python module with a DDPStrategy.
std::unique_ptr<const ConfigTarget> lightningTarget();

} // namespace core
