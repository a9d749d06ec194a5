#include "core/change/gradients/bucket_base.h"

#include "core/change/gradients/partition_schedule.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/reduction_costs.h"
#include "core/change/graph_edits.h"
#include "core/change/unroll.h"
#include "core/graph/graph_builder.h"
#include "core/graph/without_ops.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace core {

namespace {

    StepsByIteration stepsOfIterations(const Graph &graph, const WholeIterations &whole,
                                       const std::vector<std::int32_t> &iterations)
    {
        StepsByIteration steps = stepsOf(graph, whole);
        std::erase_if(steps, [&iterations](const auto &entry) {
            return !std::binary_search(iterations.begin(), iterations.end(), entry.first);
        });
        return steps;
    }

    /// Room for all that orderWaits() may add.
    GraphRoom roomForOrder(const StepsByIteration &steps)
    {
        GraphRoom room;
        room.ops = steps.size();
        for (const auto &[iteration, ranks] : steps)
            for (const GradientStep *const step : ranks)
                room.edges += step->gradients.size()
                    + std::max(step->copyStarts.size(), step->forwards.size());
        return room;
    }

} // namespace

double sentShare(const Graph &graph, const WholeIterations &iterations)
{
    double gradients = 0, sent = 0;
    for (const GradientStep &step : graph.gradientSteps) {
        if (!iterations.contains(step.iteration))
            continue;
        for (const std::uint64_t bytes : step.parameterBytes)
            gradients += static_cast<double>(bytes);
        for (const GradientStep::Bucket &bucket : step.buckets)
            sent += static_cast<double>(graph.collectives[bucket.collective].bytes);
    }
    return gradients > 0 && sent > 0 ? sent / gradients : 1;
}

BucketBase::BucketBase(const MeasuredJob &job, const std::vector<std::int32_t> &iterations,
                       bool waitsForOwnTensors, const JobControl &control)
    : m_job(job)
    , m_iterations(iterations)
    , m_whole(wholeIterations(job.graph))
    , m_isOnDevice(!job.graph.gradientSteps.front().kernels.empty())
    , m_sentShare(core::sentShare(job.graph, m_whole))
    , m_measuredSteps(stepsOfIterations(job.graph, m_whole, iterations))
    , m_handOffs(job, stepsOf(job.graph, m_whole), control)
{
    GraphBuilder builder(job.graph, roomForOrder(m_measuredSteps), control);
    noteWhatIsKept(builder);
    if (waitsForOwnTensors)
        m_updates.emplace(job, control, builder);
    const bool needsNext = m_isOnDevice || waitsForOwnTensors;
    const std::vector<OpId> next
        = needsNext ? nextOnThread(job.graph, control) : std::vector<OpId> {};
    for (const auto &[iteration, ranks] : m_measuredSteps)
        for (const GradientStep *const step : ranks) {
            for (const GradientStep::Bucket &bucket : step->buckets)
                m_handOffs.drop(*step, bucket, next, builder);
            if (m_updates)
                m_updates->removeCopies(*step, next, builder);
        }
    if (waitsForOwnTensors)
        keepFollowing(builder);
    takeReductionsOut(builder);
    std::vector<OpId> order = orderWaits(builder);
    std::vector<OpId> newIds;
    Graph ordered = builder.build(control, &newIds);
    for (OpId &op : order)
        op = newIds[op.value];
    m_graph = std::make_shared<const Graph>(withoutOps(std::move(ordered), order));
    for (const GradientStep &step : m_graph->gradientSteps)
        m_steps[step.iteration].push_back(&step);
    m_handOffs.findSuccessors(*m_graph);
}

bool BucketBase::serves(const Graph &graph, const GradientPlan &plan) const
{
    return &graph == &m_job.graph && plan.waitsForOwnTensors == m_updates.has_value()
        && std::equal(plan.iterations.begin(), plan.iterations.end(), m_iterations.begin(),
                      m_iterations.end(), [](const auto &entry, std::int32_t iteration) {
                          return entry.first == iteration;
                      });
}

