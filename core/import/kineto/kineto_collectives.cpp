#include "core/import/kineto/kineto_collectives.h"

#include "core/base/ascii_text.h"
#include "core/import/kineto/collective_kernels.h"
#include "core/import/longpole/longpole_messages.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

namespace core {

namespace {

    using Pair = std::pair<std::string_view, std::string_view>;

    // The first that a name without underscores starts with is taken, so longer ones come first.
    constexpr std::array Kinds = {
        Pair { "allreduce", "all_reduce" },
        Pair { "allgather", "all_gather" },
        Pair { "reducescatter", "reduce_scatter" },
        Pair { "alltoall", "all_to_all" },
        Pair { "broadcast", "broadcast" },
        Pair { "sendrecv", "send_recv" },
        Pair { "send", "send" },
        Pair { "recv", "recv" },
        Pair { "barrier", "barrier" },
        Pair { "reduce", "reduce" },
        Pair { "gather", "gather" },
        Pair { "scatter", "scatter" },
    };

    constexpr std::array KernelPrefixes
        = { std::string_view("ncclDevKernel_"), std::string_view("ncclKernel_"),
            std::string_view("ncclSymDevKernel_"), std::string_view("ncclSymkDevKernel_"),
            std::string_view("mscclKernel_") };

    struct ElementType
    {
        std::string_view name;
        std::uint64_t sizeBytes;
    };

    constexpr std::array ElementTypes = {
        ElementType { "float", 4 },          ElementType { "double", 8 },
        ElementType { "half", 2 },           ElementType { "bfloat16", 2 },
        ElementType { "long", 8 },           ElementType { "longint", 8 },
        ElementType { "int64", 8 },          ElementType { "int", 4 },
        ElementType { "short", 2 },          ElementType { "shortint", 2 },
        ElementType { "char", 1 },           ElementType { "signedchar", 1 },
        ElementType { "byte", 1 },           ElementType { "unsignedchar", 1 },
        ElementType { "bool", 1 },           ElementType { "float16", 2 },
        ElementType { "fp16", 2 },           ElementType { "bfp16", 2 },
        ElementType { "bf16", 2 },           ElementType { "fp32", 4 },
        ElementType { "fp64", 8 },           ElementType { "float32", 4 },
        ElementType { "float64", 8 },        ElementType { "int8", 1 },
        ElementType { "int16", 2 },          ElementType { "int32", 4 },
        ElementType { "uint8", 1 },          ElementType { "uint16", 2 },
        ElementType { "complexfloat", 8 },   ElementType { "complexdouble", 16 },
        ElementType { "complex<float>", 8 }, ElementType { "complex<double>", 16 },
    };

    /// As they stand between the underscores of a NCCL kernel's name; float8 begins with "f8".
    constexpr std::array ReducedTypes = {
        ElementType { "f16", 2 },    ElementType { "bf16", 2 },     ElementType { "f32", 4 },
        ElementType { "f64", 8 },    ElementType { "i8", 1 },       ElementType { "u8", 1 },
        ElementType { "i32", 4 },    ElementType { "u32", 4 },      ElementType { "i64", 8 },
        ElementType { "u64", 8 },    ElementType { "half", 2 },     ElementType { "float", 4 },
        ElementType { "double", 8 }, ElementType { "int8", 1 },     ElementType { "uint8", 1 },
        ElementType { "int32", 4 },  ElementType { "uint32", 4 },   ElementType { "int64", 8 },
        ElementType { "uint64", 8 }, ElementType { "bfloat16", 2 },
    };

    /// Lower case, without spaces and underscores.
    std::string simplified(std::string_view name)
    {
        std::string simple;
        for (const char c : name) {
            if (c != '_' && c != ' ')
                simple += lowered(c);
        }
        return simple;
    }

    /// The text of the next quoted string at or after `at`, which moves behind it.
    std::optional<std::string_view> nextQuoted(std::string_view text, std::size_t &at)
    {
        const std::size_t open = text.find('"', at);
        const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
        if (close == std::string_view::npos)
            return std::nullopt;
        at = close + 1;
        return text.substr(open + 1, close - open - 1);
    }

