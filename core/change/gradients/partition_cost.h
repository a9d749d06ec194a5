#pragma once

#include "core/change/gradients/partition_changes.h"
#include "core/change/infeasible.h"
#include "core/fit/links/link_model.h"
#include "core/fit/links/queued_transfers.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <functional>

namespace core {

/// The default of P3 (Jayarajan et al., MLSys 2019): slices of 50,000 parameters.
inline constexpr std::uint64_t DefaultPartitionBytes = 50'000 * 4;

struct SliceLimits
{
    std::uint64_t partitionBytes = DefaultPartitionBytes; ///< of a slice
    std::uint64_t creditBytes = 0; ///< that may be under way at once; 0: what the backend takes
};

SliceLimits sliceLimits(const PartitionChanges &changes);

/// Slices that are more ops than can be replayed in seconds. Nothing else is wrong with their size:
/// a search goes on with others.
class TooManySlices : public Infeasible
{
public:
    using Infeasible::Infeasible;
};

/// Throws TooManySlices where those of these limits are. It names the smallest slices that are not.
/// `opsOf`: of all slices, by the bytes of one (1 or more); never more for larger ones.
void checkOpsOfSlices(const std::function<double(std::uint64_t)> &opsOf, const SliceLimits &limits);

/// What one slice takes of a link that serves several: its bytes' time on the line, and for how
/// long the line idles for it. That is what handing it over takes the ranks' cores, which drive the
/// line, too; and what a queue of such transfers leaves of its wait for its peers (see
/// QueuedTransfers).
struct SliceCost
{
    QueuedTransfers queue; ///< of slices of its size
    double handOverNs = 0;
    double nsPerByte = 0; ///< of the line

    double idleNs(double lineNs) const { return handOverNs + queue.idleNs(lineNs); }
    double ns(double wireBytes) const
    {
        return wireBytes * nsPerByte + idleNs(wireBytes * nsPerByte);
    }
};

/// Of a slice of `wireBytes` that is not recorded, on `link`, as many under way as the limits and
/// the backend let be, or as recorded slices were. How long it waits for its peers is known of
/// recorded transfers of another size only. Of slices' a part is known to be as long for each
/// (LinkModel::steadyLatencyNs). The rest may be as long for each, or go with the bytes that are
/// under way beside it. Which of them is not known, so it is the geometric mean of both, which is
/// wrong by the least factor: it goes with the root of bytes (LinkModel::latencyGrowth has the
/// others).
SliceCost costOfSlice(const LinkModel &model, const Device &link, const SliceLimits &limits,
                      double wireBytes);

/// Of the recorded slices, the mean.
SliceCost costOfRecordedSlices(const LinkModel &model);

} // namespace core
