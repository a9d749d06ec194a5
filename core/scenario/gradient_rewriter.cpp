#include "core/scenario/gradient_rewriter.h"

#include "core/base/error.h"
#include "core/scenario/bounded_time.h"

#include <algorithm>

namespace core {

GradientRewriter::GradientRewriter(const Graph &graph, const Trace &trace, const LinkModels &links,
                                   const JobControl &control)
    : m_graph(graph)
    , m_trace(trace)
    , m_links(links)
    , m_control(control)
    , m_builder(graph)
{
    findHandOffs();
    for (const GradientStep &step : graph.gradientSteps)
        m_steps[step.iteration].push_back(&step);
}

void GradientRewriter::findHandOffs()
{
    struct Sum
    {
        double ns = 0, calls = 0;
    };
    std::map<WorkerId, Sum> sums;
    for (const Track &track : m_trace.tracks) {
        const SliceColumns &slices = m_trace.slices[track.id.value];
        for (std::size_t row = 0; row < slices.size(); ++row)
            if (m_trace.nameOf(slices.name[row]) == AllReduceCall) {
                sums[track.worker].ns += static_cast<double>(slices.durationNs[row]);
                ++sums[track.worker].calls;
            }
    }
    for (const auto &[worker, sum] : sums)
        m_handOffNs[worker] = boundedNs(sum.ns / sum.calls);
}

void GradientRewriter::drop(const Steps &ranks)
{
    for (const GradientStep *step : ranks)
        for (const GradientStep::Bucket &bucket : step->buckets) {
            m_dropped.insert(bucket.collective);
            OpSpec &op
                = m_builder.op(step->gradients[bucket.firstParameter + bucket.parameterCount - 1]);
            op.durationNs = std::max<std::int64_t>(0, op.durationNs - handOffNs(step->worker));
        }
}

std::int64_t GradientRewriter::handOffNs(WorkerId worker) const
{
    const auto it = m_handOffNs.find(worker);
    return it == m_handOffNs.end() ? 0 : it->second;
}

std::size_t GradientRewriter::addReduction(const Steps &ranks, std::size_t parameter,
                                           std::uint64_t bytes)
{
    throwIfCancelled(m_control);
    const std::size_t index = m_builder.collectives().size();
    const CollectiveNode &model = m_graph.collectives[ranks.front()->buckets.front().collective];
    CollectiveNode node;
    node.name = model.name;
    node.group = model.group;
    node.iteration = model.iteration;
    node.bytes = bytes;
    node.sequence = index;
    node.parts.reserve(ranks.size());
    OpSpec arrival = m_builder.op(model.arrival);
    OpSpec transfer = m_builder.op(model.transfer);
    arrival.measuredStartNs = transfer.measuredStartNs
        = m_builder.op(ranks.front()->gradients[parameter]).measuredStartNs;
    transfer.slice = NoSlice;
    transfer.durationNs = fittedNs(transfer.device, model, bytes);
    transfer.delayNs = 0;
    node.arrival = m_builder.addOp(arrival);
    node.transfer = m_builder.addOp(transfer);
    m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
    for (const GradientStep *step : ranks)
        node.parts.push_back(addPart(*step, node, parameter));
    m_builder.addCollective(std::move(node));
    return index;
}

CollectiveNode::Part GradientRewriter::addPart(const GradientStep &step, const CollectiveNode &node,
                                               std::size_t parameter)
{
    CollectiveNode::Part part = partOf(step);
    const OpId gradient = step.gradients[parameter];
    OpSpec ready = m_builder.op(part.ready);
    ready.slice = NoSlice;
    ready.delayNs = 0;
    ready.measuredStartNs = m_builder.op(gradient).measuredStartNs;
    part.slice = NoSlice;
    part.startNs = part.endNs = ready.measuredStartNs;
    part.ready = m_builder.addOp(ready);
    m_builder.addEdge(gradient, part.ready, EdgeKind::Data);
    m_builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
    return part;
}

const CollectiveNode::Part &GradientRewriter::partOf(const GradientStep &step)
{
    const auto known = m_parts.find(&step);
    if (known != m_parts.end())
        return *known->second;
    const auto &parts = m_graph.collectives[step.buckets.front().collective].parts;
    const auto part
        = std::find_if(parts.begin(), parts.end(), [&step](const CollectiveNode::Part &candidate) {
              return candidate.worker == step.worker;
          });
    return *m_parts.emplace(&step, &*part).first->second;
}

std::int64_t GradientRewriter::fittedNs(DeviceId link, const CollectiveNode &measured,
                                        std::uint64_t bytes) const
{
    const LinkModel *model = modelOf(m_links, link, measured, m_trace);
    if (!model)
        throw Error("How gradients are reduced cannot be changed: no transfer of the trace tells "
                    "the cost of an all-reduce.");
    return boundedNs(model->alphaNs
                     + model->betaNsPerByte
                         * wireBytes(measured.name, bytes, measured.parts.size()));
}

std::int64_t GradientRewriter::hiddenLatencyNs(DeviceId link) const
{
    const GradientStep &step = m_graph.gradientSteps.front();
    const LinkModel *model
        = modelOf(m_links, link, m_graph.collectives[step.buckets.front().collective], m_trace);
    const bool isHidden
        = model && model->isPipelined && m_builder.devices()[link.value].capacity > 1;
    return isHidden ? boundedNs(model->alphaNs) : 0;
}

std::map<std::size_t, std::size_t> GradientRewriter::removeDropped()
{
    std::map<std::size_t, std::size_t> newIndex;
    std::vector<CollectiveNode> kept;
    for (std::size_t i = 0; i < m_builder.collectives().size(); ++i) {
        const CollectiveNode &node = m_builder.collectives()[i];
        if (!m_dropped.contains(i)) {
            newIndex[i] = kept.size();
            kept.push_back(node);
            continue;
        }
        m_builder.removeOp(node.arrival);
        m_builder.removeOp(node.transfer);
        for (const CollectiveNode::Part &part : node.parts)
            m_builder.removeOp(part.ready);
    }
    m_builder.collectives() = std::move(kept);
    return newIndex;
}

} // namespace core
