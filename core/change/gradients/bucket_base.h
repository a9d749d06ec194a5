#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/gradient_hand_offs.h"
#include "core/change/gradients/gradient_plan.h"
#include "core/change/gradients/tensor_updates.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/measured_job.h"
#include "core/graph/graph.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace core {

/// Share of gradients' bytes that all-reduces carry. It is below 1 where a communication hook
/// compresses them, and 1 where the sizes of all-reduces are not recorded.
double sentShare(const Graph &graph, const WholeIterations &iterations);

/// A job of PyTorch DDP without its all-reduces: what is the same for all plans by which gradients
/// can be reduced instead. It is made once and then asked for many plans (BucketReduction), by
/// several threads if need be; links may be others each time. Refers to the measured graph and
/// trace.
class BucketBase
{
public:
    /// `iterations`: ascending; whose all-reduces are taken out, of those that are whole.
    /// `waitsForOwnTensors`: see GradientPlan; copies into and out of buckets go, too. There must
    /// be no rebucketObstacle(). Throws Cancelled.
    BucketBase(const MeasuredJob &job, const std::vector<std::int32_t> &iterations,
               bool waitsForOwnTensors, const JobControl &control);

    /// Whether it is of that graph, and the plan names its iterations.
    bool serves(const Graph &graph, const GradientPlan &plan) const;

    const MeasuredJob &job() const { return m_job; }
    /// The graph without the all-reduces; its gradient steps have no buckets.
    const std::shared_ptr<const Graph> &graph() const { return m_graph; }
    const StepsByIteration &measuredSteps() const { return m_measuredSteps; }
    const StepsByIteration &steps() const { return m_steps; } ///< of graph(), likewise
    /// Step of a rank in a planned iteration.
    TensorUpdates::Step step(std::int32_t iteration, std::size_t rank) const
    {
        return { *m_measuredSteps.at(iteration)[rank], *m_steps.at(iteration)[rank] };
    }
    bool isOnDevice() const { return m_isOnDevice; }
    double sentShare() const { return m_sentShare; }
    const GradientHandOffs &handOffs() const { return m_handOffs; }
    /// Null where layers wait for what they waited for in the recording.
    const TensorUpdates *updates() const { return m_updates ? &*m_updates : nullptr; }

private:
    void noteWhatIsKept(GraphBuilder &builder) const;
    void keepFollowing(GraphBuilder &builder) const;
    void takeReductionsOut(GraphBuilder &builder);
    std::vector<OpId> orderWaits(GraphBuilder &builder) const;

    MeasuredJob m_job;
    std::vector<std::int32_t> m_iterations;
    WholeIterations m_whole;
    bool m_isOnDevice;
    double m_sentShare;
    StepsByIteration m_measuredSteps;
    GradientHandOffs m_handOffs;
    std::optional<TensorUpdates> m_updates;
    std::shared_ptr<const Graph> m_graph;
    StepsByIteration m_steps;
};

/// The base of the job's buckets for all of its whole iterations; null where there are none that
/// could be laid out anew. Throws Cancelled.
std::shared_ptr<const BucketBase> bucketBase(const MeasuredJob &job, const JobControl &control);
/// The same where layers wait for their own tensors; null where a schedule is not of the graph but
/// of one that repeats it.
std::shared_ptr<const BucketBase> tensorBase(const MeasuredJob &job, const JobControl &control);

} // namespace core
