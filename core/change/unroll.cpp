#include "core/change/unroll.h"

#include "core/base/saturated_time.h"
#include "core/graph/graph_builder.h"
#include "core/graph/ops_per_look.h"

#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>
#include <vector>

namespace core {

namespace {

    constexpr std::int32_t FewestSteadyIterations = 2;

    /// From the first rank's begin to the last one's end, as measured.
    std::int64_t measuredSpanNs(const Graph &graph)
    {
        std::int64_t beginNs = std::numeric_limits<std::int64_t>::max();
        std::int64_t endNs = std::numeric_limits<std::int64_t>::min();
        for (const OpId begin : graph.iterationBegins)
            beginNs = std::min(beginNs, graph.measuredStartNs[begin.value]);
        for (const OpId end : graph.iterationEnds)
            endNs = std::max(endNs, graph.measuredStartNs[end.value]);
        return std::max<std::int64_t>(1, saturatedDifference(endNs, beginNs));
    }

    GraphRoom roomFor(const Graph &graph, std::size_t copies)
    {
        return { copies * graph.size(), copies * graph.preds.size(),
                 copies * graph.collectives.size() };
    }

    /// Repeats one graph.
    class Unroller
    {
    public:
        Unroller(const Graph &graph, std::int32_t times, const JobControl &control)
            : m_graph(graph)
            , m_times(times)
            , m_control(control)
            , m_spanNs(measuredSpanNs(graph))
            , m_builder(graph, roomFor(graph, static_cast<std::size_t>(times - 1)), control)
            , m_isMark(graph.size(), 0)
            , m_kept(graph.keptIterations)
            , m_positions(graph.positions)
        {
            for (std::uint32_t op = 0; op < graph.size(); ++op)
                m_copies.push_back(OpId(op));
            for (const OpId begin : graph.iterationBegins)
                m_isMark[begin.value] = 1;
            for (const OpId end : graph.iterationEnds)
                m_isMark[end.value] = 1;
            findSeams();
        }

        Graph unroll()
        {
            std::vector<std::vector<OpId>> ends { m_graph.iterationEnds };
            for (std::int32_t copy = 1; copy < m_times; ++copy) {
                m_firstIteration += m_graph.iterationCount;
                m_shiftNs = saturatedSum(m_shiftNs, m_spanNs);
                addCopy(copy);
                ends.push_back(movedAll(m_graph.iterationEnds));
            }
            m_builder.keepIterations(m_kept);
            m_builder.setPositions(m_positions);
            m_builder.setIterations(m_graph.iterationBegins, byWorker(ends),
                                    m_times * m_graph.iterationCount);
            return m_builder.build(m_control);
        }

    private:
        struct Seam
        {
            OpId first = NoOp, last = NoOp; ///< of a thread or stream
            EdgeKind kind = EdgeKind::HostOrder;
        };

        /// Ids are in the order of time on a thread and on a stream. Links take what is ready.
        void findSeams()
        {
            std::unordered_map<OpId, OpId> completions;
            for (const CollectiveNode &node : m_graph.collectives)
                for (const CollectiveNode::Part &part : node.parts)
                    completions[part.ready] = node.completionOf(part);
            std::vector<Seam> ofDevice(m_graph.devices.size());
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                const Device &device = m_graph.devices[m_graph.device[op].value];
                if (device.isLink || device.isBackend || m_isMark[op] != 0)
                    continue;
                Seam &seam = ofDevice[m_graph.device[op].value];
                const auto completion = completions.find(OpId(op));
                seam.last = completion == completions.end() ? OpId(op) : completion->second;
                if (seam.first == NoOp)
                    seam.first = OpId(op);
                seam.kind = device.isStream ? EdgeKind::StreamOrder : EdgeKind::HostOrder;
            }
            std::copy_if(ofDevice.begin(), ofDevice.end(), std::back_inserter(m_seams),
                         [](const Seam &seam) { return seam.first != NoOp; });
        }

        void addCopy(std::int32_t copy)
        {
            const std::vector<OpId> before = std::exchange(m_copies, {});
            m_copies.assign(m_graph.size(), NoOp);
            const auto count = static_cast<std::size_t>(m_graph.iterationCount);
            for (std::size_t w = 0; w < m_graph.workerCount(); ++w)
                m_copies[m_graph.iterationBegins[w].value]
                    = before[m_graph.iterationEnds[(w + 1) * count - 1].value];
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                if (op % OpsPerLook == 0)
                    throwIfCancelled(m_control);
                if (m_copies[op] == NoOp)
                    addOp(OpId(op));
            }
            for (const Seam &seam : m_seams)
                m_builder.addEdge(before[seam.last.value], moved(seam.first), seam.kind);
            addCollectives();
            addSteps(static_cast<std::size_t>(copy) * m_graph.collectives.size());
            for (const PossibleWait &wait : m_graph.possibleWaits)
                m_builder.addPossibleWait({ moved(wait.awaited), moved(wait.waiting) });
            for (const std::int32_t kept : m_graph.keptIterations)
                m_kept.push_back(m_firstIteration + kept);
            m_positions.insert(m_positions.end(), m_graph.positions.begin(),
                               m_graph.positions.end());
        }

