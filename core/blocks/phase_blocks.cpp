#include "core/blocks/phase_blocks.h"

#include "core/blocks/repeats.h"

#include <algorithm>
#include <array>
#include <optional>

namespace core {

namespace {

    constexpr std::int64_t IdleParts = 50; ///< a gap of one of them ends a stretch

    /// Subject of a stretch of ops: a phase, or copies out of buckets.
    struct Part
    {
        Phase phase = Phase::None;
        bool isCopyOut = false;

        bool isKnown() const { return phase != Phase::None || isCopyOut; }
        bool operator==(const Part &) const = default;
    };

    bool isAlone(const LaneOp &op)
    {
        return op.collective != LaneOp::NoCollective;
    }

    /// Sums up ops of a lane.
    class BlockMaker
    {
    public:
        BlockMaker(const Graph &graph, const Lane &lane, std::uint32_t laneIndex)
            : m_graph(graph)
            , m_lane(lane)
            , m_laneIndex(laneIndex)
        {
        }

        Block block(std::size_t first, std::size_t count, BlockKind kind) const
        {
            Block made;
            made.lane = m_laneIndex;
            made.first = static_cast<std::uint32_t>(first);
            made.count = static_cast<std::uint32_t>(count);
            made.kind = kind;
            made.startNs = m_lane.ops[first].startNs;
            std::array<std::int64_t, RoleCount> byRole {};
            for (std::size_t i = first; i < first + count; ++i) {
                const LaneOp &op = m_lane.ops[i];
                made.endNs = std::max(made.endNs, op.endNs);
                made.busyNs += op.endNs - op.startNs;
                byRole[static_cast<std::size_t>(roleOf(m_graph, op.op))] += op.endNs - op.startNs;
            }
            made.role = static_cast<Role>(std::max_element(byRole.begin(), byRole.end())
                                          - byRole.begin());
            return made;
        }

        Block collective(std::size_t index) const
        {
            const LaneOp &op = m_lane.ops[index];
            const CollectiveNode &node = m_graph.collectives[op.collective];
            Block made = block(
                index, 1, m_lane.kind == LaneKind::Link ? BlockKind::Transfer : BlockKind::Part);
            made.role = Role::Communication;
            made.waitNs = op.waitNs;
            made.bytes = node.bytes;
            made.name = node.name;
            made.detail = node.tensor;
            return made;
        }

        Block single(std::size_t index) const
        {
            if (isAlone(m_lane.ops[index]))
                return collective(index);
            Block made = block(index, 1, BlockKind::Op);
            made.name = m_graph.names[m_graph.name[m_lane.ops[index].op.value].value];
            return made;
        }

    private:
        const Graph &m_graph;
        const Lane &m_lane;
        std::uint32_t m_laneIndex;
    };

    std::string partTitle(const Part &part, Role role)
    {
        if (part.isCopyOut)
            return "copy out";
        return std::string(part.phase == Phase::None ? roleName(role) : phaseName(part.phase));
    }

    class PhaseSplit
    {
    public:
        PhaseSplit(const Graph &graph, const Lane &lane, std::uint32_t laneIndex,
                   std::int64_t rangeNs)
            : m_graph(graph)
            , m_lane(lane)
            , m_maker(graph, lane, laneIndex)
            , m_gapNs(std::max<std::int64_t>(1, rangeNs / IdleParts))
        {
        }

        std::vector<Block> split()
        {
            for (std::size_t i = 0; i < m_lane.ops.size(); ++i) {
                if (isAlone(m_lane.ops[i])) {
                    end(i);
                    m_blocks.push_back(m_maker.collective(i));
                    m_first = i + 1;
                    m_endNs = std::max(m_endNs, m_lane.ops[i].endNs);
                    continue;
                }
                const Part part = partOf(m_lane.ops[i]);
                if (i > m_first && (isAfterGap(i) || isOther(part)))
                    end(m_lastKnown && !isAfterGap(i) ? *m_lastKnown + 1 : i);
                if (part.isKnown()) {
                    m_part = part;
                    m_lastKnown = i;
                }
                m_endNs = std::max(m_endNs, m_lane.ops[i].endNs);
            }
            end(m_lane.ops.size());
            joinSplinters();
            return std::move(m_blocks);
        }

    private:
        const std::string &longestName(const Block &block) const
        {
            const auto first = m_lane.ops.begin() + block.first;
            const auto longest = std::max_element(
                first, first + block.count, [](const LaneOp &a, const LaneOp &b) {
                    return a.endNs - a.startNs < b.endNs - b.startNs;
                });
            return m_graph.names[m_graph.name[longest->op.value].value];
        }

