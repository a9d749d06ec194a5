#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/graph/graph_builder.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace core {

/// Ops, edges, devices and collectives that a graph gets in addition, while all it has stays. A
/// search adds others to the same graph many times: that takes a fraction of what building it anew
/// by a GraphBuilder takes, and gives the same graph.
class GraphAdditions
{
public:
    explicit GraphAdditions(std::shared_ptr<const Graph> graph);

    const Graph &graph() const { return *m_graph; }

    NameId intern(std::string_view name);
    DeviceId addDevice(Device device);
    Device &device(DeviceId id) { return m_devices[id.value]; } ///< of the graph, too
    /// Its id follows those of the graph's ops until build() numbers all.
    OpId addOp(const OpSpec &spec);
    OpSpec &op(OpId added) { return m_ops[added.value - m_graph->size()]; }
    const OpSpec &op(OpId added) const { return m_ops[added.value - m_graph->size()]; }
    /// Between any two, added or not.
    void addEdge(OpId from, OpId to, EdgeKind kind);
    void addCollective(CollectiveNode node) { m_collectives.push_back(std::move(node)); }
    /// Those that were added.
    std::vector<CollectiveNode> &collectives() { return m_collectives; }
    const std::vector<CollectiveNode> &collectives() const { return m_collectives; }
    /// The graph's, to be changed.
    std::vector<GradientStep> &gradientSteps() { return m_gradientSteps; }

    /// The graph with all of them, numbered topologically. Call last. Throws Error naming an op if
    /// the edges form a cycle; Cancelled.
    Graph build(const JobControl &control);

private:
    /// Where added ops go, in their new order.
    struct Places
    {
        std::vector<std::uint32_t> order; ///< indices of added ops
        std::vector<std::uint32_t> place; ///< by index: the op of the graph that it goes before
    };

    std::size_t opCount() const { return m_graph->size() + m_ops.size(); }
    bool isAdded(OpId op) const { return op.value >= m_graph->size(); }
    Places findPlaces() const;
    bool isAnyBehind(const Places &places) const;
    std::vector<OpId> newIds(const Places &places) const;
    void setColumns(const Places &places, Graph &graph) const;
    void setEdges(const std::vector<OpId> &newIds, const Places &places, Graph &graph) const;
    void setRest(const std::vector<OpId> &newIds, Graph &graph);
    Graph sorted(const JobControl &control);

    std::shared_ptr<const Graph> m_graph;
    std::vector<Device> m_devices; ///< the graph's and others
    std::vector<std::string> m_names; ///< others than the graph's
    std::unordered_map<std::string, NameId> m_idOfName; ///< of m_names
    std::vector<OpSpec> m_ops;
    std::vector<GraphBuilder::EdgeSpec> m_edges;
    std::vector<CollectiveNode> m_collectives;
    std::vector<GradientStep> m_gradientSteps;
};

} // namespace core