        /// Predecessors have smaller ids.
        void addOp(OpId op)
        {
            OpSpec spec = m_builder.op(op);
            spec.measuredStartNs = saturatedSum(spec.measuredStartNs, m_shiftNs);
            spec.iteration += m_firstIteration;
            m_copies[op.value] = m_builder.addOp(spec);
            for (const Edge &edge : m_graph.predecessors(op))
                m_builder.addEdge(moved(edge.op), moved(op), edge.kind);
        }

        void addCollectives()
        {
            for (CollectiveNode node : m_graph.collectives) {
                node.iteration += m_firstIteration;
                node.arrival = moved(node.arrival);
                node.transfer = moved(node.transfer);
                for (CollectiveNode::Part &part : node.parts) {
                    part.startNs = saturatedSum(part.startNs, m_shiftNs);
                    part.endNs = saturatedSum(part.endNs, m_shiftNs);
                    part.ready = moved(part.ready);
                    part.chunks = movedAll(part.chunks);
                    part.done = moved(part.done);
                }
                m_builder.addCollective(std::move(node));
            }
        }

        void addSteps(std::size_t firstCollective)
        {
            for (GradientStep step : m_graph.gradientSteps) {
                step.iteration += m_firstIteration;
                for (std::vector<OpId> *ops : { &step.gradients, &step.kernels, &step.forwards,
                                                &step.copies, &step.copyStarts })
                    *ops = movedAll(*ops);
                for (GradientStep::Bucket &bucket : step.buckets)
                    bucket.collective += firstCollective;
                m_builder.addGradientStep(std::move(step));
            }
        }

        OpId moved(OpId op) const { return op == NoOp ? NoOp : m_copies[op.value]; }

        std::vector<OpId> movedAll(std::vector<OpId> ops) const
        {
            for (OpId &op : ops)
                op = moved(op);
            return ops;
        }

        /// [times][workers x recorded iterations] to [workers x all iterations].
        std::vector<OpId> byWorker(const std::vector<std::vector<OpId>> &ends) const
        {
            std::vector<OpId> all;
            for (std::size_t w = 0; w < m_graph.workerCount(); ++w)
                for (const std::vector<OpId> &ofCopy : ends) {
                    const auto own
                        = ofCopy.begin() + static_cast<std::ptrdiff_t>(w) * m_graph.iterationCount;
                    all.insert(all.end(), own, own + m_graph.iterationCount);
                }
            return all;
        }

        const Graph &m_graph;
        const std::int32_t m_times;
        const JobControl &m_control;
        const std::int64_t m_spanNs;
        GraphBuilder m_builder;
        std::vector<char> m_isMark; ///< by OpId: an iteration begins or ends
        std::vector<Seam> m_seams;
        std::vector<OpId> m_copies; ///< by OpId, of the repetition at hand
        std::int32_t m_firstIteration = 0; ///< of it
        std::int64_t m_shiftNs = 0; ///< of measured times in it
        std::vector<std::int32_t> m_kept;
        std::vector<std::uint32_t> m_positions;
    };

} // namespace

std::int32_t timesToSteadyState(const Graph &graph)
{
    const std::int32_t recorded = std::max(1, graph.iterationCount);
    if (recorded > FewestSteadyIterations)
        return 1;
    return 1 + (FewestSteadyIterations + recorded - 1) / recorded;
}

bool leavesCommunication(const Graph &recorded)
{
    const auto isLate = [&](const CollectiveNode &node, const CollectiveNode::Part &part) {
        const std::size_t end
            = part.worker.value * static_cast<std::size_t>(recorded.iterationCount)
            + static_cast<std::size_t>(node.iteration);
        return part.endNs > recorded.measuredStartNs[recorded.iterationEnds[end].value];
    };
    return std::any_of(
        recorded.collectives.begin(), recorded.collectives.end(), [&](const CollectiveNode &node) {
            return node.iteration >= 0 && node.iteration < recorded.iterationCount
                && recorded.devices[recorded.device[node.transfer.value].value].isHostLink
                && std::any_of(
                       node.parts.begin(), node.parts.end(),
                       [&](const CollectiveNode::Part &part) { return isLate(node, part); });
        });
}

Graph unrolled(const Graph &graph, std::int32_t times, const JobControl &control)
{
    return times <= 1 ? graph : Unroller(graph, times, control).unroll();
}

} // namespace core
