#pragma once

#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace core {

/// Where the nodes of the framework's own graph are on one worker's timeline.
///
/// A slice names its node itself (SliceColumns::node). Traces of PyTorch before 2.3 do not, but
/// number their ops from the profiler's start (External id) as an execution trace numbers them from
/// its own: the two differ by a constant. It is taken as the one at which the ops that the
/// framework nests lie within each other, if there is exactly one such.
class NodePlaces
{
public:
    /// `hostThreads`: the worker's; `edges`: its dependencies of key Node. The trace must outlive
    /// the places.
    NodePlaces(const Trace &trace, std::span<const Track *const> hostThreads,
               std::span<const DependencyEdge> edges);

    /// Empty if the node is not on the timeline.
    std::optional<SliceIndex::Place> find(std::uint64_t node) const;
    bool empty() const { return m_places.empty(); }

private:
    using NumberedPlace = std::pair<std::uint64_t, SliceIndex::Place>;

    void collect(std::span<const Track *const> hostThreads,
                 const CompactColumn SliceColumns::*number);
    std::optional<SliceIndex::Place> placeOf(std::uint64_t number) const;
    std::optional<std::int64_t> constantDistance(std::span<const DependencyEdge> edges) const;
    bool isNested(std::uint64_t outer, std::uint64_t inner) const;

    const Trace &m_trace;
    std::vector<NumberedPlace> m_places; ///< by number
    std::int64_t m_distance = 0; ///< number of a slice minus its node
};

/// The dependencies of key Node, [workers].
std::vector<std::vector<DependencyEdge>> nodeEdges(const Trace &trace);

} // namespace core
