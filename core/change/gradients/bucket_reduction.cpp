#include "core/change/gradients/bucket_reduction.h"

#include "core/change/graph_edits.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace core {

namespace {

    constexpr double LargestBytes = 9e18; ///< a damaged trace may state more than 64 bits hold

    std::uint64_t groupBytes(const GradientStep &step, const GradientGroup &group)
    {
        const auto begin
            = step.parameterBytes.begin() + static_cast<std::ptrdiff_t>(group.firstTensor);
        return std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(group.tensorCount),
                               std::uint64_t { 0 });
    }

    /// At most.
    std::size_t pieceCount(const GradientGroup &group, std::uint64_t bytes)
    {
        return group.partitionBytes == 0 ? 1 : std::size_t { bytes / group.partitionBytes + 1 };
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

/// An all-reduce has an arrival, a transfer, and each rank's ready op, which has two edges; each
/// rank's update waits for it.
GraphRoom roomOfBuckets(const PlannedJob &job)
{
    std::size_t pieces = 0, tensors = 0;
    for (const GradientStep &step : job.graph.gradientSteps) {
        const auto groups = job.plan.iterations.find(step.iteration);
        if (groups == job.plan.iterations.end() || step.worker != WorkerId(0))
            continue;
        tensors += step.parameterBytes.size();
        for (const GradientGroup &group : groups->second)
            pieces += pieceCount(group, groupBytes(step, group));
    }
    const std::size_t ops = pieces * (2 + job.graph.workerCount())
        + (job.plan.waitsForOwnTensors ? tensors * job.graph.workerCount() : 0);
    return { ops, 3 * ops, pieces };
}

BucketReduction::BucketReduction(const PlannedJob &job, GraphBuilder &builder)
    : m_job(job)
    , m_builder(builder)
    , m_isOnDevice(!job.graph.gradientSteps.front().kernels.empty())
    , m_whole(wholeIterations(job.graph))
    , m_iterations(stepsOf(job.graph, m_whole))
    , m_sentShare(sentShare(job.graph, m_whole))
    , m_next(m_isOnDevice || job.plan.waitsForOwnTensors ? nextOnThread(job.graph, job.control)
                                                         : std::vector<OpId> {})
    , m_costs(job)
    , m_handOffs(job, m_iterations, m_next, builder)
{
    noteWhatIsKept();
    if (job.plan.waitsForOwnTensors)
        m_updates.emplace(job, m_next, builder);
}

void BucketReduction::noteWhatIsKept()
{
    m_builder.keepIterations(m_whole.unfit);
    if (!m_whole.unfit.empty())
        m_builder.addNote(leftOutText(m_whole, m_job.graph, m_job.trace));
    if (m_sentShare != 1)
        m_builder.addNote("All-reduces carry " + exactText(std::round(1000 * m_sentShare) / 10)
                          + " % of the gradients' bytes"
                          + (m_sentShare < 1 ? " (as if a communication hook compresses them)" : "")
                          + ". Others are assumed to carry as much.");
}

void BucketReduction::begin(std::int32_t iteration)
{
    m_ranks = &m_iterations.at(iteration);
    for (const GradientStep *step : *m_ranks) {
        for (const GradientStep::Bucket &bucket : step->buckets) {
            m_dropped.insert(bucket.collective);
            m_handOffs.drop(*step, bucket);
        }
        if (m_updates) {
            m_updates->removeCopies(*step);
        } else {
            m_rewritten.push_back(*step);
            m_rewritten.back().buckets.clear();
        }
    }
}

std::uint64_t BucketReduction::bytesOf(const GradientGroup &group) const
{
    return groupBytes(*m_ranks->front(), group);
}

std::size_t BucketReduction::addPiece(const GradientGroup &group, std::size_t /*piece*/,
                                      std::uint64_t bytes)
{
    const std::size_t last = group.firstTensor + group.tensorCount - 1;
    const std::size_t index = addReduction(last, bytes);
    const CollectiveNode &node = m_builder.collectives()[index];
    if (group.partitionBytes == 0)
        hideLatency(node);
    else
        setPartitionsTime(group, node);
    if (m_updates && m_isOnDevice)
        sendFromThreads(group, node);
    for (std::size_t rank = 0; !m_updates && rank < m_ranks->size(); ++rank)
        m_handOffs.add(*(*m_ranks)[rank], last, node.parts[rank].ready);
    return index;
}

std::size_t BucketReduction::addReduction(std::size_t parameter, std::uint64_t gradientBytes)
{
    const std::uint64_t bytes = m_sentShare == 1
        ? gradientBytes
        : static_cast<std::uint64_t>(
            std::min(m_sentShare * static_cast<double>(gradientBytes), LargestBytes));
    const std::size_t index = m_builder.collectives().size();
    const GradientStep &first = *m_ranks->front();
    const ReductionCosts::Fit &fit = m_costs.fitOf(first, bytes);
    const CollectiveNode &model = *fit.measured;
    CollectiveNode node;
    node.name = model.name;
    node.group = model.group;
    node.statedRanks = model.statedRanks;
    node.algorithm = model.algorithm;
    node.chosenAlgorithm = fit.chosenAlgorithm;
    node.iteration = model.iteration;
    node.bytes = bytes;
    node.sequence = index;
    node.parts.reserve(m_ranks->size());
    OpSpec arrival = m_builder.op(model.arrival);
    OpSpec transfer = m_builder.op(model.transfer);
    const OpSpec readied = m_builder.op(readyOp(first, parameter));
    arrival.measuredStartNs = transfer.measuredStartNs = readied.measuredStartNs;
    if (m_isOnDevice)
        arrival.iteration = transfer.iteration = readied.iteration;
    transfer.slice = NoSlice;
    transfer.durationNs = fit.durationNs;
    transfer.bytes = bytes;
    arrival.delayNs += m_costs.unseenWaitNs(first, parameter);
    transfer.delayNs = 0;
    node.arrival = m_builder.addOp(arrival);
    node.transfer = m_builder.addOp(transfer);
    m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
    for (const GradientStep *step : *m_ranks)
        node.parts.push_back(addPart(*step, node, parameter));
    m_builder.addCollective(std::move(node));
    return index;
}

CollectiveNode::Part BucketReduction::addPart(const GradientStep &step, const CollectiveNode &node,
                                              std::size_t parameter)
{
    CollectiveNode::Part part
        = partOf(m_job.graph.collectives[step.buckets.front().collective], step.worker);
    const OpId last = readyOp(step, parameter);
    const OpSpec readied = m_builder.op(last);
    OpSpec ready = m_builder.op(part.ready);
    ready.slice = NoSlice;
    ready.delayNs = 0;
    ready.measuredStartNs = readied.measuredStartNs;
    if (m_isOnDevice) {
        ready.delayNs = m_handOffs.callOf(step.worker).delayNs;
        ready.iteration = readied.iteration;
    }
    part.slice = NoSlice;
    part.startNs = part.endNs = ready.measuredStartNs;
    part.ready = m_builder.addOp(ready);
    m_builder.addEdge(last, part.ready, m_isOnDevice ? EdgeKind::Sync : EdgeKind::Data);
    m_builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
    return part;
}

/// Others can use the link during the latency: it is the transfer's delay.
void BucketReduction::hideLatency(const CollectiveNode &node)
{
    OpSpec &transfer = m_builder.op(node.transfer);
    transfer.delayNs = std::min(transfer.durationNs, m_costs.hiddenLatencyNs(transfer.device));
    transfer.durationNs -= transfer.delayNs;
}

void BucketReduction::setPartitionsTime(const GradientGroup &group, const CollectiveNode &node)
{
    OpSpec &transfer = m_builder.op(node.transfer);
    transfer.durationNs = m_costs
                              .partitionNs(transfer.device, node.bytes,
                                           { group.partitionBytes, m_job.plan.creditBytes })
                              .value_or(transfer.durationNs);
}

/// Launching an all-reduce takes a host's thread some time, which many partitions add up.
void BucketReduction::sendFromThreads(const GradientGroup &group, const CollectiveNode &node)
{
    for (const CollectiveNode::Part &part : node.parts) {
        OpSpec &ready = m_builder.op(part.ready);
        ready.device = deviceOf(m_senders, part.worker, "partitions' sender", m_builder);
        ready.kind = OpKind::Host;
        ready.durationNs = m_handOffs.callOf(part.worker).durationNs;
        ready.priority = group.priority;
        if (m_job.plan.isByPriority)
            m_builder.device(ready.device).discipline = Discipline::Priority;
    }
}

void BucketReduction::addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces)
{
    if (m_updates) {
        addUpdates(group, pieces);
        return;
    }
    GradientStep *rewritten = &m_rewritten[m_rewritten.size() - m_ranks->size()];
    for (const std::size_t piece : pieces)
        for (std::size_t rank = 0; rank < m_ranks->size(); ++rank) {
            m_builder.addEdge(m_builder.collectives()[piece].transfer,
                              (*m_ranks)[rank]->copyStarts[group.firstTensor], EdgeKind::Sync);
            rewritten[rank].buckets.push_back({ piece, group.firstTensor, group.tensorCount });
        }
}

