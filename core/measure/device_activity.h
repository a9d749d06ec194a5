#pragma once

#include "core/base/interval_set.h"
#include "core/base/job_control.h"
#include "core/graph/build/contradicted_matches.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <vector>

namespace core {

/// Where a device's time went. Definitions (command line contract): window = first start to last
/// end of any activity; busy(X) = length of the union of X's intervals over all streams; overlap =
/// busy(comm and compute); exposedComm = busy(comm) - overlap; memOnly = copies outside both;
/// window = compute + exposedComm + memOnly + idle. exposedComm = transfer + exposedWait: while a
/// rank waits none of its data is on its way (see SliceTransfer).
struct TimeBreakdown
{
    std::int64_t windowNs = 0;
    std::int64_t computeNs = 0;
    std::int64_t commNs = 0;
    std::int64_t overlapNs = 0;
    std::int64_t exposedCommNs = 0;
    std::int64_t memOnlyNs = 0;
    std::int64_t idleNs = 0;
    /// Absent where no communication of the rank was matched with other ranks', or ranks without a
    /// recording take part in some of it: what it waits for these looks as its transfers.
    std::optional<std::int64_t> exposedWaitNs;

    std::optional<std::int64_t> exposedTransferNs() const
    {
        return exposedWaitNs ? std::optional(exposedCommNs - *exposedWaitNs) : std::nullopt;
    }
};

/// When the data of a rank's part of a collective or of its end of a message was on its way, in ns
/// from the slice's start.
struct SliceTransfer
{
    /// Until the last rank has come, or the other end is ready and what the connection carries
    /// before has gone; after the slice's end where it left its data in a buffer.
    std::int64_t beginNs = 0;
    std::int64_t endNs = 0; ///< of a message: when it had come
    std::int64_t waitNs = 0; ///< what of the slice lies before the begin
    WorkerId awaited; ///< the last one, or the other end
    bool hasUnseen = false; ///< ranks without a recording take part, and may have come later
};

/// By SliceId; collectives that were matched on several ranks (possibleCollectives()), and
/// messages.
using SliceTransfers = std::unordered_map<std::uint64_t, SliceTransfer>;
/// `measured` is the graph that was built of the trace.
SliceTransfers sliceTransfers(const Trace &trace, const Graph &measured);

/// When a device did what, in the raw clock of its worker.
struct DeviceActivity
{
    WorkerId worker;
    std::optional<int> device; ///< empty: the CPU, which trains without an accelerator
    IntervalSet compute, communication;
    IntervalSet transfer; ///< communication in which data of this rank is on its way
    IntervalSet memory;
    TimeRange window; ///< first start to last end of any activity
    /// Some communication of its worker was matched; of some, SliceTransfer::hasUnseen.
    bool isMatched = false, hasUnseen = false;

    bool areWaitsKnown() const { return isMatched && !hasUnseen; }
};

/// Every device that works, as DeviceWork tells. Sorted by worker, device.
std::vector<DeviceActivity> deviceActivities(const Trace &trace, const SliceTransfers &transfers,
                                             const JobControl &control);

/// What runs in a time that is to be divided, and nothing outside of it.
struct ActiveTimes
{
    IntervalSet compute, communication;
    IntervalSet transfer; ///< of communication, without waiting
    IntervalSet memory;
};

/// The parts of a time of that length (command line contract).
TimeBreakdown divided(const ActiveTimes &busy, std::int64_t wholeNs, bool areWaitsKnown);

/// The parts of `range` (command line contract): compute + exposedComm + memOnly + idle = range.
TimeBreakdown breakDown(const DeviceActivity &activity, const TimeRange &range);

} // namespace core
