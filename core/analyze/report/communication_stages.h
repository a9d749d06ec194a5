#pragma once

#include "core/base/time_range.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// What the communication of a tensor was at in a part of a range.
struct StagePiece
{
    TimeRange range; ///< aligned
    std::string stage; ///< "PUSH", "NEGOTIATE_ALLREDUCE"; empty: no stage is recorded
    std::string tensor;
    WorkerId worker; ///< that recorded the stage
    SliceId slice; ///< the stage's; meaningless where stage is empty
};

/// The stages of collectives that a trace records as annotations on rows of the tensors: Horovod's
/// NEGOTIATE_..., QUEUE, MEMCPY_..., BytePS's COPYD2H, PUSH, PULL ..., ByteScheduler's queues. A
/// row is a tensor's if its name is the tensor's, with or without more behind a space.
class CommunicationStages
{
public:
    /// The trace must outlive the object.
    explicit CommunicationStages(const Trace &trace);

    /// Cuts `range` where the stages of what `slices` carry (the parts of one collective) begin and
    /// end. Of stages that are under way at once, on one rank or several, the one that began last
    /// counts. The pieces are in order of time and cover the range; empty where no stage of these
    /// tensors is recorded at all.
    std::vector<StagePiece> within(std::span<const SliceId> slices, const TimeRange &range) const;

    /// The slice as one stage in `range`, named by what its name says beside the tensor's: for what
    /// has no finer stages. Empty if it carries no known tensor.
    std::optional<StagePiece> wholeOf(SliceId slice, const TimeRange &range) const;

private:
    struct Row
    {
        TrackId track;
        std::vector<std::int64_t> latestEndNs; ///< raw; of the slices up to each
    };

    std::vector<StagePiece> stagesOf(std::span<const SliceId> slices, const TimeRange &range) const;
    void collect(const Row &row, TensorId tensor, const TimeRange &range,
                 std::vector<StagePiece> &stages) const;

    std::vector<TensorUse>::const_iterator firstUse(SliceId slice) const;

    const Trace &m_trace;
    SliceIndex m_slices;
    std::vector<TensorUse> m_uses; ///< by slice
    std::map<TensorId, std::vector<Row>> m_rows;
};

} // namespace core
