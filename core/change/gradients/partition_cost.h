#pragma once

#include "core/change/gradients/partition_changes.h"
#include "core/change/infeasible.h"
#include "core/fit/links/link_model.h"
#include "core/fit/links/queued_transfers.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <functional>

namespace core {

struct PartitionLimits
{
    std::uint64_t partitionBytes = DefaultPartitionBytes; ///< of a partition
    std::uint64_t creditBytes = 0; ///< that may be under way at once; 0: what the backend takes
};

/// Defaults are the schedule's (ScheduleTraits), without a schedule P3's.
PartitionLimits partitionLimits(const PartitionChanges &changes);

/// Thrown where partitions are more ops than can be replayed in seconds. A search goes on with
/// other sizes.
class TooManyPartitions : public Infeasible
{
public:
    using Infeasible::Infeasible;
};

/// Throws TooManyPartitions, naming the smallest size that works, where these are too many.
/// `opsOf`: ops of all partitions, by the bytes of one (1 or more); never more for larger ones.
void checkOpsOfPartitions(const std::function<double(std::uint64_t)> &opsOf,
                          const PartitionLimits &limits);

/// Time that one partition takes of a link that serves several: its bytes' time on the line, and
/// the time for which the line idles. The line idles while ranks' cores, which drive it, hand the
/// partition over, and for the part of its wait for peers that a queue does not hide (see
/// QueuedTransfers).
struct PartitionCost
{
    QueuedTransfers queue; ///< of partitions of its size
    double handOverNs = 0;
    double nsPerByte = 0; ///< of the line

    double idleNs(double lineNs) const { return handOverNs + queue.idleNs(lineNs); }
    double ns(double wireBytes) const
    {
        return wireBytes * nsPerByte + idleNs(wireBytes * nsPerByte);
    }
};

/// Cost of a partition of `wireBytes` on `link` that is not recorded. As many are under way as the
/// limits and the backend allow, or as recorded ones were. Its wait for peers is known for recorded
/// transfers of another size only:
/// - A part of it is as long for each partition (LinkModel::steadyLatencyNs).
/// - The rest may be as long for each, or grow with the bytes under way. The geometric mean of both
///   is wrong by the least factor: it grows with the root of bytes (LinkModel::latencyGrowth).
PartitionCost costOfPartition(const LinkModel &model, const Device &link,
                              const PartitionLimits &limits, double wireBytes);

/// Mean cost of the recorded partitions.
PartitionCost costOfRecordedPartitions(const LinkModel &model);

} // namespace core
