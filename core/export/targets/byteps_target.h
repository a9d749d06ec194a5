#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// byteps: environment variables of a shell.
std::unique_ptr<const ConfigTarget> bytepsTarget();

} // namespace core
