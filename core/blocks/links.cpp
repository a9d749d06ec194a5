#include "core/blocks/links.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace core {

namespace {

    constexpr std::uint32_t NoBlock = DrawnBlock::None;

    /// An edge between ops that are in different visible blocks.
    struct VisibleEdge
    {
        std::uint32_t from, to; ///< blocks
        OpId source, target;
        EdgeKind kind;
    };

    class LinkSearch
    {
    public:
        LinkSearch(const GraphOutline &outline, Drawing &drawing, const JobControl &control)
            : m_outline(outline)
            , m_graph(*outline.graph)
            , m_drawing(drawing)
            , m_control(control)
        {
        }

        void add()
        {
            findBlocks();
            collectEdges();
            bundle();
            addPath();
        }

    private:
        /// Finds the innermost block that shows an op, by lane and place in it.
        void findBlocks()
        {
            m_blockOf.resize(m_outline.lanes.size());
            for (std::size_t lane = 0; lane < m_outline.lanes.size(); ++lane)
                m_blockOf[lane].assign(m_outline.lanes[lane].ops.size(), NoBlock);
            for (std::uint32_t b = 0; b < m_drawing.blocks.size(); ++b) {
                const DrawnBlock &block = m_drawing.blocks[b];
                if (block.isOpen)
                    continue;
                const auto first = m_blockOf[block.lane].begin() + block.first;
                std::fill(first, first + block.count, b);
            }
        }

        std::uint32_t blockOf(OpId op) const
        {
            const GraphOutline::Place place = m_outline.places[op.value];
            return place.lane == GraphOutline::NoLane ? NoBlock
                                                      : m_blockOf[place.lane][place.index];
        }

        void collectEdges()
        {
            for (const Lane &lane : m_outline.lanes) {
                throwIfCancelled(m_control);
                for (const LaneOp &op : lane.ops) {
                    addEdgesTo(op.op);
                    if (lane.kind == LaneKind::Link && op.collective != LaneOp::NoCollective)
                        addEdgesTo(m_graph.collectives[op.collective].arrival);
                }
            }
        }

        void addEdgesTo(OpId op)
        {
            const std::uint32_t to = blockOf(op);
            if (to == NoBlock)
                return;
            for (const Edge &edge : m_graph.predecessors(op)) {
                const std::uint32_t from = blockOf(edge.op);
                if (from == NoBlock || from == to)
                    continue;
                m_edges.push_back({ from, to, edge.op, op, edge.kind });
            }
        }

        double xOf(std::int64_t ns) const
        {
            return static_cast<double>(ns - m_outline.range.startNs);
        }

        /// The one of a bundle that is drawn is that whose source ends last.
        void bundle()
        {
            const auto endNs = [this](const VisibleEdge &edge) {
                return m_outline.replay->endNs[edge.source.value];
            };
            std::sort(m_edges.begin(), m_edges.end(),
                      [&endNs](const VisibleEdge &a, const VisibleEdge &b) {
                          return std::tuple(a.from, a.to, -endNs(a), a.source, a.target)
                              < std::tuple(b.from, b.to, -endNs(b), b.source, b.target);
                      });
            for (std::size_t i = 0; i < m_edges.size();) {
                const VisibleEdge &first = m_edges[i];
                DrawnLink link { first.from, first.to };
                link.fromX = xOf(endNs(first));
                link.toX = xOf(m_outline.replay->startNs[first.target.value]);
                link.count = 0;
                link.isWithinLane
                    = m_drawing.blocks[first.from].lane == m_drawing.blocks[first.to].lane;
                link.bytes = std::max(m_drawing.blocks[first.from].bytes,
                                      m_drawing.blocks[first.to].bytes);
                for (;
                     i < m_edges.size() && m_edges[i].from == link.from && m_edges[i].to == link.to;
                     ++i) {
                    ++link.count;
                    link.provenance = std::max(link.provenance, provenanceOf(m_edges[i].kind));
                }
                m_drawing.links.push_back(link);
            }
        }

