#include "core/change/gradients/gradient_rewriter.h"

#include "core/change/gradients/bucket_reduction.h"
#include "core/change/gradients/partition_reduction.h"

#include <memory>
#include <set>

namespace core {

namespace {

    class GradientRewriter
    {
    public:
        explicit GradientRewriter(const PlannedJob &job)
            : m_job(job)
            , m_builder(job.graph, roomOfBuckets(job), job.control)
        {
            if (job.graph.gradientSteps.empty())
                m_reduction = std::make_unique<PartitionReduction>(job, m_builder);
            else
                m_reduction = std::make_unique<BucketReduction>(job, m_builder);
        }

        Graph rewrite()
        {
            for (const auto &[iteration, groups] : m_job.plan.iterations) {
                m_reduction->begin(iteration);
                m_before = NoOp;
                for (const GradientGroup &group : groups)
                    addGroup(group);
            }
            for (const DeviceId id : m_links) {
                Device &link = m_builder.device(id);
                link.discipline
                    = m_job.plan.isByPriority ? Discipline::Priority : Discipline::Shared;
                link.creditBytes = m_job.plan.creditBytes;
            }
            m_reduction->finish();
            return m_builder.build(m_job.control);
        }

    private:
        void addGroup(const GradientGroup &group)
        {
            std::vector<std::size_t> pieces;
            std::uint64_t leftBytes = m_reduction->bytesOf(group);
            do {
                throwIfCancelled(m_job.control);
                const std::uint64_t bytes = nextPieceBytes(group, leftBytes);
                pieces.push_back(m_reduction->addPiece(group, pieces.size(), bytes));
                schedule(group, m_builder.collectives()[pieces.back()]);
                leftBytes -= bytes;
            } while (leftBytes > 0);
            m_reduction->addWaits(group, pieces);
        }

        void schedule(const GradientGroup &group, const CollectiveNode &piece)
        {
            m_builder.op(piece.arrival).delayNs += group.delayNs;
            if (group.isAfterGroupBefore && m_before != NoOp)
                m_builder.addEdge(m_before, piece.arrival, EdgeKind::Sync);
            m_before = piece.transfer;
            OpSpec &transfer = m_builder.op(piece.transfer);
            transfer.priority = group.priority;
            m_links.insert(transfer.device);
        }

        const PlannedJob &m_job;
        GraphBuilder m_builder;
        std::unique_ptr<MeasuredReduction> m_reduction;
        OpId m_before = NoOp; ///< the transfer before, in the iteration
        std::set<DeviceId> m_links; ///< of the plan's all-reduces
    };

} // namespace

Graph withGradientPlan(const PlannedJob &job)
{
    return GradientRewriter(job).rewrite();
}

} // namespace core
