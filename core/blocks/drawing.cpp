#include "core/blocks/drawing.h"

#include "core/base/ranks_text.h"
#include "core/blocks/links.h"
#include "core/blocks/phase_blocks.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    class Placer
    {
    public:
        Placer(const GraphOutline &outline, const DrawingOptions &options,
               const JobControl &control)
            : m_outline(outline)
            , m_options(options)
            , m_control(control)
        {
        }

        Drawing place()
        {
            m_drawing.arrangement = m_options.arrangement;
            m_drawing.width
                = static_cast<double>(std::max<std::int64_t>(1, m_outline.range.durationNs()));
            findPath();
            for (std::uint32_t lane = 0; lane < m_outline.lanes.size(); ++lane) {
                if (m_options.foldsAlikeRanks && m_outline.alike.standIn[lane] != lane)
                    continue;
                if (m_options.leavesOutIdleLanes && isIdle(lane))
                    ++m_drawing.lanesLeftOut;
                else
                    addLane(lane);
            }
            sortBlocks();
            return std::move(m_drawing);
        }

    private:
        void findPath()
        {
            m_isOnPath.assign(m_outline.lanes.size(), 0);
            for (const OpId op : m_outline.path)
                if (const std::uint32_t lane = m_outline.places[op.value].lane;
                    lane != GraphOutline::NoLane)
                    m_isOnPath[m_outline.alike.standIn[lane]] = m_isOnPath[lane] = 1;
        }

        bool isIdle(std::uint32_t lane) const
        {
            constexpr std::int64_t IdleParts = 1000;
            std::int64_t busyNs = 0;
            for (const Block &block : m_outline.outermost[lane])
                busyNs += block.busyNs;
            return m_isOnPath[lane] == 0 && busyNs * IdleParts < m_outline.range.durationNs();
        }

        void addLane(std::uint32_t lane)
        {
            throwIfCancelled(m_control);
            const Lane &from = m_outline.lanes[lane];
            DrawnLane drawn { from.name,   groupOf(from), from.kind,
                              from.worker, lane,          m_drawing.rowCount };
            m_rowEndsNs.clear();
            m_rowCount = 1;
            addBlocks(m_outline.outermost[lane], DrawnBlock::None, 0);
            drawn.rowCount = m_rowCount;
            m_drawing.rowCount += m_rowCount;
            m_drawing.lanes.push_back(std::move(drawn));
        }

        std::string groupOf(const Lane &lane) const
        {
            if (!m_options.foldsAlikeRanks || lane.isShared)
                return lane.group;
            for (const std::vector<WorkerId> &group : m_outline.alike.groups) {
                if (group.front() != lane.worker || group.size() == 1)
                    continue;
                std::vector<int> ranks;
                for (const WorkerId worker : group)
                    ranks.push_back(m_outline.rankOf[worker.value]);
                return "ranks " + rankNumbersText(std::move(ranks)) + " (alike)";
            }
            return lane.group;
        }

        /// Blocks of one parent, in order of start: each goes into the first row below it that is
        /// free, what is in it into the rows below.
        void addBlocks(const std::vector<Block> &blocks, std::uint32_t parent, std::uint32_t depth)
        {
            for (const Block &block : blocks) {
                const std::uint32_t row = freeRow(block, depth);
                m_rowCount = std::max(m_rowCount, row + 1);
                DrawnBlock drawn { block };
                drawn.parent = parent;
                drawn.row = m_drawing.rowCount + row;
                drawn.left = static_cast<double>(block.startNs - m_outline.range.startNs);
                drawn.right = static_cast<double>(block.endNs - m_outline.range.startNs);
                drawn.isOpen = block.hasInner()
                    && (m_options.level == DetailLevel::Ops
                        || m_options.open.contains(keyOf(block)));
                drawn.slackNs = slackOf(block);
                const auto index = static_cast<std::uint32_t>(m_drawing.blocks.size());
                m_drawing.blocks.push_back(std::move(drawn));
                if (m_drawing.blocks[index].isOpen)
                    addBlocks(innerBlocks(*m_outline.graph, m_outline.lanes[block.lane], block),
                              index, row + 1);
            }
        }

        std::uint32_t freeRow(const Block &block, std::uint32_t depth)
        {
            std::uint32_t row = depth;
            while (row < m_rowEndsNs.size() && m_rowEndsNs[row] > block.startNs)
                ++row;
            if (row >= m_rowEndsNs.size())
                m_rowEndsNs.resize(row + 1, std::numeric_limits<std::int64_t>::min());
            m_rowEndsNs[row] = std::max(m_rowEndsNs[row], block.endNs);
            return row;
        }

        std::int64_t slackOf(const Block &block) const
        {
            std::int64_t least = -1;
            const std::vector<LaneOp> &ops = m_outline.lanes[block.lane].ops;
            for (std::uint32_t i = block.first; i < block.first + block.count; ++i) {
                const std::int64_t own = m_outline.slackNs[ops[i].op.value];
                if (own >= 0 && (least < 0 || own < least))
                    least = own;
            }
            return least;
        }

        void sortBlocks()
        {
            std::vector<std::uint32_t> order(m_drawing.blocks.size());
            for (std::uint32_t i = 0; i < order.size(); ++i)
                order[i] = i;
            std::sort(order.begin(), order.end(), [this](std::uint32_t a, std::uint32_t b) {
                const DrawnBlock &x = m_drawing.blocks[a], &y = m_drawing.blocks[b];
                return std::tuple(x.row, x.left, a) < std::tuple(y.row, y.left, b);
            });
            std::vector<std::uint32_t> place(order.size());
            std::vector<DrawnBlock> sorted;
            sorted.reserve(order.size());
            for (std::uint32_t i = 0; i < order.size(); ++i) {
                place[order[i]] = i;
                sorted.push_back(std::move(m_drawing.blocks[order[i]]));
            }
            for (DrawnBlock &block : sorted)
                if (block.parent != DrawnBlock::None)
                    block.parent = place[block.parent];
            m_drawing.blocks = std::move(sorted);
        }

        const GraphOutline &m_outline;
        const DrawingOptions &m_options;
        const JobControl &m_control;
        Drawing m_drawing;
        std::vector<char> m_isOnPath; ///< by lane
        std::vector<std::int64_t> m_rowEndsNs; ///< of the lane that is placed, by row
        std::uint32_t m_rowCount = 1; ///< of that lane
    };

    /// Columns by what waits for what: behind the block before it in its row and behind all blocks
    /// that it waits for. What a block waits for that began no earlier does not count, so that
    /// there is no cycle; blocks are as wide as what is in them.
    void arrangeInColumns(Drawing &drawing)
    {
        constexpr double Filled = 0.94; // of a column; links need the rest
        std::vector<std::vector<std::uint32_t>> sources(drawing.blocks.size());
        for (const DrawnLink &link : drawing.links)
            sources[link.to].push_back(link.from);
        std::vector<std::uint32_t> order(drawing.blocks.size());
        for (std::uint32_t i = 0; i < order.size(); ++i)
            order[i] = i;
        std::stable_sort(order.begin(), order.end(), [&drawing](std::uint32_t a, std::uint32_t b) {
            return drawing.blocks[a].startNs < drawing.blocks[b].startNs;
        });
        std::vector<double> free(drawing.rowCount, 0); // by row
        std::vector<char> isPlaced(drawing.blocks.size(), 0);
        drawing.width = 1;
        for (const std::uint32_t i : order) {
            DrawnBlock &block = drawing.blocks[i];
            double column = free[block.row];
            for (const std::uint32_t source : sources[i])
                if (isPlaced[source] != 0)
                    column = std::max(column, drawing.blocks[source].left + 1);
            block.left = column;
            block.right = column + Filled;
            free[block.row] = column + 1;
            isPlaced[i] = 1;
            // Parents reach as far as what is in them.
            for (std::uint32_t inner = i; drawing.blocks[inner].parent != DrawnBlock::None;) {
                DrawnBlock &parent = drawing.blocks[drawing.blocks[inner].parent];
                parent.right = std::max(parent.right, column + Filled);
                free[parent.row] = std::max(free[parent.row], column + 1);
                inner = drawing.blocks[inner].parent;
            }
            drawing.width = std::max(drawing.width, column + 1);
        }
        for (DrawnLink &link : drawing.links) {
            link.fromX = drawing.blocks[link.from].right;
            link.toX = drawing.blocks[link.to].left;
        }
        for (PathStep &step : drawing.path) {
            step.left = drawing.blocks[step.block].left;
            step.right = drawing.blocks[step.block].right;
        }
    }

} // namespace

BlockKey keyOf(const Block &block)
{
    return { block.lane, block.first, block.count };
}

Drawing drawingOf(const GraphOutline &outline, const DrawingOptions &options,
                  const JobControl &control)
{
    Drawing drawing = Placer(outline, options, control).place();
    linkBlocks(outline, options, drawing, control);
    if (options.arrangement == Arrangement::ByLayers)
        arrangeInColumns(drawing);
    sortLinks(drawing);
    return drawing;
}

} // namespace core
