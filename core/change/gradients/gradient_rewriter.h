#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/gradient_plan.h"
#include "core/change/measured_job.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace core {

class BucketBase;

/// A plan, and the recorded job that it is applied to.
struct PlannedJob
{
    const Graph &graph;
    const Trace &trace;
    const LinkModels &links;
    const GradientPlan &plan;
    const JobControl &control;
    const BucketBase *base = nullptr; ///< that was made before; null: none

    MeasuredJob measured() const { return { trace, graph, links }; }
};

/// How a plan's all-reduces go over links: each as urgent as its piece, and behind the group before
/// where the plan says so. `graph` adds them: GraphAdditions or a GraphBuilder.
class SendingOrder
{
public:
    void beginIteration() { m_before = NoOp; }

    template <class EditedGraph>
    void add(const GradientGroup &group, const GradientPiece &piece, const CollectiveNode &node,
             EditedGraph &graph)
    {
        graph.op(node.arrival).delayNs += group.delayNs;
        if (group.isAfterGroupBefore && m_before != NoOp)
            graph.addEdge(m_before, node.arrival, EdgeKind::Sync);
        m_before = node.transfer;
        auto &transfer = graph.op(node.transfer);
        transfer.priority = piece.priority;
        m_links.insert(transfer.device);
    }

    /// Lets the links serve by the plan's priorities and within its credit.
    template <class EditedGraph>
    void setLinks(const GradientPlan &plan, EditedGraph &graph) const
    {
        for (const DeviceId id : m_links) {
            Device &link = graph.device(id);
            link.discipline = plan.isByPriority ? Discipline::Priority : Discipline::Shared;
            link.creditBytes = plan.creditBytes;
        }
    }

private:
    std::set<DeviceId> m_links;
    OpId m_before = NoOp; ///< the transfer before, in the iteration
};

/// How the recorded job reduces its gradients: what hands an all-reduce over, what it costs, and
/// what waits for it. The rewriter calls begin() and end() for each iteration, addPiece() for each
/// all-reduce of a group, addWaits() after a group's last one, and finish() once.
class MeasuredReduction
{
public:
    virtual ~MeasuredReduction() = default;
    /// Begins an iteration: all calls until end() are about it.
    virtual void begin(std::int32_t iteration) = 0;
    /// Bytes of the group's gradients.
    virtual std::uint64_t bytesOf(const GradientGroup &group) const = 0;
    /// Adds the all-reduce that is the group's `index`-th, and returns a number for it. Throws
    /// Error where no transfer of the trace tells its cost.
    virtual std::size_t addPiece(const GradientGroup &group, std::size_t index,
                                 const GradientPiece &piece)
        = 0;
    /// Lets what needs the group's gradients wait for `pieces`.
    virtual void addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces) = 0;
    /// The iteration's groups are all there.
    virtual void end() { }
    /// The graph in which gradients are reduced so. Throws Cancelled.
    virtual Graph finish() = 0;
};

/// The graph with gradients reduced as the job's plan says: new all-reduces take the place of the
/// measured ones. Iterations that the plan does not name stay as measured. There must be no
/// reductionCostObstacle(). Throws Error where the cost of an all-reduce is not known; Cancelled.
Graph withGradientPlan(const PlannedJob &job);

} // namespace core
