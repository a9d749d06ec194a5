#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// deepspeed: members for ds_config.json.
std::unique_ptr<const ConfigTarget> deepspeedTarget();

} // namespace core