void BucketReduction::addUpdates(const GradientGroup &group, const std::vector<std::size_t> &pieces)
{
    std::vector<OpId> transfers;
    transfers.reserve(pieces.size());
    for (const std::size_t piece : pieces)
        transfers.push_back(m_builder.collectives()[piece].transfer);
    const auto next = m_iterations.find(m_ranks->front()->iteration + 1);
    for (std::size_t i = 0; i < group.tensorCount; ++i)
        for (std::size_t rank = 0; rank < m_ranks->size(); ++rank)
            m_updates->add(*(*m_ranks)[rank], group.firstTensor + i, transfers,
                           next == m_iterations.end() ? nullptr : next->second[rank]);
}

void BucketReduction::finish()
{
    if (m_updates)
        keepFollowing();
    const std::vector<std::size_t> newIndex = removeCollectives(m_dropped, m_builder);
    for (GradientStep &step : m_rewritten)
        for (GradientStep::Bucket &bucket : step.buckets)
            bucket.collective = newIndex[bucket.collective];
    m_builder.gradientSteps() = std::move(m_rewritten);
}

/// An iteration after one that stays as measured begins without partitions left over from it, as
/// the first one does: it is not counted. Others are (see partitioningObstacle()).
void BucketReduction::keepFollowing()
{
    std::vector<std::int32_t> kept;
    for (std::int32_t i = 0; i < m_job.graph.iterationCount; ++i)
        if (!m_iterations.contains(i) || (i > 0 && !m_iterations.contains(i - 1)))
            kept.push_back(i);
    if (std::string note = followingText(kept, m_job.graph, m_job.trace); !note.empty())
        m_builder.addNote(std::move(note));
    m_builder.keepIterations(std::move(kept));
}

} // namespace core
