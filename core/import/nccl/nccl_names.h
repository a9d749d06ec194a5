#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace core {

/// Bytes of one element of a NCCL data type ("ncclFloat32", "ncclBfloat16"); 0 for a type that is
/// not known.
std::uint64_t ncclElementSize(std::string_view type);

/// Bytes of `count` elements; 0 if the type is not known or the product does not fit.
std::uint64_t ncclBytes(std::uint64_t count, std::string_view type);

/// Whether importers put NCCL's own records of collectives into the arguments of slices whose files
/// are of this format (Importer::name()).
bool isNcclFormat(std::string_view format);

/// The algorithm that such a record states ("RING", "NVLS_TREE"), from its arguments; empty if it
/// states none.
std::string ncclAlgorithm(std::string_view args);

/// The one name that both ends of a transfer give it: "comm 9/AllReduce 3/0>1/step 5". `operation`
/// is the collective with its number on the communicator, or the send with its number among those
/// of the two ranks; `step` is negative for the whole operation. Ranks are those of the
/// communicator.
std::string ncclTransaction(std::string_view communicator, std::string_view operation,
                            int sourceRank, int destinationRank, int step);

/// Numbers the sends and the receives between two ranks of a communicator in the order of the file,
/// which both ends have in common.
class NcclPointToPoint
{
public:
    static constexpr std::size_t MaximumPairs = 1'000'000; ///< of ranks, in all communicators

    /// Counts from 0; absent past MaximumPairs, which only damage makes.
    std::optional<std::uint64_t> next(std::string_view communicator, int sourceRank,
                                      int destinationRank, bool isSend);

private:
    std::unordered_map<std::string, std::uint64_t> m_counts;
};

} // namespace core
