#include "core/import/tensorflow/hlo_collectives.h"

#include <algorithm>
#include <array>
#include <utility>

namespace core {

namespace {

    using Pair = std::pair<std::string_view, std::string_view>;

    constexpr std::array Kinds = {
        Pair { "all-reduce", "all_reduce" },
        Pair { "all-gather", "all_gather" },
        Pair { "reduce-scatter", "reduce_scatter" },
        Pair { "all-reduce-scatter", "reduce_scatter" }, // fused on TPU
        Pair { "all-to-all", "all_to_all" },
        Pair { "ragged-all-to-all", "all_to_all" },
        Pair { "collective-broadcast", "broadcast" },
        Pair { "collective-permute", "send_recv" },
    };

    struct ElementType
    {
        std::string_view name;
        std::uint64_t sizeBytes;
    };

    constexpr std::array Types = {
        ElementType { "pred", 1 }, ElementType { "s8", 1 },  ElementType { "u8", 1 },
        ElementType { "s16", 2 },  ElementType { "u16", 2 }, ElementType { "f16", 2 },
        ElementType { "bf16", 2 }, ElementType { "s32", 4 }, ElementType { "u32", 4 },
        ElementType { "f32", 4 },  ElementType { "s64", 8 }, ElementType { "u64", 8 },
        ElementType { "f64", 8 },  ElementType { "c64", 8 }, ElementType { "c128", 16 },
    };

    std::uint64_t sizeOf(std::string_view type)
    {
        const auto *const found
            = std::find_if(Types.begin(), Types.end(),
                           [type](const ElementType &one) { return one.name == type; });
        if (found != Types.end())
            return found->sizeBytes;
        return type.starts_with("f8") ? 1 : 0;
    }

    bool isTypeCharacter(char c)
    {
        return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    }

    /// Bytes of the array whose dimensions are "2,3" ("" is a scalar); 0 if they are no numbers or
    /// too large.
    std::uint64_t arrayBytes(std::string_view dimensions, std::uint64_t elementBytes)
    {
        std::uint64_t product = elementBytes;
        std::uint64_t number = 0;
        bool hasNumber = false;
        for (std::size_t i = 0; i <= dimensions.size(); ++i) {
            const char c = i < dimensions.size() ? dimensions[i] : ',';
            if (c >= '0' && c <= '9') {
                if (__builtin_mul_overflow(number, 10, &number)
                    || __builtin_add_overflow(number, static_cast<std::uint64_t>(c - '0'), &number))
                    return 0;
                hasNumber = true;
            } else if (c == ',') {
                if (hasNumber && __builtin_mul_overflow(product, number, &product))
                    return 0;
                number = 0;
                hasNumber = false;
            } else if (c != '<' && c != '=') { // "<=8": a dimension with a bound
                return 0;
            }
        }
        return product;
    }

} // namespace

std::optional<std::string_view> hloCollective(std::string_view instruction)
{
    if (instruction.starts_with('%'))
        instruction.remove_prefix(1);
    instruction = instruction.substr(0, instruction.find_first_of(" .=("));
    constexpr std::string_view Done = "-done";
    if (instruction.ends_with(Done))
        instruction.remove_suffix(Done.size());
    const auto *const found
        = std::find_if(Kinds.begin(), Kinds.end(),
                       [instruction](const Pair &kind) { return kind.first == instruction; });
    return found == Kinds.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t hloResultBytes(std::string_view instruction)
{
    constexpr std::string_view Equals = " = ";
    const std::size_t begin = instruction.find(Equals);
    if (begin == std::string_view::npos)
        return 0;
    std::string_view shape = instruction.substr(begin + Equals.size());
    // A tuple ends at its parenthesis, though layouts such as {1,0:T(8,128)} have their own.
    const bool isTuple = shape.starts_with('(');
    std::int64_t total = 0; // more are no bytes: databases have no larger numbers
    int depth = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        depth += shape[i] == '(' ? 1 : shape[i] == ')' ? -1 : 0;
        if ((isTuple && depth == 0) || (!isTuple && shape[i] == ' '))
            break;
        if (shape[i] != '[')
            continue;
        const std::size_t close = shape.find(']', i);
        if (close == std::string_view::npos)
            return 0;
        std::size_t type = i;
        while (type > 0 && isTypeCharacter(shape[type - 1]))
            --type;
        const std::uint64_t elementBytes = sizeOf(shape.substr(type, i - type));
        const std::uint64_t bytes = arrayBytes(shape.substr(i + 1, close - i - 1), elementBytes);
        if (elementBytes == 0 || __builtin_add_overflow(total, bytes, &total))
            return 0;
        i = close;
    }
    return static_cast<std::uint64_t>(total);
}

} // namespace core
