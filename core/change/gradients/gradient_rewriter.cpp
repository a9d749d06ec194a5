#include "core/change/gradients/gradient_rewriter.h"

#include "core/change/gradients/bucket_reduction.h"
#include "core/change/gradients/partition_reduction.h"

namespace core {

namespace {

    void addGroup(const GradientGroup &group, const JobControl &control,
                  MeasuredReduction &reduction)
    {
        std::vector<std::size_t> pieces;
        std::uint64_t leftBytes = reduction.bytesOf(group);
        do {
            throwIfCancelled(control);
            const GradientPiece piece = pieceOf(group, pieces.size(), leftBytes);
            pieces.push_back(reduction.addPiece(group, pieces.size(), piece));
            leftBytes -= piece.bytes;
        } while (leftBytes > 0);
        reduction.addWaits(group, pieces);
    }

    Graph reducedBy(MeasuredReduction &reduction, const PlannedJob &job)
    {
        for (const auto &[iteration, groups] : job.plan.iterations) {
            reduction.begin(iteration);
            for (const GradientGroup &group : groups)
                addGroup(group, job.control, reduction);
            reduction.end();
        }
        return reduction.finish();
    }

    std::vector<std::int32_t> iterationsOf(const GradientPlan &plan)
    {
        std::vector<std::int32_t> iterations;
        iterations.reserve(plan.iterations.size());
        for (const auto &entry : plan.iterations)
            iterations.push_back(entry.first);
        return iterations;
    }

} // namespace

Graph withGradientPlan(const PlannedJob &job)
{
    if (job.graph.gradientSteps.empty()) {
        PartitionReduction reduction(job);
        return reducedBy(reduction, job);
    }
    if (job.base != nullptr && job.base->serves(job.graph, job.plan)) {
        BucketReduction reduction(job, *job.base);
        return reducedBy(reduction, job);
    }
    const BucketBase base(job.measured(), iterationsOf(job.plan), job.plan.waitsForOwnTensors,
                          job.control);
    BucketReduction reduction(job, base);
    return reducedBy(reduction, job);
}

} // namespace core