        /// The visible block of a path's op; of a rank that another one stands for the block there
        /// at that time.
        std::uint32_t shownBlockOf(OpId op) const
        {
            const GraphOutline::Place place = m_outline.places[op.value];
            if (place.lane == GraphOutline::NoLane)
                return NoBlock;
            const std::uint32_t own = m_blockOf[place.lane][place.index];
            const std::uint32_t lane = m_outline.alike.standIn[place.lane];
            if (own != NoBlock || lane == place.lane)
                return own;
            const std::vector<LaneOp> &ops = m_outline.lanes[lane].ops;
            const std::int64_t startNs = m_outline.replay->startNs[op.value];
            auto at = std::upper_bound(
                ops.begin(), ops.end(), startNs,
                [](std::int64_t ns, const LaneOp &other) { return ns < other.startNs; });
            if (at != ops.begin())
                --at;
            return at == ops.end() ? NoBlock
                                   : m_blockOf[lane][static_cast<std::size_t>(at - ops.begin())];
        }

        void addPath()
        {
            std::int64_t reachedNs = m_outline.path.empty()
                ? 0
                : m_outline.replay->startNs[m_outline.path.front().value];
            for (const OpId op : m_outline.path) {
                const std::int64_t fromNs = std::exchange(
                    reachedNs, std::max(reachedNs, m_outline.replay->endNs[op.value]));
                const std::uint32_t b = shownBlockOf(op);
                if (b == NoBlock)
                    continue;
                DrawnBlock &block = m_drawing.blocks[b];
                const TimeRange own { m_outline.replay->startNs[op.value],
                                      m_outline.replay->endNs[op.value] };
                if (m_drawing.path.empty() || m_drawing.path.back().block != b)
                    m_drawing.path.push_back({ b, xOf(own.startNs), xOf(own.endNs) });
                m_drawing.path.back().right = std::max(m_drawing.path.back().right, xOf(own.endNs));
                block.onPathNs += reachedNs - fromNs;
                block.path = block.path ? TimeRange { std::min(block.path->startNs, own.startNs),
                                                      std::max(block.path->endNs, own.endNs) }
                                        : own;
            }
            markPathLinks();
        }

        void markPathLinks()
        {
            std::vector<std::pair<std::uint32_t, std::uint32_t>> steps;
            for (std::size_t i = 1; i < m_drawing.path.size(); ++i)
                steps.emplace_back(m_drawing.path[i - 1].block, m_drawing.path[i].block);
            std::sort(steps.begin(), steps.end());
            for (DrawnLink &link : m_drawing.links)
                link.isOnPath
                    = std::binary_search(steps.begin(), steps.end(), std::pair(link.from, link.to));
        }

        const GraphOutline &m_outline;
        const Graph &m_graph;
        Drawing &m_drawing;
        const JobControl &m_control;
        std::vector<std::vector<std::uint32_t>> m_blockOf; ///< by lane and place
        std::vector<VisibleEdge> m_edges;
    };

} // namespace

Provenance provenanceOf(EdgeKind kind)
{
    switch (kind) {
    case EdgeKind::Inferred:
        return Provenance::Inferred;
    case EdgeKind::HostOrder:
    case EdgeKind::StreamOrder:
    case EdgeKind::Iteration:
    case EdgeKind::Sync:
    case EdgeKind::Data:
        return Provenance::Derived;
    case EdgeKind::Launch:
    case EdgeKind::Collective:
    case EdgeKind::Framework:
        break;
    }
    return Provenance::Recorded;
}

void linkBlocks(const GraphOutline &outline, Drawing &drawing, const JobControl &control)
{
    LinkSearch(outline, drawing, control).add();
}

void sortLinks(Drawing &drawing)
{
    const auto place = [](const DrawnLink &link) {
        return std::tuple(!link.isOnPath, link.isWithinLane, ~link.bytes, link.toX - link.fromX);
    };
    std::stable_sort(
        drawing.links.begin(), drawing.links.end(),
        [&place](const DrawnLink &a, const DrawnLink &b) { return place(a) < place(b); });
}

} // namespace core
