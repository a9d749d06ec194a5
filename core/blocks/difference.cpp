#include "core/blocks/difference.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <tuple>

namespace core {

namespace {

    constexpr double MovedParts = 200; ///< of the iteration

    /// Group where it is no rank's own, rank, kind and name.
    using LaneIdentity = std::tuple<std::string, std::uint32_t, LaneKind, std::string>;

    LaneIdentity identityOf(const Lane &lane)
    {
        return { lane.isShared ? lane.group : std::string(), lane.isShared ? 0 : lane.worker.value,
                 lane.kind, lane.name };
    }

    /// Name, and the how many-th of that name.
    using BlockIdentity = std::tuple<std::string, std::uint32_t>;

    std::vector<BlockIdentity> identitiesOf(const std::vector<Block> &blocks)
    {
        std::map<std::string, std::uint32_t> counts;
        std::vector<BlockIdentity> identities;
        identities.reserve(blocks.size());
        for (const Block &block : blocks)
            identities.emplace_back(block.name, counts[block.name]++);
        return identities;
    }

    struct Places
    {
        double left = 0, right = 0;
    };

    Places placesIn(const GraphOutline &outline, const Block &block)
    {
        const auto left = static_cast<double>(block.startNs - outline.range.startNs);
        const auto right = static_cast<double>(block.endNs - outline.range.startNs);
        return { std::max(0.0, left), std::max(0.0, right) };
    }

    class Comparison
    {
    public:
        Comparison(const GraphOutline &other, const GraphOutline &shown, const Drawing &drawn)
            : m_other(other)
            , m_shown(shown)
            , m_drawn(drawn)
            , m_far(
                  static_cast<double>(std::max(other.range.durationNs(), shown.range.durationNs()))
                  / MovedParts)
        {
            m_difference.changes.assign(drawn.blocks.size(), BlockChange::Same);
            for (std::uint32_t i = 0; i < drawn.blocks.size(); ++i)
                if (drawn.blocks[i].parent == DrawnBlock::None)
                    m_blockOf[keyOf(drawn.blocks[i])] = i;
            for (std::uint32_t i = 0; i < other.lanes.size(); ++i)
                m_otherLaneOf[identityOf(other.lanes[i])] = i;
        }

        DrawingDifference compare()
        {
            std::set<std::uint32_t> ranks; // that are drawn
            for (const DrawnLane &lane : m_drawn.lanes) {
                if (!m_shown.lanes[lane.lane].isShared)
                    ranks.insert(lane.worker.value);
                compareLane(lane);
            }
            for (const Lane &lane : m_shown.lanes) // some are drawn in no row
                m_otherLaneOf.erase(identityOf(lane));
            for (const auto &[identity, lane] : m_otherLaneOf)
                if (m_other.lanes[lane].isShared
                    || ranks.contains(m_other.lanes[lane].worker.value))
                    m_difference.removed += m_other.outermost[lane].size();
            return std::move(m_difference);
        }

    private:
        void compareLane(const DrawnLane &drawn)
        {
            std::map<BlockIdentity, const Block *> known;
            const auto lane = m_otherLaneOf.find(identityOf(m_shown.lanes[drawn.lane]));
            if (lane != m_otherLaneOf.end()) {
                const std::vector<Block> &blocks = m_other.outermost[lane->second];
                const std::vector<BlockIdentity> identities = identitiesOf(blocks);
                for (std::size_t i = 0; i < blocks.size(); ++i)
                    known[identities[i]] = &blocks[i];
            }
            const std::vector<Block> &blocks = m_shown.outermost[drawn.lane];
            const std::vector<BlockIdentity> identities = identitiesOf(blocks);
            for (std::size_t i = 0; i < blocks.size(); ++i) {
                const auto met = known.find(identities[i]);
                compareBlock(blocks[i], met == known.end() ? nullptr : met->second);
                if (met != known.end())
                    known.erase(met);
            }
            for (const auto &[identity, block] : known) {
                const Places was = placesIn(m_other, *block);
                ++m_difference.removed;
                m_difference.ghosts.push_back({ drawn.firstRow, was.left, was.right, true });
            }
        }

