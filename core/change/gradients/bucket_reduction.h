#pragma once

#include "core/change/gradients/bucket_base.h"
#include "core/change/gradients/gradient_rewriter.h"
#include "core/change/gradients/reduction_costs.h"
#include "core/graph/graph_additions.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace core {

/// The reduction in PyTorch DDP's buckets (Graph::gradientSteps). The backward pass hands groups
/// over, and the copy-out of a group's first gradient waits for it. Where the plan lets layers wait
/// for their own tensors, copies go, and a thread of its own hands over. Iterations that are not
/// whole (WholeIterations) stay as they are, and a note says so.
class BucketReduction : public MeasuredReduction
{
public:
    /// `base` serves the plan.
    BucketReduction(const PlannedJob &job, const BucketBase &base);

    void begin(std::int32_t iteration) override;
    std::uint64_t bytesOf(const GradientGroup &group) const override;
    std::size_t addPiece(const GradientGroup &group, std::size_t index,
                         const GradientPiece &piece) override;
    void addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces) override;
    void end() override;
    Graph finish() override;

private:
    /// Adds an all-reduce that each rank is ready for when the gradient of `parameter` is; it takes
    /// the fitted alpha + beta * bytes, and begins as late as ranks without a recording let it.
    std::size_t addReduction(std::size_t parameter, std::uint64_t bytes);
    CollectiveNode::Part addPart(std::size_t rank, const CollectiveNode &node,
                                 std::size_t parameter);
    void hideLatency(const CollectiveNode &node);
    void setPartitionsTime(const GradientGroup &group, const CollectiveNode &node);
    void sendFromThreads(std::int32_t priority, const CollectiveNode &node);
    void letWait(const GradientGroup &group, const std::vector<std::size_t> &pieces);
    void addUpdates(const GradientGroup &group, const std::vector<std::size_t> &pieces);

    const PlannedJob &m_job;
    const BucketBase &m_base;
    GraphAdditions m_additions;
    ReductionCosts m_costs;
    TensorUpdates::Threads m_updaters;
    std::map<WorkerId, DeviceId> m_senders;
    SendingOrder m_order;
    /// Groups of the iteration in halves, and their first halves.
    std::vector<std::pair<const GradientGroup *, std::vector<std::size_t>>> m_scattered;
    std::int32_t m_iteration = 0; ///< that begin() named
    const RankSteps *m_ranks = nullptr; ///< as measured, of it
    std::size_t m_firstStep = 0; ///< of it, among the gradient steps
};

} // namespace core
