#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// nccl-tuner: the rules of NCCL's example tuner plugin, as CSV.
std::unique_ptr<const ConfigTarget> ncclTunerTarget();

} // namespace core
