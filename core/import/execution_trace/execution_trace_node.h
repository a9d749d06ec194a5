#pragma once

#include "core/import/text/json_members.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// One node of a PyTorch execution trace as it stands in the file: strings are still escaped, lists
/// are JSON text. Views point into the text it was read from.
struct ExecutionTraceNode
{
    std::uint64_t id = 0;
    std::uint64_t parent = 0; ///< 0: none
    std::optional<std::uint64_t> recordFunction; ///< rf_id; 0 for processes and threads
    std::optional<std::uint64_t> scope; ///< RecordScope of PyTorch: 0 function, 7 user scope
    std::string_view name, schema, thread;
    std::string_view inputs, inputShapes, inputTypes; ///< [arguments]
    std::string_view outputs;
    // Of linked traces only.
    std::string_view category, start, duration, stream; ///< start and duration in microseconds
    std::string_view syncDependencies, threadDependencies; ///< ids of nodes
    // Of record_param_comms.
    std::string_view collective, dtype, group, groupSize, elements;
};

/// Understands schema 1.0.1 (flat members) and 1.0.2 to 1.1.1 (inputs, outputs, attrs). Absent if
/// the text is no object with an id and a name.
std::optional<ExecutionTraceNode> executionTraceNode(std::string_view text);

/// A tensor value of a node: [tensor, storage, offset, elements, bytes an element, "device"].
struct TensorValue
{
    std::uint64_t tensor = 0;
    std::uint64_t storage = 0;
    std::uint64_t bytes = 0; ///< saturated
};

/// Absent if the JSON value is no tensor.
std::optional<TensorValue> tensorValue(std::string_view value);

/// Calls visit(TensorValue) for the value itself and for the tensors in it, if it is a list.
template <class Visit>
void forEachTensor(std::string_view value, Visit &&visit, int depth = 0)
{
    constexpr int MaximumDepth = 4; // lists of lists of tensors occur
    if (const auto tensor = tensorValue(value))
        visit(*tensor);
    else if (depth < MaximumDepth)
        json::forEachElement(value, [&visit, depth](std::string_view element) {
            if (element.front() == '[')
                forEachTensor(element, visit, depth + 1);
        });
}

} // namespace core
