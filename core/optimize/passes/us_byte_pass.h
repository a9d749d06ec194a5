#pragma once

#include "core/optimize/pass.h"

#include <memory>

namespace core {

/// US-Byte: sizes of its blocks.
std::unique_ptr<const Pass> usBytePass();

} // namespace core
