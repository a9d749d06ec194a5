#include "core/change/gradients/bucket_reduction.h"

#include "core/change/gradients/all_reduce_halves.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

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

} // namespace

BucketReduction::BucketReduction(const PlannedJob &job, const BucketBase &base)
    : m_job(job)
    , m_base(base)
    , m_additions(base.graph())
    , m_costs(job.measured())
{
}

void BucketReduction::begin(std::int32_t iteration)
{
    m_iteration = iteration;
    m_ranks = &m_base.measuredSteps().at(iteration);
    m_firstStep = static_cast<std::size_t>(m_base.steps().at(iteration).front()
                                           - m_base.graph()->gradientSteps.data());
    m_order.beginIteration();
}

std::uint64_t BucketReduction::bytesOf(const GradientGroup &group) const
{
    return groupBytes(*m_ranks->front(), group);
}

std::size_t BucketReduction::addPiece(const GradientGroup &group, std::size_t /*index*/,
                                      const GradientPiece &piece)
{
    const std::size_t last = group.firstTensor + group.tensorCount - 1;
    const std::size_t index = addReduction(last, piece.bytes);
    const CollectiveNode &node = m_additions.collectives()[index];
    if (group.partitionBytes == 0)
        hideLatency(node);
    else
        setPartitionsTime(group, node);
    if (m_base.updates() != nullptr && m_base.isOnDevice())
        sendFromThreads(piece.priority, node);
    for (std::size_t rank = 0; m_base.updates() == nullptr && rank < m_ranks->size(); ++rank)
        m_base.handOffs().add(m_base.step(m_iteration, rank).added, last, node.parts[rank].ready,
                              m_additions);
    m_order.add(group, piece, node, m_additions);
    return index;
}

std::size_t BucketReduction::addReduction(std::size_t parameter, std::uint64_t gradientBytes)
{
    const Graph &measured = m_base.job().graph;
    const std::uint64_t bytes = m_base.sentShare() == 1
        ? gradientBytes
        : static_cast<std::uint64_t>(
            std::min(m_base.sentShare() * static_cast<double>(gradientBytes), LargestBytes));
    const std::size_t index = m_additions.collectives().size();
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
    node.sequence = measured.collectives.size() + index;
    node.parts.reserve(m_ranks->size());
    OpSpec arrival = specOf(measured, model.arrival);
    OpSpec transfer = specOf(measured, model.transfer);
    const std::uint32_t readied = readyOp(first, parameter).value;
    arrival.measuredStartNs = transfer.measuredStartNs = measured.measuredStartNs[readied];
    if (m_base.isOnDevice())
        arrival.iteration = transfer.iteration = measured.iteration[readied];
    transfer.slice = NoSlice;
    transfer.durationNs = fit.durationNs;
    transfer.bytes = bytes;
    arrival.delayNs += m_costs.unseenWaitNs(first, parameter);
    transfer.delayNs = 0;
    node.arrival = m_additions.addOp(arrival);
    node.transfer = m_additions.addOp(transfer);
    m_additions.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
    for (std::size_t rank = 0; rank < m_ranks->size(); ++rank)
        node.parts.push_back(addPart(rank, node, parameter));
    m_additions.addCollective(std::move(node));
    return index;
}

CollectiveNode::Part BucketReduction::addPart(std::size_t rank, const CollectiveNode &node,
                                              std::size_t parameter)
{
    const Graph &measured = m_base.job().graph;
    const TensorUpdates::Step step = m_base.step(m_iteration, rank);
    CollectiveNode::Part part = partOf(
        measured.collectives[step.measured.buckets.front().collective], step.measured.worker);
    const std::uint32_t readied = readyOp(step.measured, parameter).value;
    OpSpec ready = specOf(measured, part.ready);
    ready.slice = NoSlice;
    ready.delayNs = 0;
    ready.measuredStartNs = measured.measuredStartNs[readied];
    if (m_base.isOnDevice()) {
        ready.delayNs = m_base.handOffs().callOf(step.measured.worker).delayNs;
        ready.iteration = measured.iteration[readied];
    }
    part.slice = NoSlice;
    part.startNs = part.endNs = ready.measuredStartNs;
    part.ready = m_additions.addOp(ready);
    m_additions.addEdge(readyOp(step.added, parameter), part.ready,
                        m_base.isOnDevice() ? EdgeKind::Sync : EdgeKind::Data);
    m_additions.addEdge(part.ready, node.arrival, EdgeKind::Collective);
    return part;
}

