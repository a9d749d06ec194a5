#pragma once

#include "core/change/gradients/gradient_hand_offs.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/reduction_costs.h"
#include "core/change/gradients/tensor_updates.h"
#include "core/change/gradients/whole_iterations.h"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace core {

/// Share of gradients' bytes that all-reduces carry. It is below 1 where a communication hook
/// compresses them, and 1 where the sizes of all-reduces are not recorded.
double sentShare(const Graph &graph, const WholeIterations &iterations);

/// Room for the plan's all-reduces, where gradients were reduced in buckets; else none.
GraphRoom roomOfBuckets(const PlannedJob &job);

/// The reduction in PyTorch DDP's buckets (Graph::gradientSteps). The backward pass hands groups
/// over, and the copy-out of a group's first gradient waits for it. Where the plan lets layers wait
/// for their own tensors, copies go, and a thread of its own hands over. Iterations that are not
/// whole (WholeIterations) stay as they are, and a note says so.
class BucketReduction : public MeasuredReduction
{
public:
    BucketReduction(const PlannedJob &job, GraphBuilder &builder);

    void begin(std::int32_t iteration) override;
    std::uint64_t bytesOf(const GradientGroup &group) const override;
    std::size_t addPiece(const GradientGroup &group, std::size_t piece,
                         std::uint64_t bytes) override;
    void addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces) override;
    void finish() override;

private:
    void noteWhatIsKept();
    /// Adds an all-reduce that each rank is ready for when the gradient of `parameter` is; it takes
    /// the fitted alpha + beta * bytes, and begins as late as ranks without a recording let it.
    std::size_t addReduction(std::size_t parameter, std::uint64_t bytes);
    CollectiveNode::Part addPart(const GradientStep &step, const CollectiveNode &node,
                                 std::size_t parameter);
    void hideLatency(const CollectiveNode &node);
    void setPartitionsTime(const GradientGroup &group, const CollectiveNode &node);
    void sendFromThreads(const GradientGroup &group, const CollectiveNode &node);
    void addUpdates(const GradientGroup &group, const std::vector<std::size_t> &pieces);
    void keepFollowing();

    const PlannedJob &m_job;
    GraphBuilder &m_builder;
    const bool m_isOnDevice;
    const WholeIterations m_whole;
    const StepsByIteration m_iterations; ///< those that are whole
    const double m_sentShare;
    std::vector<OpId> m_next; ///< by OpId: the op behind on its thread; empty where not needed
    ReductionCosts m_costs;
    GradientHandOffs m_handOffs;
    std::optional<TensorUpdates> m_updates; ///< where layers wait for their own tensors
    std::map<WorkerId, DeviceId> m_senders;
    std::set<std::size_t> m_dropped; ///< indices of measured collectives
    std::vector<GradientStep> m_rewritten; ///< by iteration, then rank
    const RankSteps *m_ranks = nullptr; ///< of the iteration that begin() named
};

} // namespace core
