#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/measured_job.h"
#include "core/graph/graph.h"
#include "core/graph/graph_additions.h"
#include "core/graph/graph_builder.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// The calls by which DDP's backward pass hands buckets over, which take time of the host.
class GradientHandOffs
{
public:
    /// `steps`: the job's, that are reduced otherwise. Throws Cancelled.
    GradientHandOffs(const MeasuredJob &job, const StepsByIteration &steps,
                     const JobControl &control);

    /// The mean call of a rank; 0 where calls are not recorded.
    struct Call
    {
        std::int64_t durationNs = 0;
        std::int64_t launchNs = 0; ///< on accelerators: from its start until it has launched
        std::int64_t delayNs = 0; ///< on accelerators: least time until the launched op begins
    };
    Call callOf(WorkerId worker) const;

    /// Takes the recorded call of a bucket out of the host's time. `next`: by OpId, the op behind
    /// on its thread.
    void drop(const GradientStep &step, const GradientStep::Bucket &bucket,
              const std::vector<OpId> &next, GraphBuilder &builder) const;

    /// Finds what follows gradients in a graph to which calls are added.
    void findSuccessors(const Graph &graph);
    /// Adds a call behind a gradient of that graph, which on accelerators launches `ready` on the
    /// way.
    void add(const GradientStep &step, std::size_t parameter, OpId ready,
             GraphAdditions &additions) const;

private:
    void findDurations(const MeasuredJob &job, const JobControl &control);
    void findLaunches(const MeasuredJob &job, const StepsByIteration &steps,
                      const JobControl &control);
    std::span<const OpId> successorsOf(OpId gradient) const;

    std::vector<Call> m_calls; ///< by WorkerId
    std::vector<std::uint32_t> m_offset; ///< by OpId, of m_successors
    std::vector<OpId> m_successors; ///< of gradients: what follows on the host
};

/// The rank's part of a collective that it takes part in.
const CollectiveNode::Part &partOf(const CollectiveNode &node, WorkerId worker);

} // namespace core
