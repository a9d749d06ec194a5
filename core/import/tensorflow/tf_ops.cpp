#include "core/import/tensorflow/tf_ops.h"

#include "core/base/ascii_text.h"
#include "core/import/kineto/kineto_collectives.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    /// What the names of collective operators begin with; the kind follows.
    constexpr std::array CollectivePrefixes
        = { std::string_view("_Nccl"),           std::string_view("Nccl"),
            std::string_view("CollectiveBcast"), std::string_view("Collective"),
            std::string_view("HorovodGrouped"),  std::string_view("Horovod"),
            std::string_view("BytepsPush"),      std::string_view("Xla") };

} // namespace

TfLabel tfLabel(std::string_view label)
{
    constexpr std::string_view Equals = " = ";
    const std::size_t equals = label.find(Equals);
    const std::size_t open = label.find('(', equals == std::string_view::npos ? 0 : equals);
    const std::size_t close = label.rfind(')');
    if (equals == std::string_view::npos || open == std::string_view::npos
        || close == std::string_view::npos || close < open)
        return {};
    TfLabel parsed;
    parsed.name = trimmed(label.substr(0, equals));
    const std::size_t op = equals + Equals.size();
    parsed.op = trimmed(label.substr(op, open - op));
    std::string_view inputs = label.substr(open + 1, close - open - 1);
    while (!inputs.empty()) {
        const std::size_t comma = std::min(inputs.find(','), inputs.size());
        const std::string_view input = trimmed(inputs.substr(0, comma));
        if (!input.empty())
            parsed.inputs.push_back(input);
        inputs.remove_prefix(std::min(comma + 1, inputs.size()));
    }
    return parsed;
}

std::optional<std::string_view> tfCollective(std::string_view op)
{
    const auto *const prefix
        = std::find_if(CollectivePrefixes.begin(), CollectivePrefixes.end(),
                       [op](std::string_view one) { return op.starts_with(one); });
    if (prefix == CollectivePrefixes.end())
        return std::nullopt;
    if (*prefix == "CollectiveBcast")
        return "broadcast";
    if (*prefix == "BytepsPush")
        return "all_reduce"; // push and pull of one tensor
    const std::string_view kind = collectiveKind(op.substr(prefix->size()));
    if (*prefix == "Collective" && kind == "reduce")
        return "all_reduce"; // CollectiveReduce gives its result to all
    if (*prefix == "Collective" && kind == "gather")
        return "all_gather";
    // XlaSend, XlaRecv and XlaReduce are no collectives, nor are operators of other names.
    if (kind == "other" || (*prefix == "Xla" && !kind.starts_with("all_")))
        return std::nullopt;
    return kind;
}

TfInput tfInput(std::string_view input)
{
    TfInput parsed;
    parsed.isControl = input.starts_with('^');
    if (parsed.isControl)
        input.remove_prefix(1);
    const std::size_t colon = input.rfind(':');
    const bool hasPort = colon != std::string_view::npos
        && input.find_first_not_of("0123456789", colon + 1) == std::string_view::npos;
    parsed.node = hasPort ? input.substr(0, colon) : input;
    return parsed;
}

bool isLoopEdge(std::string_view op, std::string_view input)
{
    return (op == "Merge" || op == "RefMerge")
        && input.find("NextIteration") != std::string_view::npos;
}

Category tfCategory(TfDevice::Row row, std::string_view op)
{
    if (row == TfDevice::Row::Collected)
        return Category::GpuAnnotation;
    const bool isStream = row == TfDevice::Row::Stream;
    if (tfCollective(op))
        return isStream ? Category::CommKernel : Category::CommOp;
    if (isStream && op.starts_with("MEMCPY"))
        return Category::Memcpy;
    if (isStream && op.starts_with("MEMSET"))
        return Category::Memset;
    return isStream ? Category::Kernel : Category::CpuOp;
}

} // namespace core
