#include "core/scenario/rebucket.h"

#include "core/base/error.h"
#include "core/graph/graph_builder.h"
#include "core/scenario/bucket_layout.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace core {

namespace {

    constexpr std::string_view HandOffName = "c10d::allreduce_";

    bool isOfOneGroup(const Graph &graph)
    {
        return std::all_of(graph.gradientSteps.begin(), graph.gradientSteps.end(),
                           [&](const GradientStep &step) {
                               const std::size_t first = step.buckets.front().collective;
                               return graph.collectives[first].parts.size() == graph.workerCount();
                           });
    }

    bool isLaidOutSo(const Graph &graph, const BucketLimits &limits)
    {
        return std::all_of(
            graph.gradientSteps.begin(), graph.gradientSteps.end(), [&](const GradientStep &step) {
                std::vector<std::size_t> measured;
                for (const GradientStep::Bucket &bucket : step.buckets)
                    measured.push_back(bucket.parameterCount);
                return measured
                    == bucketLayout(step.parameterBytes, limits.firstBytes, limits.capBytes);
            });
    }

    /// Rewrites one graph.
    class Rebucketer
    {
    public:
        Rebucketer(const Graph &graph, const Trace &trace, const LinkModels &links,
                   const BucketLimits &limits)
            : m_graph(graph)
            , m_links(links)
            , m_limits(limits)
            , m_builder(graph)
        {
            findHandOffs(trace);
            for (const GradientStep &step : graph.gradientSteps)
                m_steps[step.iteration].push_back(&step);
        }

        Graph rewrite()
        {
            std::vector<GradientStep> steps;
            for (const auto &[iteration, ranks] : m_steps)
                rewriteIteration(ranks, steps);
            dropOldCollectives();
            for (GradientStep &step : steps)
                for (GradientStep::Bucket &bucket : step.buckets)
                    bucket.collective = m_newIndex.at(bucket.collective);
            m_builder.gradientSteps() = std::move(steps);
            return m_builder.build();
        }

    private:
        /// Mean time of the call that hands a bucket over, by worker; it is paid once a bucket.
        void findHandOffs(const Trace &trace)
        {
            std::map<WorkerId, std::pair<std::int64_t, std::int64_t>> sums;
            for (const Track &track : trace.tracks) {
                const SliceColumns &slices = trace.slices[track.id.value];
                for (std::size_t row = 0; row < slices.size(); ++row)
                    if (trace.nameOf(slices.name[row]) == HandOffName) {
                        sums[track.worker].first += slices.durationNs[row];
                        ++sums[track.worker].second;
                    }
            }
            for (const auto &[worker, sum] : sums)
                m_handOffNs[worker] = sum.first / sum.second;
        }

        void rewriteIteration(const std::vector<const GradientStep *> &ranks,
                              std::vector<GradientStep> &steps)
        {
            const GradientStep &first = *ranks.front();
            const std::vector<std::size_t> layout
                = bucketLayout(first.parameterBytes, m_limits.firstBytes, m_limits.capBytes);
            std::vector<GradientStep> rewritten;
            for (const GradientStep *step : ranks) {
                rewritten.push_back(*step);
                rewritten.back().buckets.clear();
                removeHandOffs(*step);
            }
            std::size_t next = 0;
            for (const std::size_t count : layout) {
                const std::size_t collective = m_builder.collectives().size();
                addCollective(ranks, next, count);
                for (std::size_t r = 0; r < ranks.size(); ++r) {
                    addHandOff(*ranks[r], next + count - 1);
                    rewritten[r].buckets.push_back({ collective, next, count });
                }
                next += count;
            }
            steps.insert(steps.end(), rewritten.begin(), rewritten.end());
            for (const GradientStep::Bucket &bucket : first.buckets)
                m_dropped.insert(bucket.collective);
        }

        /// The measured hand-over's time leaves the gradient's op; addHandOff() gives it back where
        /// the new bucket ends.
        void removeHandOffs(const GradientStep &step)
        {
            for (const GradientStep::Bucket &bucket : step.buckets) {
                OpSpec &op = m_builder.op(
                    step.gradients[bucket.firstParameter + bucket.parameterCount - 1]);
                op.durationNs = std::max<std::int64_t>(0, op.durationNs - handOffNs(step.worker));
            }
        }

        std::int64_t handOffNs(WorkerId worker) const
        {
            const auto it = m_handOffNs.find(worker);
            return it == m_handOffNs.end() ? 0 : it->second;
        }

        void addHandOff(const GradientStep &step, std::size_t parameter)
        {
            const OpId gradient = step.gradients[parameter];
            OpSpec spec = m_builder.op(gradient);
            spec.name = m_builder.intern(HandOffName);
            spec.kind = OpKind::Host;
            spec.slice = NoSlice;
            spec.measuredStartNs += spec.durationNs;
            spec.durationNs = handOffNs(step.worker);
            spec.delayNs = 0;
            const OpId handOff = m_builder.addOp(spec);
            for (const OpId next : hostSuccessors(gradient))
                m_builder.addEdge(handOff, next, EdgeKind::HostOrder);
            m_builder.addEdge(gradient, handOff, EdgeKind::HostOrder);
        }

        const std::vector<OpId> &hostSuccessors(OpId op)
        {
            if (m_hostSuccessors.empty())
                for (const auto &edge : m_builder.edges())
                    if (edge.kind == EdgeKind::HostOrder)
                        m_hostSuccessors[edge.from].push_back(edge.to);
            return m_hostSuccessors[op];
        }

