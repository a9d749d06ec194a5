#include "core/blocks/drawing.h"

#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/blocks/links.h"
#include "core/blocks/phase_blocks.h"
#include "core/model/kinds/host_role.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <tuple>

namespace core {

namespace {

    constexpr std::uint32_t MostRows = 64; ///< of a lane

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
            findDevices();
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

        void findDevices()
        {
            m_hasDevice.assign(m_outline.rankOf.size(), 0);
            for (const Device &device : m_outline.graph->devices)
                if (device.isStream && device.worker.value < m_hasDevice.size())
                    m_hasDevice[device.worker.value] = 1;
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
                ranks.reserve(group.size());
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
                if (row >= MostRows) {
                    ++m_drawing.blocksLeftOut;
                    continue;
                }
                m_rowCount = std::max(m_rowCount, row + 1);
                DrawnBlock drawn { block };
                drawn.role = shownRole(block);
                drawn.parent = parent;
                drawn.row = m_drawing.rowCount + row;
                drawn.left
                    = std::max(0.0, static_cast<double>(block.startNs - m_outline.range.startNs));
                drawn.right = std::max(drawn.left,
                                       static_cast<double>(block.endNs - m_outline.range.startNs));
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

        /// Beside a device a thread's phases have the colour of host work, as in the timeline.
        Role shownRole(const Block &block) const
        {
            const Lane &lane = m_outline.lanes[block.lane];
            const bool isHost = lane.kind == LaneKind::Host && !lane.isShared;
            return isHost ? hostRole(block.role, m_hasDevice[lane.worker.value] != 0) : block.role;
        }

        std::uint32_t freeRow(const Block &block, std::uint32_t depth)
        {
            std::uint32_t row = depth;
            while (row < m_rowEndsNs.size() && m_rowEndsNs[row] > block.startNs)
                if (++row >= MostRows)
                    return row;
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
        std::vector<char> m_hasDevice; ///< by WorkerId
        std::vector<std::int64_t> m_rowEndsNs; ///< of the lane that is placed, by row
        std::uint32_t m_rowCount = 1; ///< of that lane
    };

    /// Columns by what waits for what: a block stands behind those that it waits for and behind
    /// those before it in its lane and row. Where blocks wait for one another in a circle, as
    /// closed ones may, the one that begins first goes first. Open blocks are as wide as what is in
    /// them.
    class Columns
    {
    public:
        explicit Columns(Drawing &drawing)
            : m_drawing(drawing)
            , m_followers(drawing.blocks.size())
            , m_missing(drawing.blocks.size(), 0)
            , m_column(drawing.blocks.size(), 0)
            , m_isPlaced(drawing.blocks.size(), 0)
        {
        }

        void arrange()
        {
            collectOrder();
            placeAll();
            setPlaces();
        }

    private:
        static constexpr double Filled = 0.94; ///< of a column; links need the rest

        void addOrder(std::uint32_t from, std::uint32_t to)
        {
            m_followers[from].push_back(to);
            ++m_missing[to];
        }

        void collectOrder()
        {
            for (const DrawnLink &link : m_drawing.links)
                addOrder(link.from, link.to);
            std::vector<std::uint32_t> leaves;
            for (std::uint32_t i = 0; i < m_drawing.blocks.size(); ++i)
                if (!m_drawing.blocks[i].isOpen)
                    leaves.push_back(i);
            std::stable_sort(leaves.begin(), leaves.end(),
                             [this](std::uint32_t a, std::uint32_t b) {
                                 return m_drawing.blocks[a].startNs < m_drawing.blocks[b].startNs;
                             });
            std::map<std::uint32_t, std::uint32_t> lastOfLane, lastOfRow;
            for (const std::uint32_t leaf : leaves) {
                const DrawnBlock &block = m_drawing.blocks[leaf];
                const auto inRow = lastOfRow.find(block.row), inLane = lastOfLane.find(block.lane);
                if (inRow != lastOfRow.end())
                    addOrder(inRow->second, leaf);
                if (inLane != lastOfLane.end()
                    && m_drawing.blocks[inLane->second].endNs <= block.startNs)
                    addOrder(inLane->second, leaf);
                lastOfRow[block.row] = lastOfLane[block.lane] = leaf;
                m_waiting.insert({ block.startNs, leaf });
            }
        }

        void placeAll()
        {
            std::set<std::pair<std::int64_t, std::uint32_t>> ready;
            for (const auto &entry : m_waiting)
                if (m_missing[entry.second] == 0)
                    ready.insert(entry);
            while (!m_waiting.empty()) {
                const auto next = ready.empty() ? *m_waiting.begin() : *ready.begin();
                ready.erase(next);
                m_waiting.erase(next);
                m_isPlaced[next.second] = 1;
                for (const std::uint32_t follower : m_followers[next.second]) {
                    if (m_isPlaced[follower] != 0)
                        continue;
                    m_column[follower] = std::max(m_column[follower], m_column[next.second] + 1);
                    if (--m_missing[follower] == 0)
                        ready.insert({ m_drawing.blocks[follower].startNs, follower });
                }
            }
        }

        void setPlaces()
        {
            for (DrawnBlock &block : m_drawing.blocks)
                if (block.isOpen) {
                    block.left = std::numeric_limits<double>::max();
                    block.right = 0;
                }
            m_drawing.width = 1;
            for (std::uint32_t i = 0; i < m_drawing.blocks.size(); ++i) {
                DrawnBlock &block = m_drawing.blocks[i];
                if (block.isOpen)
                    continue;
                block.left = m_column[i];
                block.right = m_column[i] + Filled;
                m_drawing.width = std::max(m_drawing.width, m_column[i] + 1.0);
                for (std::uint32_t parent = block.parent; parent != DrawnBlock::None;
                     parent = m_drawing.blocks[parent].parent) {
                    DrawnBlock &around = m_drawing.blocks[parent];
                    around.left = std::min(around.left, block.left);
                    around.right = std::max(around.right, block.right);
                }
            }
            for (DrawnLink &link : m_drawing.links) {
                link.fromX = m_drawing.blocks[link.from].right;
                link.toX = m_drawing.blocks[link.to].left;
            }
            for (PathStep &step : m_drawing.path) {
                step.left = m_drawing.blocks[step.block].left;
                step.right = m_drawing.blocks[step.block].right;
            }
        }

        Drawing &m_drawing;
        std::vector<std::vector<std::uint32_t>> m_followers; ///< by block
        std::vector<std::uint32_t> m_missing, m_column; ///< by block
        std::vector<char> m_isPlaced; ///< by block
        std::set<std::pair<std::int64_t, std::uint32_t>> m_waiting; ///< (start, leaf)
    };

} // namespace

BlockKey keyOf(const Block &block)
{
    return { block.lane, block.first, block.count };
}

Drawing drawingOf(const GraphOutline &outline, const DrawingOptions &options,
                  const JobControl &control)
{
    Drawing drawing = Placer(outline, options, control).place();
    linkBlocks(outline, drawing, control);
    if (options.arrangement == Arrangement::ByLayers)
        Columns(drawing).arrange();
    sortLinks(drawing);
    return drawing;
}

std::string longestOnPathText(const Drawing &drawing, std::int64_t durationNs)
{
    const auto lengthNs = [](const DrawnBlock &block) {
        return block.isOpen ? std::int64_t { 0 } : block.onPathNs;
    };
    const auto longest = std::max_element(drawing.blocks.begin(), drawing.blocks.end(),
                                          [&lengthNs](const DrawnBlock &a, const DrawnBlock &b) {
                                              return lengthNs(a) < lengthNs(b);
                                          });
    if (longest == drawing.blocks.end() || lengthNs(*longest) == 0)
        return {};
    const double share = static_cast<double>(lengthNs(*longest))
        / static_cast<double>(std::max<std::int64_t>(1, durationNs));
    return "Longest on the critical path: " + titleOf(*longest) + ", "
        + durationText(lengthNs(*longest)) + " (" + percentText(share) + ")";
}

} // namespace core
