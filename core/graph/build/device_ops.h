#pragma once

#include "core/base/job_control.h"
#include "core/graph/build/graph_context.h"
#include "core/graph/build/host_ops.h"

#include <unordered_set>
#include <vector>

namespace core {

/// Adds a worker's device activities, stream by stream, with their launch edges. Slices in
/// `collectives` (parts of matched collectives) become ready ops without duration; their transfer
/// is added by addExchanges().
void addDeviceOps(GraphContext &context, WorkerId worker,
                  const std::unordered_set<std::uint64_t> &collectives);

/// Stream order: an op begins after the one before it on its stream; after a collective that is the
/// transfer's end.
void addStreamOrder(GraphContext &context);

/// Recorded stream waits (cuda_sync, "Stream Wait Event"): what is launched on a stream after the
/// wait begins after what was launched on the other stream before the event was recorded.
void addRecordedWaits(GraphContext &context, const JobControl &control);

/// Blocking runtime calls wait for the last op of each stream launched before them, which is before
/// the recording was begun for what a stream begins with and no call launches; a call is shortened
/// to what remained of it after that work was done.
void addBlockingCalls(GraphContext &context, const std::vector<NameTraits> &traits,
                      const JobControl &control);

} // namespace core
