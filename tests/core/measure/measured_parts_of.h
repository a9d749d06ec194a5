#pragma once

#include "core/measure/parts.h"

namespace tests {

/// With what the trace's own matches tell of waiting.
inline core::SliceTransfers transfersOf(const core::Trace &trace, const core::Graph &graph)
{
    return core::sliceTransfers(trace, graph, core::possibleCollectives(trace, {}));
}

inline core::PartTimes measuredPartsOf(const core::Trace &trace, const core::Graph &graph)
{
    return core::measuredParts(core::workerActivities(trace, transfersOf(trace, graph), {}), graph);
}

} // namespace tests
