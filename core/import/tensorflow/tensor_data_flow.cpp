#include "core/import/tensorflow/tensor_data_flow.h"

#include "core/import/execution_trace/op_schema.h"

#include <algorithm>

namespace core {

const std::vector<std::uint64_t> &TensorDataFlow::add(const ExecutionTraceNode &node)
{
    collectArguments(node);
    addReads(node);
    addWrites(node);
    return m_sources;
}

void TensorDataFlow::collectArguments(const ExecutionTraceNode &node)
{
    m_arguments.clear();
    m_results.clear();
    forEachTensor(node.outputs,
                  [this](const TensorValue &value) { m_results.push_back(value.tensor); });
    std::sort(m_results.begin(), m_results.end());
    const auto mutated = mutatedArguments(node.schema);
    unsigned argument = 0;
    json::forEachElement(node.inputs, [&](std::string_view input) {
        const std::uint64_t bit = std::uint64_t { 1 } << std::min(argument++, 63U);
        forEachTensor(input, [&](const TensorValue &value) {
            m_arguments.push_back(
                { value,
                  mutated ? (*mutated & bit) != 0
                          : std::binary_search(m_results.begin(), m_results.end(), value.tensor) });
        });
    });
}

void TensorDataFlow::addReads(const ExecutionTraceNode &node)
{
    m_sources.clear();
    const auto addSource = [&](const Ops &ops, std::uint64_t key) {
        const auto found = ops.find(key);
        if (found != ops.end() && found->second < node.id) // else the op is inside of this one
            m_sources.push_back(found->second);
    };
    for (const Argument &argument : m_arguments) {
        addSource(m_producers, argument.value.tensor);
        addSource(m_writers, argument.value.storage);
    }
    std::sort(m_sources.begin(), m_sources.end());
    m_sources.erase(std::unique(m_sources.begin(), m_sources.end()), m_sources.end());
}

void TensorDataFlow::addWrites(const ExecutionTraceNode &node)
{
    m_passedOn.clear();
    for (const Argument &argument : m_arguments) {
        if (argument.isMutated)
            note(m_writers, argument.value.storage, node.id);
        else
            m_passedOn.push_back(argument.value.tensor);
    }
    std::sort(m_passedOn.begin(), m_passedOn.end());
    for (const std::uint64_t tensor : m_results) {
        if (!std::binary_search(m_passedOn.begin(), m_passedOn.end(), tensor))
            note(m_producers, tensor, node.id);
    }
}

void TensorDataFlow::note(Ops &ops, std::uint64_t key, std::uint64_t node) const
{
    const auto known = ops.find(key);
    if (known != ops.end())
        known->second = node;
    else if (!isFull())
        ops.emplace(key, node);
}

} // namespace core
