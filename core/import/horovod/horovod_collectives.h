#pragma once

#include "core/base/time_range.h"
#include "core/model/trace_sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// One operation on one tensor, as the rank that wrote the timeline saw it. Times in nanoseconds.
struct HorovodOp
{
    std::string tensor, name; ///< name: "ALLREDUCE"
    std::string_view kind; ///< see CollectiveCall::kind
    std::string transfer; ///< activity that moved the data: "NCCL_ALLREDUCE"
    TimeRange transferRange;
    std::map<int, std::int64_t> readyNs; ///< by rank: when the coordinator heard that it is ready
    std::string dtype, shape;
    std::uint64_t bytes = 0; ///< 0: unknown

    static constexpr std::size_t BytesPerReady = 64; ///< of readyNs; about
    /// What it takes in memory beside itself; about.
    std::size_t heldBytes() const
    {
        return tensor.size() + name.size() + transfer.size() + dtype.size() + shape.size()
            + readyNs.size() * BytesPerReady;
    }
};

/// Makes collectives of a Horovod timeline's operations.
///
/// Tensors that Horovod fused have the same transfer at the same time: they become one collective
/// of several tensors. Only rank 0 writes a timeline, but it notes when each rank was ready. So
/// where it does, every rank gets a part that lasts from when it was ready for all tensors until
/// rank 0 has the result: nobody has it before, and all have it soon after. Parts of other ranks
/// are on rank 0's clock, and late by up to Horovod's cycle time.
class HorovodCollectives
{
public:
    /// `worker` is the rank that wrote the file. `folderRank` is its rank where the folder says
    /// it: then every rank has a timeline of its own, and this one speaks for itself only.
    HorovodCollectives(TraceSink &sink, WorkerId worker, std::string file,
                       std::optional<int> folderRank);

    /// Operations in the order in which they ended.
    void add(HorovodOp op);
    /// After the last one; `digits` is a number in the file's name that may be its rank.
    void finish(std::optional<int> digits);

private:
    struct Rank
    {
        WorkerId worker;
        TrackId track;
    };

    bool isFused(const HorovodOp &op) const;
    void flush();
    std::map<int, std::int64_t> readyForAll() const;
    Rank *rankOf(int rank);
    Rank addRank(WorkerId worker);
    void addPart(const Rank &rank, TimeRange range);
    void describeRanks(std::optional<int> digits);
    void report();

    TraceSink &m_sink;
    std::string m_file;
    std::optional<int> m_folderRank;
    Rank m_own;
    std::map<int, Rank> m_others; ///< by rank
    std::vector<HorovodOp> m_batch; ///< fused so far
    std::size_t m_batchBytes = 0; ///< see HorovodOp::heldBytes()
    std::uint64_t m_sequence = 0;
    std::uint64_t m_withoutReady = 0;
    bool m_hasReady = false;
    bool m_hasTooManyRanks = false;
};

} // namespace core
