#include "core/graph/node_places.h"

#include <algorithm>

namespace core {

NodePlaces::NodePlaces(const Trace &trace, std::span<const Track *const> hostThreads,
                       std::span<const DependencyEdge> edges)
    : m_trace(trace)
{
    collect(hostThreads, &SliceColumns::node);
    if (!m_places.empty())
        return;
    collect(hostThreads, &SliceColumns::externalId);
    const auto distance = constantDistance(edges);
    if (distance)
        m_distance = *distance;
    else
        m_places.clear();
}

void NodePlaces::collect(std::span<const Track *const> hostThreads,
                         const CompactColumn SliceColumns::*number)
{
    for (const Track *track : hostThreads) {
        const SliceColumns &slices = m_trace.slices[track->id.value];
        const CompactColumn &numbers = slices.*number;
        for (std::size_t row = 0; row < numbers.size(); ++row) {
            const Category category = slices.category[row];
            if (numbers[row] != 0
                && (category == Category::CpuOp || category == Category::UserAnnotation))
                m_places.push_back({ numbers[row], { track->id, row } });
        }
    }
    std::stable_sort(
        m_places.begin(), m_places.end(),
        [](const NumberedPlace &a, const NumberedPlace &b) { return a.first < b.first; });
}

std::optional<SliceIndex::Place> NodePlaces::find(std::uint64_t node) const
{
    return placeOf(node + static_cast<std::uint64_t>(m_distance));
}

std::optional<SliceIndex::Place> NodePlaces::placeOf(std::uint64_t number) const
{
    const auto found = std::lower_bound(
        m_places.begin(), m_places.end(), number,
        [](const NumberedPlace &place, std::uint64_t wanted) { return place.first < wanted; });
    return found != m_places.end() && found->first == number ? std::optional(found->second)
                                                             : std::nullopt;
}

bool NodePlaces::isNested(std::uint64_t outer, std::uint64_t inner) const
{
    const auto around = placeOf(outer);
    const auto within = placeOf(inner);
    if (!around || !within || around->track != within->track || around->row >= within->row)
        return false;
    const SliceColumns &slices = m_trace.slices[around->track.value];
    return slices.startNs[within->row] >= slices.startNs[around->row]
        && slices.endNs(within->row) <= slices.endNs(around->row);
}

/// The distance at which nearly all of a sample of Control edges are nested slices, and at no other
/// one near it nearly as many (layers repeat, so that others fit in large part). An execution trace
/// and a profiler are started by the same call, so that few ops come between.
std::optional<std::int64_t>
NodePlaces::constantDistance(std::span<const DependencyEdge> edges) const
{
    constexpr std::int64_t FarthestDistance = 1024;
    constexpr std::size_t FewestEdges = 16;
    constexpr std::size_t SampleSize = 1024;
    std::vector<DependencyEdge> nested;
    std::copy_if(edges.begin(), edges.end(), std::back_inserter(nested),
                 [](const DependencyEdge &edge) { return edge.kind == DependencyKind::Control; });
    if (nested.size() < FewestEdges || m_places.empty())
        return std::nullopt;
    const std::size_t stride = nested.size() / SampleSize + 1;
    std::optional<std::int64_t> best;
    std::size_t fewestMisses = nested.size(), nextMisses = nested.size(), asked = 0;
    for (std::int64_t distance = -FarthestDistance; distance <= FarthestDistance; ++distance) {
        const auto shift = static_cast<std::uint64_t>(distance);
        std::size_t misses = 0;
        asked = 0;
        for (std::size_t i = 0; i < nested.size(); i += stride, ++asked)
            misses += isNested(nested[i].from + shift, nested[i].to + shift) ? 0 : 1;
        nextMisses = std::min(nextMisses, std::max(misses, fewestMisses));
        if (misses < fewestMisses) {
            fewestMisses = misses;
            best = distance;
        }
    }
    const bool isClear = fewestMisses * 100 <= asked && nextMisses >= 4 * (fewestMisses + 1);
    return isClear ? best : std::nullopt;
}

std::vector<std::vector<DependencyEdge>> nodeEdges(const Trace &trace)
{
    std::vector<std::vector<DependencyEdge>> edges(trace.workers.size());
    for (const Dependency &dependency : trace.dependencies)
        if (dependency.edge.key == DependencyKey::Node)
            edges[dependency.worker.value].push_back(dependency.edge);
    return edges;
}

} // namespace core
