#include "core/change/gradients/reduction_groups.h"

#include "core/fit/links/hand_over.h"

#include <cstdint>
#include <map>
#include <numeric>
#include <span>
#include <vector>

namespace core {

namespace {

    /// Rewrites one graph.
    class Regrouper
    {
    public:
        Regrouper(const Graph &graph, const Trace &trace, const LinkModels &links,
                  const GroupsOfStep &groupsOf, const JobControl &control)
            : m_groupsOf(groupsOf)
            , m_rewriter(graph, trace, links, control)
            , m_builder(m_rewriter.builder())
            , m_control(control)
        {
            findHostSuccessors(graph);
        }

        Graph rewrite()
        {
            std::vector<GradientStep> steps;
            for (const auto &[iteration, ranks] : m_rewriter.iterations())
                rewriteIteration(ranks, steps);
            const std::vector<std::size_t> newIndex = m_rewriter.removeDropped();
            for (GradientStep &step : steps)
                for (GradientStep::Bucket &bucket : step.buckets)
                    bucket.collective = newIndex[bucket.collective];
            m_builder.gradientSteps() = std::move(steps);
            return m_builder.build(m_control);
        }

    private:
        void rewriteIteration(const GradientRewriter::Steps &ranks,
                              std::vector<GradientStep> &steps)
        {
            const std::vector<ReductionGroup> groups = m_groupsOf(ranks);
            std::vector<GradientStep> rewritten;
            for (const GradientStep *step : ranks) {
                rewritten.push_back(*step);
                rewritten.back().buckets.clear();
            }
            m_rewriter.drop(ranks);
            std::size_t next = 0;
            OpId before = NoOp;
            for (const ReductionGroup &group : groups) {
                const std::size_t collective = addBucket(ranks, next, group.parameterCount);
                const CollectiveNode &node = m_builder.collectives()[collective];
                m_builder.op(node.arrival).delayNs += group.delayNs;
                if (group.isAfterGroupBefore && before != NoOp)
                    m_builder.addEdge(before, node.arrival, EdgeKind::Sync);
                before = node.transfer;
                for (GradientStep &step : rewritten)
                    step.buckets.push_back({ collective, next, group.parameterCount });
                next += group.parameterCount;
            }
            steps.insert(steps.end(), rewritten.begin(), rewritten.end());
        }

        std::size_t addBucket(const GradientRewriter::Steps &ranks, std::size_t first,
                              std::size_t count)
        {
            const auto begin
                = ranks.front()->parameterBytes.begin() + static_cast<std::ptrdiff_t>(first);
            const std::size_t collective = m_rewriter.addReduction(
                ranks, first + count - 1,
                std::accumulate(begin, begin + static_cast<std::ptrdiff_t>(count),
                                std::uint64_t { 0 }));
            m_rewriter.hideLatency(collective);
            const OpId transfer = m_builder.collectives()[collective].transfer;
            for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
                m_builder.addEdge(transfer, ranks[rank]->copyStarts[first], EdgeKind::Sync);
                addHandOff(*ranks[rank], first + count - 1,
                           m_builder.collectives()[collective].parts[rank].ready);
            }
            return collective;
        }

        /// The time of the call goes to where the new bucket ends. For an accelerator it launches
        /// the all-reduce on the way.
        void addHandOff(const GradientStep &step, std::size_t parameter, OpId ready)
        {
            const OpId gradient = step.gradients[parameter];
            const std::span<const OpId> successors = hostSuccessors(gradient);
            const GradientRewriter::HandOff call = m_rewriter.handOff(step.worker);
            OpSpec spec = m_builder.op(gradient);
            spec.name = m_builder.intern(AllReduceCall);
            spec.kind = OpKind::Host;
            spec.slice = NoSlice;
            spec.measuredStartNs += spec.durationNs;
            spec.delayNs = 0;
            OpId last = gradient;
            if (!step.kernels.empty()) {
                last = addHostOp(spec, call.launchNs, last);
                m_builder.addEdge(last, ready, EdgeKind::Launch);
                spec.measuredStartNs += call.launchNs;
            }
            last = addHostOp(spec, call.durationNs - call.launchNs, last);
            for (const OpId next : successors)
                m_builder.addEdge(last, next, EdgeKind::HostOrder);
        }

        OpId addHostOp(OpSpec spec, std::int64_t durationNs, OpId after)
        {
            spec.durationNs = durationNs;
            const OpId op = m_builder.addOp(spec);
            m_builder.addEdge(after, op, EdgeKind::HostOrder);
            return op;
        }

        /// As recorded.
        std::span<const OpId> hostSuccessors(OpId op) const
        {
            return { m_hostSuccessors.data() + m_firstSuccessor[op.value],
                     m_hostSuccessors.data() + m_firstSuccessor[op.value + 1] };
        }

        void findHostSuccessors(const Graph &graph)
        {
            m_firstSuccessor.assign(graph.size() + 1, 0);
            const auto eachHostEdge = [&graph](const auto &visit) {
                for (std::uint32_t op = 0; op < graph.size(); ++op)
                    for (const Edge &edge : graph.predecessors(OpId(op)))
                        if (edge.kind == EdgeKind::HostOrder)
                            visit(edge.op, OpId(op));
            };
            eachHostEdge([&](OpId from, OpId) { ++m_firstSuccessor[from.value + 1]; });
            std::partial_sum(m_firstSuccessor.begin(), m_firstSuccessor.end(),
                             m_firstSuccessor.begin());
            m_hostSuccessors.resize(m_firstSuccessor.back());
            std::vector<std::uint32_t> next(m_firstSuccessor.begin(), m_firstSuccessor.end() - 1);
            eachHostEdge([&](OpId from, OpId to) { m_hostSuccessors[next[from.value]++] = to; });
        }

        const GroupsOfStep &m_groupsOf;
        GradientRewriter m_rewriter;
        GraphBuilder &m_builder;
        const JobControl &m_control;
        std::vector<std::uint32_t> m_firstSuccessor; ///< by OpId and behind, in m_hostSuccessors
        std::vector<OpId> m_hostSuccessors; ///< of each op in the order of ids
    };

} // namespace

Graph withReductionGroups(const Graph &graph, const Trace &trace, const LinkModels &links,
                          const GroupsOfStep &groupsOf, const JobControl &control)
{
    return Regrouper(graph, trace, links, groupsOf, control).rewrite();
}

} // namespace core
