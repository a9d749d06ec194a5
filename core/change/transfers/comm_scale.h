#pragma once

#include "core/base/job_control.h"
#include "core/change/change.h"
#include "core/change/measured_job.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// The ranks between which a collective's or message's transfer is, ascending; of those that are
/// recorded.
std::vector<int> ranksOf(const CollectiveNode &node, const Trace &trace);

/// The sets of two ranks or more between which transfers are: what `comm_scale:RANKS` can name.
std::set<std::vector<int>> transferringRanks(const Graph &graph, const Trace &trace);

inline constexpr std::string_view CommScaleKey = "comm_scale";

/// Factors on the time of transfers.
struct CommScale
{
    std::optional<double> ofAll;
    /// By ranks, ascending, two or more: of transfers between just these, instead of ofAll.
    std::map<std::vector<int>, double> ofRanks;

    bool isNone() const { return !ofAll && ofRanks.empty(); }
    /// That of the transfer's own ranks, else that of all.
    double of(const CollectiveNode &node, const Trace &trace) const;
};

CommScale commScale(const Strategy &strategy);

/// Why no transfer is between just these ranks, naming those between which some are; empty where
/// some is, and of no ranks.
std::optional<std::string> transferringObstacle(const MeasuredJob &job,
                                                const std::vector<int> &ranks);

/// The graph with the time of transfers times their factors. Throws Cancelled.
Graph withCommScale(const Graph &graph, const Trace &trace, const CommScale &scale,
                    const JobControl &control = {});

} // namespace core
