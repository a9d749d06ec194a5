#pragma once

#include "core/export/config_target.h"

#include <memory>

namespace core {

/// huggingface: arguments of transformers.TrainingArguments as JSON.
std::unique_ptr<const ConfigTarget> huggingfaceTarget();

} // namespace core