    /// Product of the numbers in "[2, 3]"; absent for anything but a flat list of numbers.
    std::optional<std::uint64_t> elementCount(std::string_view sizes)
    {
        std::uint64_t count = 1;
        std::uint64_t number = 0;
        bool hasNumber = false;
        for (const char c : sizes) {
            if (c >= '0' && c <= '9') {
                if (__builtin_mul_overflow(number, 10, &number)
                    || __builtin_add_overflow(number, static_cast<std::uint64_t>(c - '0'), &number))
                    return std::nullopt;
                hasNumber = true;
            } else if ((c == ',' || c == ']') && hasNumber) {
                if (__builtin_mul_overflow(count, number, &count))
                    return std::nullopt;
                number = 0;
                hasNumber = false;
            }
        }
        return count;
    }

} // namespace

std::string_view collectiveKind(std::string_view name)
{
    const std::string simple = simplified(name);
    const auto *const found = std::find_if(Kinds.begin(), Kinds.end(), [&simple](const Pair &kind) {
        return simple.starts_with(kind.first);
    });
    return found != Kinds.end() ? found->second : "other";
}

std::optional<std::string_view> communicationKernel(std::string_view name)
{
    if (name.starts_with("void "))
        name.remove_prefix(5);
    for (const std::string_view prefix : KernelPrefixes) {
        if (name.starts_with(prefix))
            return name.substr(prefix.size());
    }
    if (name.starts_with("nccl") || name.starts_with("rccl"))
        return name.substr(4);
    return knownCollectiveKernel(name);
}

std::optional<std::string_view> communicationOp(std::string_view name)
{
    if (name.starts_with("gloo:"))
        return name.substr(5);
    if (name.starts_with("mpi:"))
        return name.substr(4);
    return std::nullopt;
}

std::uint64_t elementSize(std::string_view type)
{
    if (type.starts_with("c10::"))
        type.remove_prefix(5);
    const std::string simple = simplified(type);
    const auto *const found
        = std::find_if(ElementTypes.begin(), ElementTypes.end(),
                       [&simple](const ElementType &known) { return known.name == simple; });
    if (found != ElementTypes.end())
        return found->sizeBytes;
    return simple.starts_with("float8") ? 1 : 0;
}

std::uint64_t tensorBytes(std::string_view dims, std::string_view types)
{
    constexpr std::string_view Brackets = "[]";
    std::int64_t total = 0; // more are no bytes: databases have no larger numbers
    std::uint64_t elementBytes = 0;
    std::size_t typeAt = 0;
    int depth = 0;
    // "[[2, 3], [], [[4], [5]]]": a type for each part of the outer list, be it a list of tensors.
    for (std::size_t at = dims.find_first_of(Brackets); at != std::string_view::npos;) {
        const std::size_t next = dims.find_first_of(Brackets, at + 1);
        depth += dims[at] == '[' ? 1 : -1;
        if (dims[at] == '[' && depth == 2) {
            const std::optional<std::string_view> type = nextQuoted(types, typeAt);
            if (!type)
                break;
            elementBytes = elementSize(*type);
        }
        const bool isSizes
            = dims[at] == '[' && depth >= 2 && next != std::string_view::npos && dims[next] == ']';
        const auto count = isSizes ? elementCount(dims.substr(at, next - at + 1)) : std::nullopt;
        std::uint64_t sizeBytes = 0;
        if (count && !__builtin_mul_overflow(*count, elementBytes, &sizeBytes)
            && __builtin_add_overflow(total, sizeBytes, &total))
            return 0;
        at = next;
    }
    return static_cast<std::uint64_t>(total);
}

std::optional<std::uint64_t> firstArgumentElements(std::string_view dims)
{
    constexpr std::string_view Brackets = "[]";
    std::optional<std::uint64_t> total;
    int depth = 0;
    for (std::size_t at = dims.find_first_of(Brackets); at != std::string_view::npos;) {
        const std::size_t next = dims.find_first_of(Brackets, at + 1);
        depth += dims[at] == '[' ? 1 : -1;
        const bool isSizes = dims[at] == '[' && depth >= 2 && next != std::string_view::npos
            && next > at + 1 && dims[next] == ']';
        if (isSizes) {
            const auto count = elementCount(dims.substr(at, next - at + 1));
            std::uint64_t sum = total.value_or(0);
            if (!count || __builtin_add_overflow(sum, *count, &sum))
                return std::nullopt;
            total = sum;
        }
        if (dims[at] == ']' && depth == 1)
            break; // of the first argument
        at = next;
    }
    return total;
}

std::string_view firstArgumentType(std::string_view types)
{
    std::size_t at = 0;
    return nextQuoted(types, at).value_or(std::string_view());
}

std::uint64_t reducedElementSize(std::string_view kernelName)
{
    std::string_view rest = communicationKernel(kernelName).value_or(std::string_view());
    const std::string_view kind = collectiveKind(rest);
    if (kind != "all_reduce" && kind != "reduce_scatter" && kind != "reduce")
        return 0;
    rest = rest.substr(0, rest.find('('));
    while (!rest.empty()) {
        const std::string_view word = rest.substr(0, rest.find('_'));
        rest.remove_prefix(std::min(rest.size(), word.size() + 1));
        const auto *const found
            = std::find_if(ReducedTypes.begin(), ReducedTypes.end(),
                           [word](const ElementType &known) { return known.name == word; });
        if (found != ReducedTypes.end())
            return found->sizeBytes;
        if (word.starts_with("f8"))
            return 1;
    }
    return 0;
}

std::optional<RecordedTransfer> recordedTransfer(std::string_view name)
{
    if (name.starts_with("allreduce ")) {
        if (name.find("bucket=") == 10)
            return RecordedTransfer { true, true };
        if (name.find(" slice=") != std::string_view::npos)
            return RecordedTransfer { true, false };
        return std::nullopt;
    }
    return messageVerb(name) ? std::optional(RecordedTransfer {}) : std::nullopt;
}

} // namespace core
