#include "core/measure/framework.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::array<std::string_view, 3> PyTorchPrefixes
        = { "aten::", "ProfilerStep#", "Optimizer.step#" };
    /// Executors of TensorFlow, JAX's calls, and nodes that every graph of TensorFlow has.
    constexpr std::array<std::string_view, 12> TensorFlowOrJaxPrefixes
        = { "ExecutorState::", "EagerExecute", "TfOp:",   "Iterator::",       "jit_", "pjit_",
            "PjitFunction",    "PjRt",         "_SOURCE", "HorovodAllreduce", "Xla",  "Thunk" };

    template <class Prefixes>
    bool hasNameWithOneOf(const std::vector<std::string> &names, const Prefixes &prefixes)
    {
        return std::any_of(names.begin(), names.end(), [&prefixes](const std::string &name) {
            return std::any_of(prefixes.begin(), prefixes.end(), [&name](std::string_view prefix) {
                return name.starts_with(prefix);
            });
        });
    }

} // namespace

std::string_view frameworkName(Framework framework)
{
    switch (framework) {
    case Framework::PyTorch:
        return "pytorch";
    case Framework::TensorFlowOrJax:
        return "tensorflow or jax";
    case Framework::Unknown:
        break;
    }
    return "unknown";
}

Framework frameworkOf(const std::vector<std::string> &names)
{
    if (hasNameWithOneOf(names, PyTorchPrefixes))
        return Framework::PyTorch;
    return hasNameWithOneOf(names, TensorFlowOrJaxPrefixes) ? Framework::TensorFlowOrJax
                                                            : Framework::Unknown;
}

std::string torchProfilerHint(const Graph &graph, std::string_view option)
{
    // Without the host's activities torch.profiler writes none of PyTorch's names.
    const bool hasStreams = std::any_of(graph.devices.begin(), graph.devices.end(),
                                        [](const Device &device) { return device.isStream; });
    switch (frameworkOf(graph.names)) {
    case Framework::PyTorch:
        return " (torch.profiler: " + std::string(option) + ")";
    case Framework::Unknown:
        return hasStreams ? " (if it was torch.profiler: " + std::string(option) + ")" : "";
    case Framework::TensorFlowOrJax:
        break;
    }
    return {};
}

} // namespace core
