#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace core {

/// Consecutive parameters, in the order of readiness, that are reduced together.
struct ReductionGroup
{
    std::size_t parameterCount = 0;
    /// From when all ranks are ready, and that of the group before is over where this one waits for
    /// it, until the all-reduce may start.
    std::int64_t delayNs = 0;
    bool isAfterGroupBefore = false; ///< one at a time, as through one buffer
};

/// The groups of one iteration, which hold all of its parameters.
using GroupsOfStep = std::function<std::vector<ReductionGroup>(const GradientRewriter::Steps &)>;

/// The graph with gradients reduced in other groups: each is handed over when its last gradient is
/// ready, and waited for before its first copy-out. A transfer takes the fitted alpha + beta *
/// bytes.
Graph withReductionGroups(const Graph &graph, const Trace &trace, const LinkModels &links,
                          const GroupsOfStep &groupsOf, const JobControl &control);

} // namespace core