/// Others can use the link during the latency: it is the transfer's delay.
void BucketReduction::hideLatency(const CollectiveNode &node)
{
    OpSpec &transfer = m_additions.op(node.transfer);
    transfer.delayNs = std::min(transfer.durationNs, m_costs.hiddenLatencyNs(transfer.device));
    transfer.durationNs -= transfer.delayNs;
}

void BucketReduction::setPartitionsTime(const GradientGroup &group, const CollectiveNode &node)
{
    OpSpec &transfer = m_additions.op(node.transfer);
    transfer.durationNs = m_costs
                              .partitionNs(transfer.device, node.bytes,
                                           { group.partitionBytes, m_job.plan.creditBytes })
                              .value_or(transfer.durationNs);
}

/// Launching an all-reduce takes a host's thread some time, which many partitions add up.
void BucketReduction::sendFromThreads(std::int32_t priority, const CollectiveNode &node)
{
    for (const CollectiveNode::Part &part : node.parts) {
        OpSpec &ready = m_additions.op(part.ready);
        ready.device = deviceOf(m_senders, part.worker, "partitions' sender", m_additions);
        ready.kind = OpKind::Host;
        ready.durationNs = m_base.handOffs().callOf(part.worker).durationNs;
        ready.priority = priority;
        if (m_job.plan.isByPriority)
            m_additions.device(ready.device).discipline = Discipline::Priority;
    }
}

void BucketReduction::addWaits(const GradientGroup &group, const std::vector<std::size_t> &pieces)
{
    if (group.isInHalves)
        m_scattered.emplace_back(&group, pieces);
    else
        letWait(group, pieces);
}

/// Gradients wait for the second halves.
void BucketReduction::end()
{
    if (m_scattered.empty())
        return;
    const AllReduceHalves halves(m_scattered.front().second.front(), m_additions);
    for (const auto &[group, pieces] : m_scattered)
        for (const std::size_t piece : pieces)
            halves.scatter(piece);
    for (auto &[group, pieces] : m_scattered) {
        for (std::size_t &piece : pieces)
            piece = halves.addGather(piece, group->gatherPriority);
        letWait(*group, pieces);
    }
    m_scattered.clear();
}

void BucketReduction::letWait(const GradientGroup &group, const std::vector<std::size_t> &pieces)
{
    if (m_base.updates() != nullptr) {
        addUpdates(group, pieces);
        return;
    }
    const std::size_t before = m_base.graph()->collectives.size();
    for (const std::size_t piece : pieces)
        for (std::size_t rank = 0; rank < m_ranks->size(); ++rank) {
            m_additions.addEdge(m_additions.collectives()[piece].transfer,
                                m_base.step(m_iteration, rank).added.copyStarts[group.firstTensor],
                                EdgeKind::Sync);
            m_additions.gradientSteps()[m_firstStep + rank].buckets.push_back(
                { before + piece, group.firstTensor, group.tensorCount });
        }
}

void BucketReduction::addUpdates(const GradientGroup &group, const std::vector<std::size_t> &pieces)
{
    const bool isLast = !m_base.steps().contains(m_iteration + 1);
    for (std::size_t i = 0; i < group.tensorCount; ++i)
        for (std::size_t rank = 0; rank < m_ranks->size(); ++rank) {
            std::optional<TensorUpdates::Step> following;
            if (!isLast)
                following.emplace(m_base.step(m_iteration + 1, rank));
            const OpId update
                = m_base.updates()->add(m_base.step(m_iteration, rank), group.firstTensor + i,
                                        following ? &*following : nullptr, m_updaters, m_additions);
            for (const std::size_t piece : pieces)
                m_additions.addEdge(m_additions.collectives()[piece].transfer, update,
                                    EdgeKind::Data);
        }
}

Graph BucketReduction::finish()
{
    m_order.setLinks(m_job.plan, m_additions);
    return m_additions.build(m_job.control);
}

} // namespace core
