#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// horovod: environment variables of a shell.
std::unique_ptr<const ConfigTarget> horovodTarget();

} // namespace core
