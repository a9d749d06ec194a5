#include "core/change/ideal_pipeline.h"

#include "core/change/rewriting.h"
#include "core/graph/graph_builder.h"
#include "core/measure/parts.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace core {

namespace {

    /// Takes the waiting of messages' ends for each other out of a graph.
    class Decoupler
    {
    public:
        explicit Decoupler(const Graph &graph)
            : m_builder(graph)
        {
            for (const CollectiveNode &node : graph.collectives) {
                if (!node.isMessage)
                    continue;
                m_byTransfer[node.transfer] = &node;
                m_byArrival[node.arrival] = &node;
            }
        }

        Graph decoupled()
        {
            std::vector<GraphBuilder::EdgeSpec> own;
            for (const GraphBuilder::EdgeSpec &edge : m_builder.edges())
                if (isSendersWait(edge))
                    own.push_back({ sender(edge).ready, edge.to, edge.kind });
            m_builder.removeEdges([this](const GraphBuilder::EdgeSpec &edge) {
                return isSendersWait(edge) || isReceiversWait(edge);
            });
            for (const GraphBuilder::EdgeSpec &edge : own)
                m_builder.addEdge(edge.from, edge.to, edge.kind);
            return m_builder.build();
        }

    private:
        const CollectiveNode::Part &sender(const GraphBuilder::EdgeSpec &edge) const
        {
            return m_byTransfer.at(edge.from)->parts.front();
        }

        /// For the transfer. What follows on the link does so still.
        bool isSendersWait(const GraphBuilder::EdgeSpec &edge) const
        {
            return m_byTransfer.contains(edge.from) && !m_byArrival.contains(edge.to)
                && !m_byTransfer.contains(edge.to)
                && m_builder.op(edge.to).worker == sender(edge).worker;
        }

        /// For what is sent.
        bool isReceiversWait(const GraphBuilder::EdgeSpec &edge) const
        {
            const auto message = m_byArrival.find(edge.to);
            return message != m_byArrival.end()
                && edge.from == message->second->parts.front().ready;
        }

        GraphBuilder m_builder;
        std::unordered_map<OpId, const CollectiveNode *> m_byTransfer, m_byArrival;
    };

} // namespace

Graph withIdealPipeline(const Graph &graph)
{
    return Decoupler(graph).decoupled();
}

std::optional<std::string> pipelineObstacle(const Graph &graph)
{
    if (std::none_of(graph.collectives.begin(), graph.collectives.end(),
                     [](const CollectiveNode &node) { return node.isMessage; }))
        return "no messages between ranks are recorded, as stages of a pipeline send them to each "
               "other.";
    if (!serverWorkers(graph).empty())
        return "its messages go to and from parameter servers, not from stage to stage of a "
               "pipeline.";
    return {};
}

namespace {

    constexpr std::string_view PipelineKey = "ideal_pipeline";

    constexpr std::array<ChangeTraits, 1> PipelineTraits { {
        { .key = PipelineKey,
          .unit = "0 or 1",
          .least = 0,
          .most = 1,
          .isWhole = true,
          .form = ChangeForm::Switch,
          .group = ChangeGroup::Computation,
          .title = "No pipeline bubble",
          .hint = "No stage of a pipeline waits for another" },
    } };

    class IdealPipeline : public ChangeKind
    {
    public:
        std::span<const ChangeTraits> traits() const override { return PipelineTraits; }
        Stage stage() const override { return Stage::Work; }

        std::optional<std::string> obstacle(const MeasuredJob &job, const Change &) const override
        {
            return pipelineObstacle(job.graph);
        }

        void apply(Rewriting &rewriting) const override
        {
            if (rewriting.strategy().isOn(PipelineKey))
                rewriting.set(withIdealPipeline(rewriting.graph()));
        }

        std::string noChangeReason(const MeasuredJob &, const Strategy &,
                                   const Change &) const override
        {
            return "no rank waits for a message";
        }
    };

} // namespace

std::unique_ptr<const ChangeKind> idealPipelineChange()
{
    return std::make_unique<IdealPipeline>();
}

} // namespace core