        /// Splinters go to the larger block that they touch: the one before, else the one behind.
        void joinSplinters()
        {
            std::vector<Block> joined;
            for (Block &block : m_blocks) {
                if (!joined.empty() && touch(joined.back(), block) && isSplinter(block)
                    && !isSplinter(joined.back()))
                    joined.back() = both(joined.back(), block);
                else
                    joined.push_back(std::move(block));
            }
            m_blocks.clear();
            for (std::size_t i = joined.size(); i-- > 0;) {
                if (!m_blocks.empty() && touch(joined[i], m_blocks.back()) && isSplinter(joined[i])
                    && !isSplinter(m_blocks.back()))
                    m_blocks.back() = both(joined[i], m_blocks.back());
                else
                    m_blocks.push_back(std::move(joined[i]));
            }
            std::reverse(m_blocks.begin(), m_blocks.end());
        }

        bool isSplinter(const Block &block) const
        {
            constexpr std::int64_t PartsOfGap = 10;
            return block.kind == BlockKind::Phase && block.durationNs() * PartsOfGap < m_gapNs;
        }
        bool touch(const Block &a, const Block &b) const
        {
            return a.kind == BlockKind::Phase && b.kind == BlockKind::Phase
                && a.first + a.count == b.first && b.startNs - a.endNs <= m_gapNs;
        }
        static Block both(const Block &a, const Block &b)
        {
            Block made = a.durationNs() < b.durationNs() ? b : a;
            made.first = a.first;
            made.count = a.count + b.count;
            made.startNs = a.startNs;
            made.endNs = std::max(a.endNs, b.endNs);
            made.busyNs = a.busyNs + b.busyNs;
            return made;
        }

        bool isAfterGap(std::size_t i) const { return m_lane.ops[i].startNs - m_endNs > m_gapNs; }
        bool isOther(const Part &part) const
        {
            return part.isKnown() && m_part.isKnown() && part != m_part;
        }
        Part partOf(const LaneOp &op) const
        {
            return op.isCopyOut ? Part { Phase::None, true }
                                : Part { m_graph.phase[op.op.value], false };
        }

        /// Ends the block that grows before the op `next`.
        void end(std::size_t next)
        {
            if (next > m_first) {
                Block made = m_maker.block(m_first, next - m_first, BlockKind::Phase);
                made.name = partTitle(m_part, made.role);
                if (m_part.isCopyOut)
                    made.role = Role::Memory;
                else if (made.role == Role::Communication) // that no collective was found for
                    made.name = longestName(made);
                m_blocks.push_back(std::move(made));
            }
            m_first = next;
            m_part = {};
            m_lastKnown.reset();
        }

        const Graph &m_graph;
        const Lane &m_lane;
        BlockMaker m_maker;
        std::int64_t m_gapNs;
        std::vector<Block> m_blocks;
        std::size_t m_first = 0; ///< of the block that grows
        Part m_part; ///< of that block, once known
        std::optional<std::size_t> m_lastKnown; ///< its last op that tells it
        std::int64_t m_endNs = 0; ///< of all ops so far
    };

} // namespace

Role roleOf(const Graph &graph, OpId op)
{
    switch (graph.kind[op.value]) {
    case OpKind::Compute:
        return roleOf(Category::Kernel, graph.phase[op.value]);
    case OpKind::Communication:
        return Role::Communication;
    case OpKind::Memory:
        return Role::Memory;
    case OpKind::Host:
    case OpKind::Virtual:
        break;
    }
    return Role::Host;
}

std::vector<Block> phaseBlocks(const Graph &graph, const Lane &lane, std::uint32_t laneIndex,
                               std::int64_t rangeNs)
{
    return PhaseSplit(graph, lane, laneIndex, rangeNs).split();
}

std::vector<Block> innerBlocks(const Graph &graph, const Lane &lane, const Block &block)
{
    std::vector<Block> inner;
    if (!block.hasInner())
        return inner;
    std::vector<std::uint32_t> names;
    names.reserve(block.count);
    for (std::size_t i = block.first; i < block.first + block.count; ++i)
        names.push_back(graph.name[lane.ops[i].op.value].value);
    const BlockMaker maker(graph, lane, block.lane);
    const std::optional<Repeat> repeat = longestRepeat(names);
    const std::size_t begin = repeat ? repeat->first : names.size();
    for (std::size_t i = 0; i < names.size();) {
        if (i != begin || !repeat) {
            inner.push_back(maker.single(block.first + i++));
            continue;
        }
        for (std::size_t k = 0; k < repeat->count; ++k, i += repeat->period) {
            Block layer = maker.block(block.first + i, repeat->period, BlockKind::Layer);
            layer.name = "layer " + std::to_string(k + 1) + "/" + std::to_string(repeat->count);
            inner.push_back(std::move(layer));
        }
    }
    return inner;
}

} // namespace core
