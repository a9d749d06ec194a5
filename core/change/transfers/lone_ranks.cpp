#include "core/change/transfers/lone_ranks.h"

#include "core/change/graph_edits.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/link_changes.h"
#include "core/graph/graph_builder.h"

#include <unordered_map>
#include <vector>

namespace core {

namespace {

    /// Takes the collectives out of a graph.
    class Separator
    {
    public:
        explicit Separator(const Graph &graph)
            : m_builder(graph)
        {
            for (const CollectiveNode &node : graph.collectives) {
                m_removed[node.arrival] = &node;
                m_removed[node.transfer] = &node;
                for (const CollectiveNode::Part &part : node.parts)
                    if (part.done != NoOp)
                        m_removed[part.done] = &node;
            }
        }

        Graph separated()
        {
            const std::vector<GraphBuilder::EdgeSpec> edges = m_builder.edges();
            for (const GraphBuilder::EdgeSpec &edge : edges)
                if (const auto from = m_removed.find(edge.from);
                    from != m_removed.end() && !m_removed.contains(edge.to))
                    followOwn(*from->second, edge);
            for (const auto &[op, node] : m_removed)
                m_builder.removeOp(op);
            m_builder.collectives().clear();
            m_builder.gradientSteps().clear(); // they name collectives
            return m_builder.build();
        }

    private:
        /// What waited for the collective waits for its own rank's part.
        void followOwn(const CollectiveNode &node, const GraphBuilder::EdgeSpec &edge)
        {
            const WorkerId worker = m_builder.op(edge.to).worker;
            // Mostly all ranks take part, in their order: a search at each would be quadratic.
            if (worker.value < node.parts.size() && node.parts[worker.value].worker == worker) {
                m_builder.addEdge(node.parts[worker.value].ready, edge.to, edge.kind);
                return;
            }
            for (const CollectiveNode::Part &part : node.parts)
                if (part.worker == worker)
                    m_builder.addEdge(part.ready, edge.to, edge.kind);
        }

        GraphBuilder m_builder;
        std::unordered_map<OpId, const CollectiveNode *> m_removed;
    };

} // namespace

Graph withLoneRanks(const Graph &graph)
{
    return withScaledTransfers(Separator(graph).separated(), 0);
}

namespace {

    class LoneRanksChange : public ChangeKind
    {
    public:
        Stage stage() const override { return Stage::Shown; }
        bool isAsked(const Strategy &strategy) const override
        {
            return wantedRanks(strategy) == 1.0;
        }
        void apply(Rewriting &rewriting) const override
        {
            rewriting.set(withLoneRanks(rewriting.graph()));
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> loneRanksChange()
{
    return std::make_unique<LoneRanksChange>();
}

} // namespace core
