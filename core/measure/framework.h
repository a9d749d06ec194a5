#pragma once

#include "core/graph/graph.h"

#include <string>
#include <string_view>
#include <vector>

namespace core {

/// Whose calls a recording shows, by the names in it.
enum class Framework { Unknown, PyTorch, TensorFlowOrJax };

/// "pytorch", as files say it.
std::string_view frameworkName(Framework framework);

Framework frameworkOf(const std::vector<std::string> &names);

/// What to record with PyTorch's profiler: " (torch.profiler: record_shapes=True)" for `option`
/// "record_shapes=True". Where it cannot be told who recorded accelerators, with an "if"; empty
/// where the recording is not PyTorch's.
std::string torchProfilerHint(const Graph &graph, std::string_view option);

} // namespace core
