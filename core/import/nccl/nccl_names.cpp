#include "core/import/nccl/nccl_names.h"

#include "core/import/text/lenient_members.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    struct ElementType
    {
        std::string_view name;
        std::uint64_t sizeBytes;
    };

    constexpr std::array ElementTypes = {
        ElementType { "ncclInt8", 1 },       ElementType { "ncclChar", 1 },
        ElementType { "ncclUint8", 1 },      ElementType { "ncclInt32", 4 },
        ElementType { "ncclInt", 4 },        ElementType { "ncclUint32", 4 },
        ElementType { "ncclInt64", 8 },      ElementType { "ncclUint64", 8 },
        ElementType { "ncclFloat16", 2 },    ElementType { "ncclHalf", 2 },
        ElementType { "ncclFloat32", 4 },    ElementType { "ncclFloat", 4 },
        ElementType { "ncclFloat64", 8 },    ElementType { "ncclDouble", 8 },
        ElementType { "ncclBfloat16", 2 },   ElementType { "ncclFloat8e4m3", 1 },
        ElementType { "ncclFloat8e5m2", 1 },
    };

    /// NCCL writes "Unknown" for what it does not tell; other than capitals is damage.
    bool isAlgorithm(std::string_view text)
    {
        constexpr std::size_t LongestAlgorithm = 32;
        return text.size() <= LongestAlgorithm && std::all_of(text.begin(), text.end(), [](char c) {
                   return (c >= 'A' && c <= 'Z') || c == '_';
               });
    }

    constexpr std::array<std::string_view, 4> NcclFormats
        = { "nccl-profiler", "nccl-event-lines", "nccl-inspector", "longpole-nccl" };
    /// Of these formats, in the same order.
    constexpr std::array<std::string_view, 4> AlgorithmKeys
        = { "Algorithm", "algo", "coll_algo", "algorithm" };

} // namespace

std::uint64_t ncclElementSize(std::string_view type)
{
    const auto *const found
        = std::find_if(ElementTypes.begin(), ElementTypes.end(),
                       [type](const ElementType &known) { return known.name == type; });
    return found != ElementTypes.end() ? found->sizeBytes : 0;
}

std::uint64_t ncclBytes(std::uint64_t count, std::string_view type)
{
    std::uint64_t bytes = 0;
    return __builtin_mul_overflow(count, ncclElementSize(type), &bytes) ? 0 : bytes;
}

bool isNcclFormat(std::string_view format)
{
    return std::find(NcclFormats.begin(), NcclFormats.end(), format) != NcclFormats.end();
}

std::string ncclAlgorithm(std::string_view args)
{
    const LenientMembers members = lenientMembers(args);
    for (const std::string_view key : AlgorithmKeys)
        if (const auto algorithm = textMember(members, key); algorithm && isAlgorithm(*algorithm))
            return std::string(*algorithm);
    return {};
}

std::string ncclTransaction(std::string_view communicator, std::string_view operation,
                            int sourceRank, int destinationRank, int step)
{
    std::string text = "comm ";
    text.append(communicator).append("/").append(operation);
    text += '/' + std::to_string(sourceRank) + '>' + std::to_string(destinationRank);
    return step < 0 ? text : text + "/step " + std::to_string(step);
}

std::optional<std::uint64_t> NcclPointToPoint::next(std::string_view communicator, int sourceRank,
                                                    int destinationRank, bool isSend)
{
    std::string ends(communicator);
    ends += '/' + std::to_string(sourceRank) + '>' + std::to_string(destinationRank)
        + (isSend ? " send" : " recv");
    const auto known = m_counts.find(ends);
    if (known != m_counts.end())
        return known->second++;
    if (m_counts.size() >= MaximumPairs)
        return std::nullopt;
    m_counts.emplace(std::move(ends), 1);
    return 0;
}

} // namespace core
