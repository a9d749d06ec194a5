#pragma once

#include "core/model/op_shapes.h"

#include <optional>
#include <string_view>

namespace core {

/// The value of "Input Dims" in the JSON text of a record's arguments, "[[256, 3072], [], [10]]",
/// as PyTorch's profiler writes it; empty where there is none.
std::string_view inputDimsText(std::string_view args);

/// Reads that text. Empty where it is none, or has sizes that no tensor has.
std::optional<Shapes> parseInputDims(std::string_view text);

} // namespace core
