#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// bytescheduler: environment variables of a shell.
std::unique_ptr<const ConfigTarget> byteschedulerTarget();

} // namespace core
