#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// tensorflow-xla: environment variables of a shell, for TensorFlow's automatic clustering.
std::unique_ptr<const ConfigTarget> tensorflowXlaTarget();

} // namespace core