        void addCollective(const std::vector<const GradientStep *> &ranks, std::size_t first,
                           std::size_t count)
        {
            const CollectiveNode &model
                = m_graph.collectives[ranks.front()->buckets.front().collective];
            CollectiveNode node = model;
            node.parts.clear();
            node.bytes = 0;
            node.sequence = m_builder.collectives().size();
            for (std::size_t i = first; i < first + count; ++i)
                node.bytes += ranks.front()->parameterBytes[i];
            OpSpec arrival = m_builder.op(model.arrival);
            OpSpec transfer = m_builder.op(model.transfer);
            const OpId lastGradient = ranks.front()->gradients[first + count - 1];
            arrival.measuredStartNs = transfer.measuredStartNs
                = m_builder.op(lastGradient).measuredStartNs;
            transfer.slice = NoSlice;
            transfer.durationNs = fittedNs(transfer.device, node, ranks.size());
            transfer.delayNs = 0;
            node.arrival = m_builder.addOp(arrival);
            node.transfer = m_builder.addOp(transfer);
            m_builder.addEdge(node.arrival, node.transfer, EdgeKind::Collective);
            for (const GradientStep *step : ranks)
                node.parts.push_back(addPart(*step, node, first, count));
            m_builder.addCollective(std::move(node));
        }

        CollectiveNode::Part addPart(const GradientStep &step, const CollectiveNode &node,
                                     std::size_t first, std::size_t count)
        {
            const CollectiveNode::Part &old = partOf(step);
            const OpId gradient = step.gradients[first + count - 1];
            OpSpec ready = m_builder.op(old.ready);
            ready.slice = NoSlice;
            ready.delayNs = 0;
            ready.measuredStartNs = m_builder.op(gradient).measuredStartNs;
            CollectiveNode::Part part = old;
            part.slice = NoSlice;
            part.startNs = part.endNs = ready.measuredStartNs;
            part.ready = m_builder.addOp(ready);
            m_builder.addEdge(gradient, part.ready, EdgeKind::Data);
            m_builder.addEdge(part.ready, node.arrival, EdgeKind::Collective);
            m_builder.addEdge(node.transfer, step.copyStarts[first], EdgeKind::Sync);
            return part;
        }

        const CollectiveNode::Part &partOf(const GradientStep &step) const
        {
            const auto &parts = m_graph.collectives[step.buckets.front().collective].parts;
            return *std::find_if(parts.begin(), parts.end(), [&](const CollectiveNode::Part &part) {
                return part.worker == step.worker;
            });
        }

        std::int64_t fittedNs(DeviceId link, const CollectiveNode &node, std::size_t ranks) const
        {
            const auto model = m_links.find({ link, node.name });
            if (model == m_links.end())
                throw Error("Bucket sizes cannot be changed: no transfer of the trace tells the "
                            "cost of an all-reduce.");
            return std::llround(model->second.alphaNs
                                + model->second.betaNsPerByte
                                    * wireBytes(node.name, node.bytes, ranks));
        }

        void dropOldCollectives()
        {
            std::vector<CollectiveNode> kept;
            for (std::size_t i = 0; i < m_builder.collectives().size(); ++i) {
                const CollectiveNode &node = m_builder.collectives()[i];
                if (!m_dropped.contains(i)) {
                    m_newIndex[i] = kept.size();
                    kept.push_back(node);
                    continue;
                }
                m_builder.removeOp(node.arrival);
                m_builder.removeOp(node.transfer);
                for (const CollectiveNode::Part &part : node.parts)
                    m_builder.removeOp(part.ready);
            }
            m_builder.collectives() = std::move(kept);
        }

        const Graph &m_graph;
        const LinkModels &m_links;
        BucketLimits m_limits;
        GraphBuilder m_builder;
        std::map<std::int32_t, std::vector<const GradientStep *>>
            m_steps; ///< by iteration, a step a rank
        std::map<WorkerId, std::int64_t> m_handOffNs;
        std::map<OpId, std::vector<OpId>> m_hostSuccessors;
        std::set<std::size_t> m_dropped; ///< measured collectives that make way
        std::map<std::size_t, std::size_t> m_newIndex; ///< of collectives, old to new
    };

} // namespace

std::optional<std::string> rebucketObstacle(const Graph &graph)
{
    const std::vector<GradientStep> &steps = graph.gradientSteps;
    const std::size_t expected
        = graph.workerCount() * static_cast<std::size_t>(graph.iterationCount);
    if (steps.empty())
        return "no rank shows PyTorch DDP's reduction (AccumulateGrad, then an all-reduce of the "
               "bucket). Record every "
               "rank of a DistributedDataParallel job with torch.profiler and record_shapes=True.";
    if (steps.size() != expected)
        return "only " + std::to_string(steps.size()) + " of " + std::to_string(expected)
            + " rank iterations show PyTorch DDP's reduction.";
    if (!isOfOneGroup(graph))
        return "its ranks reduce gradients in more than one group.";
    const CollectiveNode &first = graph.collectives[steps.front().buckets.front().collective];
    if (!graph.devices[graph.device[first.transfer.value].value].isHostLink)
        return "buckets are reduced on accelerator streams, whose order in DDP is not modelled "
               "yet.";
    for (const GradientStep &step : steps) {
        if (step.parameterBytes != steps.front().parameterBytes)
            return "the ranks' gradients become ready in different orders.";
        if (step.copies.empty())
            return "gradients are not copied out of their buckets (gradient_as_bucket_view=True), "
                   "so nothing shows "
                   "where they are waited for.";
    }
    return {};
}

Graph rebucket(const Graph &graph, const Trace &trace, const LinkModels &links,
               const BucketLimits &limits)
{
    if (const auto obstacle = rebucketObstacle(graph))
        throw Error("Bucket sizes cannot be changed on this trace: " + *obstacle);
    if (isLaidOutSo(graph, limits))
        return graph;
    return Rebucketer(graph, trace, links, limits).rewrite();
}

} // namespace core