        void compareBlock(const Block &block, const Block *other)
        {
            const auto drawn = m_blockOf.find(keyOf(block));
            if (drawn == m_blockOf.end())
                return; // it has no room
            BlockChange &change = m_difference.changes[drawn->second];
            if (other == nullptr) {
                change = BlockChange::Added;
                ++m_difference.added;
                return;
            }
            const Places is = placesIn(m_shown, block), was = placesIn(m_other, *other);
            if (std::abs(is.left - was.left) <= m_far && std::abs(is.right - was.right) <= m_far)
                return;
            change = BlockChange::Moved;
            ++m_difference.moved;
            m_difference.ghosts.push_back(
                { m_drawn.blocks[drawn->second].row, was.left, was.right, false });
        }

        const GraphOutline &m_other;
        const GraphOutline &m_shown;
        const Drawing &m_drawn;
        double m_far;
        std::map<BlockKey, std::uint32_t> m_blockOf; ///< outermost ones
        std::map<LaneIdentity, std::uint32_t> m_otherLaneOf;
        DrawingDifference m_difference;
    };

    bool isDrawn(const Drawing &drawing, std::uint32_t lane)
    {
        return std::any_of(drawing.lanes.begin(), drawing.lanes.end(),
                           [lane](const DrawnLane &drawn) { return drawn.lane == lane; });
    }

    /// The lane that is drawn for that of another outline; empty: none is.
    std::optional<std::uint32_t> laneLike(const Lane &lane, const DrawnOutline &in)
    {
        const std::vector<Lane> &lanes = in.outline.lanes;
        const auto found = std::find_if(lanes.begin(), lanes.end(), [&lane](const Lane &other) {
            return identityOf(other) == identityOf(lane);
        });
        if (found == lanes.end())
            return std::nullopt;
        const auto index = static_cast<std::uint32_t>(found - lanes.begin());
        for (const std::uint32_t drawn : { index, in.outline.alike.standIn[index] })
            if (isDrawn(in.drawing, drawn))
                return drawn;
        return std::nullopt;
    }

    /// Siblings in a lane with the same name, by start.
    std::vector<std::uint32_t> namesakes(const Drawing &drawing, std::uint32_t lane,
                                         std::uint32_t parent, const std::string &name)
    {
        std::vector<std::uint32_t> found;
        for (std::uint32_t i = 0; i < drawing.blocks.size(); ++i) {
            const DrawnBlock &block = drawing.blocks[i];
            if (block.lane == lane && block.parent == parent && block.name == name)
                found.push_back(i);
        }
        std::sort(found.begin(), found.end(), [&drawing](std::uint32_t a, std::uint32_t b) {
            return drawing.blocks[a].first < drawing.blocks[b].first;
        });
        return found;
    }

} // namespace

DrawingDifference differenceOf(const GraphOutline &before, const GraphOutline &after,
                               const Drawing &drawn)
{
    return Comparison(before, after, drawn).compare();
}

DrawingDifference differenceBefore(const GraphOutline &before, const GraphOutline &after,
                                   const Drawing &drawn)
{
    DrawingDifference difference = Comparison(after, before, drawn).compare();
    std::replace(difference.changes.begin(), difference.changes.end(), BlockChange::Added,
                 BlockChange::Removed);
    std::swap(difference.added, difference.removed);
    difference.ghosts.clear();
    return difference;
}

std::optional<std::uint32_t> counterpartOf(const DrawnOutline &from, std::uint32_t block,
                                           const DrawnOutline &to)
{
    const DrawnBlock &wanted = from.drawing.blocks[block];
    const auto lane = laneLike(from.outline.lanes[wanted.lane], to);
    if (!lane)
        return std::nullopt;
    std::uint32_t parent = DrawnBlock::None;
    if (wanted.parent != DrawnBlock::None) {
        const auto around = counterpartOf(from, wanted.parent, to);
        if (!around)
            return std::nullopt;
        parent = *around;
    }
    const auto own = namesakes(from.drawing, wanted.lane, wanted.parent, wanted.name);
    const auto others = namesakes(to.drawing, *lane, parent, wanted.name);
    const auto number
        = static_cast<std::size_t>(std::find(own.begin(), own.end(), block) - own.begin());
    return number < others.size() ? std::optional(others[number]) : std::nullopt;
}

} // namespace core
