#pragma once

#include "core/base/time_range.h"
#include "core/change/chunks/planned_chunks.h"
#include "core/graph/collectives/measured_chunks.h"
#include "core/graph/graph.h"
#include "core/measure/group_places.h"

#include <cstdint>
#include <vector>

namespace core {

/// The chunks as they were recorded, all times multiplied by `scale`; what needs no other chunk
/// comes by `delayNs` later. A chunk waits for the one
/// that its sender sent before it on its channel, and for the last one that its sender had got on
/// that channel when it was sent; what is left until then is its delay (reductions and copies on
/// the ranks). As in dPRO's, chunks of one sender and channel follow one another: one that was
/// offered while another was on its way begins when that has come. A rank without chunks of its own
/// (its peers are on its host, where nothing is recorded) is done as long after all chunks as it
/// was.
PlannedCollective plannedAsRecorded(const CollectiveNode &node, const GroupPlaces &places,
                                    const std::vector<RecordedChunk> &recorded, double scale,
                                    std::int64_t delayNs);

/// Lets no rank go before the part of the plan's time that it was seen to take of the `measured`
/// transfer: a plan lets ranks at the ends of chains go early, and backends may hold them.
void stayAsRecorded(const CollectiveNode &node, const GroupPlaces &places,
                    const TimeRange &measured, PlannedCollective &plan);

} // namespace core
