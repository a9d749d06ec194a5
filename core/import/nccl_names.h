#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace core {

/// Bytes of one element of a NCCL data type ("ncclFloat32", "ncclBfloat16"); 0 for a type that is
/// not known.
std::uint64_t ncclElementSize(std::string_view type);

/// Bytes of `count` elements; 0 if the type is not known or the product does not fit.
std::uint64_t ncclBytes(std::uint64_t count, std::string_view type);

/// The one name that both ends of a transfer give it: "comm 9/AllReduce 3/0>1/step 5". `operation`
/// is the collective with its number on the communicator, or the send with its number among those
/// of the two ranks; `step` is negative for the whole operation. Ranks are those of the
/// communicator.
std::string ncclTransaction(std::string_view communicator, std::string_view operation,
                            int sourceRank, int destinationRank, int step);

} // namespace core
