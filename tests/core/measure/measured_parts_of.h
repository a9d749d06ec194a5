#pragma once

#include "core/measure/parts.h"

namespace tests {

/// With what the trace's own matches tell of waiting, of any graph.
inline core::SliceTransfers transfersOf(const core::Trace &trace, core::Graph graph)
{
    std::vector<std::string> notes;
    graph.matched = std::make_shared<const std::vector<core::MatchedCollective>>(
        core::possibleCollectives(trace, core::SliceIndex(trace), notes, {}));
    return core::sliceTransfers(trace, graph);
}

inline core::PartTimes measuredPartsOf(const core::Trace &trace, const core::Graph &graph)
{
    return core::measuredParts(
        core::workerActivities(trace, core::sliceTransfers(trace, graph), {}), graph);
}

} // namespace tests
