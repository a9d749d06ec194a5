#pragma once

#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <cstdint>
#include <map>
#include <vector>

namespace core {

/// The calls by which DDP's backward pass hands buckets over, which take time of the host.
class GradientHandOffs
{
public:
    /// `next`: by OpId, the op behind on its thread. Throws Cancelled.
    GradientHandOffs(const PlannedJob &job, const StepsByIteration &steps,
                     const std::vector<OpId> &next, GraphBuilder &builder);

    /// The mean call of a rank; 0 where calls are not recorded.
    struct Call
    {
        std::int64_t durationNs = 0;
        std::int64_t launchNs = 0; ///< on accelerators: from its start until it has launched
        std::int64_t delayNs = 0; ///< on accelerators: least time until the launched op begins
    };
    Call callOf(WorkerId worker) const;

    /// Takes the recorded call of a bucket out of the host's time.
    void drop(const GradientStep &step, const GradientStep::Bucket &bucket);
    /// Adds a call behind the gradient, which on accelerators launches `ready` on the way.
    void add(const GradientStep &step, std::size_t parameter, OpId ready);

private:
    void findDurations();
    void findLaunches(const StepsByIteration &steps);
    void findSuccessors();
    OpId addHostOp(OpSpec spec, std::int64_t durationNs, OpId after);

    const PlannedJob &m_job;
    const std::vector<OpId> &m_next;
    GraphBuilder &m_builder;
    std::vector<Call> m_calls; ///< by WorkerId
    std::map<OpId, std::vector<OpId>> m_successors; ///< by gradient: what follows on the host
};

/// The rank's part of a collective that it takes part in.
const CollectiveNode::Part &partOf(const CollectiveNode &node, WorkerId worker);

} // namespace core
