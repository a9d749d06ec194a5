#pragma once

#include "core/graph/graph.h"
#include "core/project/read/project_reader.h"
#include "ui/widgets/pick_list.h"

#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace ui {

/// A graph seen from its slices: which op a slice is, which slice an op is shown as, and the edges
/// in both directions. Built once a graph, in a job.
class GraphLinks
{
public:
    explicit GraphLinks(std::shared_ptr<const core::Graph> graph);

    const core::Graph &graph() const { return *m_graph; }
    /// Empty when no op stands for the slice.
    std::optional<core::OpId> opOf(core::SliceId slice) const;
    /// The op's own slice, or, for a collective's arrival and transfer, the slice of the rank that
    /// came last; NoSlice for none.
    core::SliceId sliceOf(core::OpId op) const;

    /// The collective that the slice is a rank's part of; null for none.
    const core::CollectiveNode *collectiveOf(core::SliceId slice) const;

    struct Link
    {
        core::OpId op;
        core::SliceId slice;
        core::EdgeKind kind;
    };
    /// Neighbours that have a slice; virtual ops are looked through. At most `limit`, the one that
    /// ended last (predecessors) or starts first (successors) in front.
    std::vector<Link> predecessors(core::SliceId slice, std::size_t limit) const;
    std::vector<Link> successors(core::SliceId slice, std::size_t limit) const;

private:
    enum class Direction { Back, Forth };

    std::vector<core::OpId> opsOf(core::SliceId slice) const;
    std::span<const core::Edge> edges(core::OpId op, Direction direction) const;
    std::vector<Link> neighbours(core::SliceId slice, Direction direction, std::size_t limit) const;

    std::shared_ptr<const core::Graph> m_graph;
    std::unordered_map<std::uint64_t, core::OpId> m_opOfSlice;
    std::unordered_map<std::uint64_t, core::OpId> m_transferOfSlice; ///< of a collective's part
    std::unordered_map<std::uint64_t, std::size_t> m_collectiveOfSlice; ///< by part
    std::unordered_map<std::uint32_t, core::SliceId> m_sliceOfVirtual;
    std::vector<std::uint32_t> m_successorOffset; ///< as Graph::predOffset
    std::vector<core::Edge> m_successors;
};

/// A neighbour in a list to choose from: "aten::mm", "rank 3 \u00b7 1.2 ms"; empty texts if its
/// slice is not in the project.
PickEntry dependencyEntry(const GraphLinks::Link &link, const core::ProjectReader &reader);

} // namespace ui
