#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// xla: environment variables of a shell, for a step that XLA compiles wholly.
std::unique_ptr<const ConfigTarget> xlaTarget();

} // namespace core