void BucketBase::noteWhatIsKept(GraphBuilder &builder) const
{
    builder.keepIterations(m_whole.unfit);
    if (!m_whole.unfit.empty())
        builder.addNote(leftOutText(m_whole, m_job.graph, m_job.trace));
    if (m_sentShare != 1)
        builder.addNote("All-reduces carry " + exactText(std::round(1000 * m_sentShare) / 10)
                        + " % of the gradients' bytes"
                        + (m_sentShare < 1 ? " (as if a communication hook compresses them)" : "")
                        + ". Others are assumed to carry as much.");
}

/// An iteration after one that stays as measured begins without partitions left over from it, as
/// the first one does: it is not counted. Others are (see partitioningObstacle()).
void BucketBase::keepFollowing(GraphBuilder &builder) const
{
    std::vector<std::int32_t> kept;
    for (std::int32_t i = 0; i < m_job.graph.iterationCount; ++i)
        if (!m_whole.contains(i) || (i > 0 && !m_whole.contains(i - 1)))
            kept.push_back(i);
    if (std::string note = followingText(kept, m_job.graph, m_job.trace); !note.empty())
        builder.addNote(std::move(note));
    builder.keepIterations(std::move(kept));
}

/// The steps that stay are those planned, without buckets; where layers wait for their own tensors
/// none are kept in the end (BucketReduction::finish()).
void BucketBase::takeReductionsOut(GraphBuilder &builder)
{
    std::set<std::size_t> dropped;
    std::vector<GradientStep> steps;
    for (const auto &[iteration, ranks] : m_measuredSteps)
        for (const GradientStep *const step : ranks) {
            for (const GradientStep::Bucket &bucket : step->buckets)
                dropped.insert(bucket.collective);
            steps.push_back(*step);
            steps.back().buckets.clear();
        }
    removeCollectives(dropped, builder);
    builder.gradientSteps() = std::move(steps);
}

/// Whatever is reduced together, gradients come before what waits for them on other ranks: so is
/// the order in which ops are numbered, and what a plan adds fits between them. Returns ops that
/// make it so, and say nothing else.
std::vector<OpId> BucketBase::orderWaits(GraphBuilder &builder) const
{
    std::vector<OpId> order;
    for (auto it = m_measuredSteps.begin(); it != m_measuredSteps.end(); ++it) {
        const RankSteps &ranks = it->second;
        OpSpec spec = builder.op(readyOp(*ranks.front(), 0));
        spec.kind = OpKind::Virtual;
        spec.durationNs = spec.delayNs = 0;
        spec.slice = NoSlice;
        for (const GradientStep *const step : ranks)
            spec.measuredStartNs
                = std::max(spec.measuredStartNs,
                           builder.op(readyOp(*step, step->gradients.size() - 1)).measuredStartNs);
        const OpId all = builder.addOp(spec);
        order.push_back(all);
        const auto following = m_measuredSteps.find(it->first + 1);
        for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
            const GradientStep &step = *ranks[rank];
            for (std::size_t p = 0; p < step.gradients.size(); ++p)
                builder.addEdge(readyOp(step, p), all, EdgeKind::Data);
            if (!m_updates) {
                for (const OpId copy : step.copyStarts)
                    builder.addEdge(all, copy, EdgeKind::Data);
            } else if (following != m_measuredSteps.end()) {
                for (const OpId use : following->second[rank]->forwards)
                    if (use != NoOp)
                        builder.addEdge(all, use, EdgeKind::Data);
            }
        }
    }
    return order;
}

std::shared_ptr<const BucketBase> bucketBase(const MeasuredJob &job, const JobControl &control)
{
    if (rebucketObstacle(job.graph))
        return nullptr;
    return std::make_shared<const BucketBase>(job, wholeIterations(job.graph).whole, false,
                                              control);
}

std::shared_ptr<const BucketBase> tensorBase(const MeasuredJob &job, const JobControl &control)
{
    if (job.graph.gradientSteps.empty() || partitioningObstacle(job.graph)
        || timesToSteadyState(job.graph) > 1)
        return nullptr;
    return std::make_shared<const BucketBase>(job, wholeIterations(job.graph).whole, true, control);
}

} // namespace core
