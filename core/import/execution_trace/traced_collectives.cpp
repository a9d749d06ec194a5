#include "core/import/execution_trace/traced_collectives.h"

#include "core/import/kineto/kineto_collectives.h"
#include "core/import/text/clean_text.h"
#include "core/import/text/json_members.h"
#include "core/model/metadata_keys.h"

namespace core {

namespace {

    struct Arguments
    {
        std::string_view collective, group; ///< still escaped
        std::uint64_t bytes = 0, ranks = 0;
    };

    /// [[tensors], sequence, group, rank, "allreduce", ..., ranks]; the group is ["name",
    /// "description"] or, before PyTorch 2.4, a number that means nothing elsewhere.
    Arguments argumentsOf(std::string_view inputs)
    {
        Arguments arguments;
        std::size_t index = 0;
        json::forEachElement(inputs, [&](std::string_view value) {
            if (index++ == 0)
                forEachTensor(value, [&arguments](const TensorValue &tensor) {
                    if (__builtin_add_overflow(arguments.bytes, tensor.bytes, &arguments.bytes))
                        arguments.bytes = ~std::uint64_t { 0 };
                });
            else if (value.front() == '"' && arguments.collective.empty())
                arguments.collective = json::unquoted(value);
            else if (value.front() == '[' && arguments.collective.empty())
                json::forEachElement(value, [&arguments](std::string_view name) {
                    if (arguments.group.empty() && name.front() == '"')
                        arguments.group = json::unquoted(name);
                });
            arguments.ranks = json::naturalIn(value).value_or(0);
        });
        return arguments;
    }

    /// One kernel runs several sends and receives, and a wait is none.
    bool isCollective(std::string_view kind)
    {
        return kind != "other" && kind != "send" && kind != "recv" && kind != "send_recv";
    }

} // namespace

bool TracedCollectives::add(const ExecutionTraceNode &node, std::uint64_t key)
{
    if (node.name != "record_param_comms" || key == 0)
        return true;
    const Arguments arguments = argumentsOf(node.inputs);
    const std::string_view kind
        = collectiveKind(node.collective.empty() ? arguments.collective : node.collective);
    if (!isCollective(kind))
        return true;
    std::uint64_t bytes = arguments.bytes;
    const auto elements = json::naturalIn(node.elements);
    const std::uint64_t ofElement = elementSize(node.dtype);
    if (bytes == 0 && elements && __builtin_mul_overflow(*elements, ofElement, &bytes))
        bytes = 0;
    const std::uint64_t ranks = json::naturalIn(node.groupSize).value_or(arguments.ranks);
    const std::string line = std::to_string(key) + ' ' + std::string(kind) + ' '
        + std::to_string(bytes <= MostTracedBytes ? bytes : 0) + ' '
        + std::to_string(ranks <= MostTracedRanks ? ranks : 0) + ' '
        + cleanString(node.group.empty() ? arguments.group : node.group) + '\n';
    if (m_lines.size() + line.size() > MostBytes)
        return false;
    m_lines += line;
    return true;
}

void TracedCollectives::deliver(TraceSink &sink) const
{
    if (!m_lines.empty())
        sink.metadata(TracedCollectivesKey, m_lines);
}

} // namespace core
