#include "core/change/gradients/partition_reduction.h"

#include "core/change/graph_edits.h"
#include "core/change/infeasible.h"
#include "core/measure/bounded_time.h"

#include <algorithm>

namespace core {

/// Sums over partitions on a link in one iteration.
struct PartitionReduction::Sums
{
    double count = 0, lineNs = 0;
    double bytes = 0, squares = 0; ///< on the wire of one rank
    double workNs = 0; ///< of recorded ones
    std::uint64_t partitionBytes = 0; ///< of the largest

    void add(double wireBytes, double nsPerByte)
    {
        ++count;
        bytes += wireBytes;
        squares += wireBytes * wireBytes;
        lineNs += wireBytes * nsPerByte;
    }
};

PartitionReduction::PartitionReduction(const PlannedJob &job)
    : m_job(job)
    , m_builder(job.graph, {}, job.control)
    , m_gradients(recordedGradients(job.graph))
    , m_followers(job.graph, job.control)
{
    findTimes();
    removeFollowers();
}

void PartitionReduction::begin(std::int32_t iteration)
{
    m_ofIteration = &m_gradients.at(iteration);
    m_order.beginIteration();
}

std::uint64_t PartitionReduction::bytesOf(const GradientGroup &group) const
{
    return gradientBytes(m_job.graph, (*m_ofIteration)[group.firstTensor]);
}

PartitionReduction::Place PartitionReduction::placeOf(const RecordedGradient &gradient) const
{
    const CollectiveNode &node = m_job.graph.collectives[gradient.collectives.front()];
    return { m_job.graph.device[node.transfer.value], node.iteration };
}

const LinkModel &PartitionReduction::modelAt(const RecordedGradient &gradient) const
{
    const LinkModel *model
        = modelOf(m_job.links, placeOf(gradient).first,
                  m_job.graph.collectives[gradient.collectives.front()], m_job.trace);
    if (!model) // see reductionCostObstacle()
        throw Infeasible(
            "Partitions cannot be changed: no transfer of the trace tells what an all-reduce "
            "costs.");
    return *model;
}

PartitionCost PartitionReduction::costOf(const LinkModel &model, DeviceId link,
                                         const PartitionLimits &limits, const Sums &sums) const
{
    return costOfPartition(model, m_job.graph.devices[link.value], limits,
                           typicalBytes(sums.bytes, sums.squares));
}

/// The line idles for a partition, not for its bytes: in every part of a recording as long for each
/// of the partitions in it, large or small. By how much longer or shorter it idles for others is
/// told of the mean partition. Where nothing is told of it, it goes with bytes.
void PartitionReduction::findTimes()
{
    std::map<Place, Sums> recorded, wanted;
    std::map<Place, const LinkModel *> models;
    for (const auto &[iteration, groups] : m_job.plan.iterations)
        for (const GradientGroup &group : groups) {
            const RecordedGradient &gradient = m_gradients.at(iteration)[group.firstTensor];
            const Place place = placeOf(gradient);
            const LinkModel &model = modelAt(gradient);
            const double nsPerByte = costOf(model, place.first, {}, {}).nsPerByte;
            models.emplace(place, &model);
            for (const std::size_t i : gradient.collectives) {
                const CollectiveNode &node = m_job.graph.collectives[i];
                recorded[place].add(wireBytes(node, node.bytes, m_job.trace), nsPerByte);
                recorded[place].workNs
                    += static_cast<double>(m_job.graph.durationNs[node.transfer.value]);
            }
            const CollectiveNode &first = m_job.graph.collectives[gradient.collectives.front()];
            Sums &sums = wanted[place];
            std::uint64_t leftBytes = gradientBytes(m_job.graph, gradient);
            for (std::uint64_t bytes = 0; leftBytes > 0; leftBytes -= bytes) {
                bytes = nextPieceBytes(group, leftBytes);
                sums.add(wireBytes(first, bytes, m_job.trace), nsPerByte);
                sums.partitionBytes
                    = std::max({ sums.partitionBytes, bytes, group.partitionBytes });
            }
        }
    for (const auto &[place, model] : models)
        m_times[place] = timeOf(*model, place.first, recorded[place], wanted[place]);
}

PartitionReduction::Time PartitionReduction::timeOf(const LinkModel &model, DeviceId link,
                                                    const Sums &recorded, const Sums &wanted) const
{
    const PartitionCost was = costOf(model, link, {}, recorded);
    const PartitionCost is
        = costOf(model, link, { wanted.partitionBytes, m_job.plan.creditBytes }, wanted);
    const double wasIdleNs = was.idleNs(recorded.lineNs / recorded.count);
    const double isIdleNs = is.idleNs(wanted.lineNs / wanted.count);
    const double restNs = recorded.workNs - recorded.lineNs;
    if (restNs <= 0 || wasIdleNs <= 0)
        return { recorded.workNs / std::max(1.0, recorded.bytes), 0 };
    return { was.nsPerByte, restNs / recorded.count * isIdleNs / wasIdleNs };
}

/// An op that waits for a partition that is cut otherwise waits for others then.
void PartitionReduction::removeFollowers()
{
    std::vector<char> isCut(m_job.graph.size(), 0);
    for (const auto &[iteration, groups] : m_job.plan.iterations)
        for (const GradientGroup &group : groups) {
            const RecordedGradient &gradient = m_gradients.at(iteration)[group.firstTensor];
            if (isCutOtherwise(gradient, group))
                for (const std::size_t i : gradient.collectives)
                    isCut[m_job.graph.collectives[i].transfer.value] = 1;
        }
    m_builder.removeEdges(
        [&isCut](const GraphBuilder::EdgeSpec &edge) { return isCut[edge.from.value] != 0; });
}

bool PartitionReduction::isCutOtherwise(const RecordedGradient &gradient,
                                        const GradientGroup &group) const
{
    std::uint64_t leftBytes = gradientBytes(m_job.graph, gradient);
    for (const std::size_t i : gradient.collectives) {
        if (m_job.graph.collectives[i].bytes != nextPieceBytes(group, leftBytes))
            return true;
        leftBytes -= m_job.graph.collectives[i].bytes;
    }
    return false;
}

std::size_t PartitionReduction::addPiece(const GradientGroup &group, std::size_t index,
                                         const GradientPiece &piece)
{
    const RecordedGradient &gradient = (*m_ofIteration)[group.firstTensor];
    const std::vector<std::size_t> &recorded = gradient.collectives;
    const std::size_t added = index < recorded.size() ? recorded[index] : addLike(gradient);
    const Time &time = m_times.at(placeOf(gradient));
    CollectiveNode &node = m_builder.collectives()[added];
    node.bytes = piece.bytes;
    OpSpec &transfer = m_builder.op(node.transfer);
    transfer.bytes = piece.bytes;
    transfer.durationNs
        = boundedNs(time.nsPerByte * wireBytes(node, node.bytes, m_job.trace) + time.idleNs);
    m_order.add(group, piece, node, m_builder);
    return added;
}

/// Adds another partition of the same gradient.
std::size_t PartitionReduction::addLike(const RecordedGradient &gradient)
{
    CollectiveNode node = m_builder.collectives()[gradient.collectives.front()];
    const OpId arrival = addCopy(node.arrival), transfer = addCopy(node.transfer);
    m_builder.addEdge(arrival, transfer, EdgeKind::Collective);
    for (CollectiveNode::Part &part : node.parts) {
        const OpId ready = addCopy(part.ready);
        for (const Edge &edge : m_job.graph.predecessors(part.ready))
            m_builder.addEdge(edge.op, ready, edge.kind);
        m_builder.addEdge(ready, arrival, EdgeKind::Collective);
        part.ready = ready;
        part.slice = NoSlice;
    }
    node.arrival = arrival;
    node.transfer = transfer;
    const std::size_t index = m_builder.collectives().size();
    node.sequence = index;
    m_builder.addCollective(std::move(node));
    return index;
}

OpId PartitionReduction::addCopy(OpId op)
{
    OpSpec spec = m_builder.op(op);
    spec.slice = NoSlice;
    return m_builder.addOp(spec);
}

void PartitionReduction::addWaits(const GradientGroup &group,
                                  const std::vector<std::size_t> &pieces)
{
    const RecordedGradient &gradient = (*m_ofIteration)[group.firstTensor];
    for (std::size_t i = pieces.size(); i < gradient.collectives.size(); ++i)
        m_dropped.insert(gradient.collectives[i]);
    if (!isCutOtherwise(gradient, group))
        return;
    m_isAnyCutOtherwise = true;
    addFollowers(gradient, pieces);
}

/// An op that waited for a recorded partition waits for those that carry its bytes. An edge from
/// each new partition to what waited for any would be as many as their number squared where each
/// partition has an op of its own that waits for it.
void PartitionReduction::addFollowers(const RecordedGradient &gradient,
                                      const std::vector<std::size_t> &pieces)
{
    const std::vector<CollectiveNode> &nodes = m_builder.collectives();
    std::size_t next = 0;
    std::uint64_t begin = 0, wantedEnd = nodes[pieces.front()].bytes; // in the gradient
    for (const std::size_t i : gradient.collectives) {
        const std::uint64_t end = begin + m_job.graph.collectives[i].bytes;
        for (;;) {
            for (const auto &[op, kind] : m_followers.of(nodes[i].transfer))
                m_builder.addEdge(nodes[pieces[next]].transfer, op, kind);
            if (wantedEnd >= end)
                break;
            wantedEnd += nodes[pieces[++next]].bytes;
        }
        if (wantedEnd == end && next + 1 < pieces.size())
            wantedEnd += nodes[pieces[++next]].bytes;
        begin = end;
    }
}

Graph PartitionReduction::finish()
{
    if (m_isAnyCutOtherwise)
        m_builder.addNote(
            "How long partitions of another size wait for the other ranks is not in the "
            "recording: a part of it is taken to be as long for any size, the rest "
            "to go with the root of their bytes.");
    removeCollectives(m_dropped, m_builder);
    m_order.setLinks(m_job.plan, m_builder);
    return m_builder.build(m_job.control);
}

} // namespace core
