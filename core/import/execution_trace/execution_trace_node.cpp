#include "core/import/execution_trace/execution_trace_node.h"

#include <array>
#include <limits>

namespace core {

namespace {

    /// Where a member or an attribute of that name goes.
    struct TextField
    {
        std::string_view key;
        std::string_view ExecutionTraceNode::*field;
    };

    constexpr std::array Fields = {
        TextField { "name", &ExecutionTraceNode::name },
        TextField { "op_schema", &ExecutionTraceNode::schema },
        TextField { "tid", &ExecutionTraceNode::thread },
        TextField { "input_shapes", &ExecutionTraceNode::inputShapes },
        TextField { "input_types", &ExecutionTraceNode::inputTypes },
        TextField { "cat", &ExecutionTraceNode::category },
        TextField { "ts", &ExecutionTraceNode::start },
        TextField { "inclusive_dur", &ExecutionTraceNode::duration },
        TextField { "stream", &ExecutionTraceNode::stream },
        TextField { "sync_dep", &ExecutionTraceNode::syncDependencies },
        TextField { "inter_thread_dep", &ExecutionTraceNode::threadDependencies },
        TextField { "collective_name", &ExecutionTraceNode::collective },
        TextField { "dtype", &ExecutionTraceNode::dtype },
        TextField { "pg_name", &ExecutionTraceNode::group },
        TextField { "pg_size", &ExecutionTraceNode::groupSize },
        TextField { "in_msg_nelems", &ExecutionTraceNode::elements },
    };

    void setField(ExecutionTraceNode &node, std::string_view key, std::string_view value)
    {
        if (key == "rf_id") {
            node.recordFunction = json::naturalIn(value);
        } else if (key == "scope") {
            node.scope = json::naturalIn(value);
        } else {
            for (const TextField &known : Fields) {
                if (known.key == key)
                    node.*known.field = json::unquoted(value);
            }
        }
    }

    /// [{"name": "rf_id", "type": "uint64", "value": 3}, ...]
    void readAttributes(ExecutionTraceNode &node, std::string_view list)
    {
        json::forEachElement(list, [&node](std::string_view attribute) {
            std::string_view name, value;
            json::forEachMember(attribute, [&](std::string_view key, std::string_view text) {
                if (key == "name")
                    name = json::unquoted(text);
                else if (key == "value")
                    value = text;
            });
            if (name != "name")
                setField(node, name, value);
        });
    }

    /// A list of values, or since schema 1.0.2 {"values": [...], "shapes": [...], "types": [...]}.
    void readInputs(ExecutionTraceNode &node, std::string_view value)
    {
        const bool isObject
            = json::forEachMember(value, [&node](std::string_view key, std::string_view list) {
                  if (key == "values")
                      node.inputs = list;
                  else if (key == "shapes")
                      node.inputShapes = list;
                  else if (key == "types")
                      node.inputTypes = list;
              });
        if (!isObject)
            node.inputs = value;
    }

    void readOutputs(ExecutionTraceNode &node, std::string_view value)
    {
        const bool isObject
            = json::forEachMember(value, [&node](std::string_view key, std::string_view list) {
                  if (key == "values")
                      node.outputs = list;
              });
        if (!isObject)
            node.outputs = value;
    }

} // namespace

std::optional<ExecutionTraceNode> executionTraceNode(std::string_view text)
{
    ExecutionTraceNode node;
    std::optional<std::uint64_t> id;
    bool hasName = false;
    const auto readMember = [&](std::string_view key, std::string_view value) {
        hasName = hasName || key == "name";
        if (key == "id")
            id = json::naturalIn(value);
        else if (key == "ctrl_deps" || key == "parent")
            node.parent = json::naturalIn(value).value_or(0);
        else if (key == "inputs")
            readInputs(node, value);
        else if (key == "outputs")
            readOutputs(node, value);
        else if (key == "attrs")
            readAttributes(node, value);
        else
            setField(node, key, value);
    };
    if (!json::forEachMember(text, readMember) || !id || !hasName)
        return std::nullopt;
    node.id = *id;
    return node;
}

std::optional<TensorValue> tensorValue(std::string_view value)
{
    constexpr std::size_t Parts = 6;
    std::array<std::string_view, Parts> parts;
    std::size_t count = 0;
    const bool isList = json::forEachElement(value, [&](std::string_view part) {
        if (count < Parts)
            parts[count] = part;
        ++count;
    });
    if (!isList || count != Parts || parts[Parts - 1].front() != '"')
        return std::nullopt;
    const auto tensor = unsignedFrom(parts[0]);
    const auto storage = unsignedFrom(parts[1]);
    const auto elements = unsignedFrom(parts[3]);
    const auto elementBytes = unsignedFrom(parts[4]);
    if (!tensor || !storage || !elements || !elementBytes)
        return std::nullopt;
    TensorValue result { *tensor, *storage, 0 };
    if (__builtin_mul_overflow(*elements, *elementBytes, &result.bytes))
        result.bytes = std::numeric_limits<std::uint64_t>::max();
    return result;
}

} // namespace core
