#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace core {

/// The one name that all spellings of a collective share: "_allgather_base" gives "all_gather".
/// One of all_reduce, all_gather, reduce_scatter, all_to_all, broadcast, send_recv, send, recv,
/// barrier, reduce, gather, scatter; "other" for anything else. The view is of static storage.
std::string_view collectiveKind(std::string_view name);

/// The collective's part of a NCCL or RCCL kernel's name ("AllReduce_Sum_f32..."), or the
/// collective of a kernel that knownCollectiveKernel() knows; absent for other kernels.
std::optional<std::string_view> communicationKernel(std::string_view name);

/// The collective's part of the name of a CPU backend's operation ("all_reduce" of
/// "gloo:all_reduce"); absent if it is none.
std::optional<std::string_view> communicationOp(std::string_view name);

/// Bytes of one element: "Float", "c10::Half", "long int" ...; 0 for a type that is not known.
std::uint64_t elementSize(std::string_view type);

/// Bytes of all tensors: `dims` is a JSON array with one array of sizes a tensor (or one array of
/// those a list of tensors), `types` one with a type name for each. Tensors of unknown type, and
/// of a size beyond all sense, count nothing; 0 where the sum has no 63 bits.
std::uint64_t tensorBytes(std::string_view dims, std::string_view types);

/// Elements of the first argument of an op, a tensor or a list of tensors, by its "Input Dims"
/// ("[[[4, 2048]], [], ...]" has 8192); absent where it has no sizes.
std::optional<std::uint64_t> firstArgumentElements(std::string_view dims);
/// The first of the "Input type"; empty where there is none.
std::string_view firstArgumentType(std::string_view types);

/// Bytes of an element that a NCCL kernel reduces ("ncclDevKernel_AllReduce_Sum_bf16_RING_LL"); 0
/// where the name does not say it. Kernels that only copy are made for bytes, whatever they copy.
std::uint64_t reducedElementSize(std::string_view kernelName);

/// What a reducer wrote into the name of an event that it recorded by hand.
struct RecordedTransfer
{
    bool isCollective = false; ///< an all-reduce of a bucket or of a slice, else point to point
    bool isBucket = false; ///< spans ready to done of a whole bucket, around the backend's own op
};

/// "allreduce bucket=0 bytes=9", "allreduce t slice=1 bytes=9", "PUSH t", "PULL t", "SEND t",
/// "RECV t"; absent for any other name.
std::optional<RecordedTransfer> recordedTransfer(std::string_view name);

} // namespace core
