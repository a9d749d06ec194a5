#pragma once

#include "core/base/job_control.h"
#include "core/base/time_range.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace core {

/// A chunk of a collective whose SEND and RECV were recorded (the network steps of NCCL's proxies).
struct RecordedChunk
{
    std::size_t from = 0, to = 0; ///< indices into CollectiveNode::parts
    int channel = 0;
    std::uint64_t bytes = 0; ///< 0: unknown
    /// Aligned: from when the sender offered it and the receiver waited for it until it had come
    /// (dPRO §4.2: a RECV begins no earlier than its SEND).
    TimeRange range;
    SliceId sent; ///< the SEND's slice
};

/// By index into Graph::collectives: its chunks in the order of their starts. A pair of SEND and
/// RECV belongs to the collective that both ranks were in while they lasted; where these are
/// several, to the one whose communicator its transaction names. Collectives with chunks that
/// belong to several at once have none. Throws Cancelled.
std::map<std::size_t, std::vector<RecordedChunk>>
recordedChunks(const Graph &graph, const Trace &trace, const JobControl &control);

} // namespace core
