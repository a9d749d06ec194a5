#pragma once

#include "core/base/job_control.h"
#include "core/change/settings.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <set>
#include <vector>

namespace core {

/// The ranks between which a collective's or message's transfer is, ascending; of those that are
/// recorded.
std::vector<int> ranksOf(const CollectiveNode &node, const Trace &trace);

/// The sets of two ranks or more between which transfers are: what `comm_scale:RANKS` can name.
std::set<std::vector<int>> transferringRanks(const Graph &graph, const Trace &trace);

/// The factor on the time of this transfer: that of its own ranks, else that of all.
double commScaleOf(const CollectiveNode &node, const Trace &trace,
                   const ScenarioSettings &settings);

/// The graph with the time of transfers as `commScale` and `commScaleOf` want it. Throws Error
/// where no transfer is between the ranks that are named, naming those between which some are.
Graph withCommScale(const Graph &graph, const Trace &trace, const ScenarioSettings &settings,
                    const JobControl &control = {});

} // namespace core
