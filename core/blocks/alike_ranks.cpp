#include "core/blocks/alike_ranks.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <map>
#include <unordered_map>

namespace core {

namespace {

    constexpr std::int64_t FarParts = 100; ///< of the range: further apart blocks are not alike

    using LanesOfRank = std::vector<std::uint32_t>;

    class AlikeSearch
    {
    public:
        AlikeSearch(const std::vector<Lane> &lanes,
                    const std::vector<std::vector<Block>> &outermost, std::int64_t rangeNs)
            : m_lanes(lanes)
            , m_outermost(outermost)
            , m_mostNs(rangeNs / FarParts)
        {
        }

        AlikeRanks find(WorkerId favoured)
        {
            for (std::uint32_t i = 0; i < m_lanes.size(); ++i) {
                m_found.standIn.push_back(i);
                if (!m_lanes[i].isShared)
                    m_lanesOf[m_lanes[i].worker.value].push_back(i);
            }
            if (m_lanesOf.contains(favoured.value))
                place(favoured);
            for (const Lane &lane : m_lanes) // in the order of ranks
                if (!lane.isShared && lane.worker != favoured
                    && m_isPlaced.try_emplace(lane.worker.value, true).second)
                    place(lane.worker);
            return std::move(m_found);
        }

    private:
        void place(WorkerId worker)
        {
            const LanesOfRank &own = m_lanesOf[worker.value];
            std::vector<std::size_t> &candidates = m_groupsOf[shapeOf(own)];
            for (const std::size_t group : candidates) {
                const LanesOfRank &drawn = m_lanesOf[m_found.groups[group].front().value];
                if (!areAlike(own, drawn))
                    continue;
                m_found.groups[group].push_back(worker);
                for (std::size_t i = 0; i < own.size(); ++i)
                    m_found.standIn[own[i]] = drawn[i];
                return;
            }
            candidates.push_back(m_found.groups.size());
            m_found.groups.push_back({ worker });
        }

        std::size_t shapeOf(const LanesOfRank &lanes) const
        {
            std::size_t shape = lanes.size();
            const auto add = [&shape](std::size_t value) {
                constexpr std::size_t Prime = 1'000'003;
                shape = shape * Prime + value;
            };
            for (const std::uint32_t lane : lanes) {
                add(static_cast<std::size_t>(m_lanes[lane].kind));
                add(m_outermost[lane].size());
                for (const Block &block : m_outermost[lane])
                    add(std::hash<std::string>()(block.name));
            }
            return shape;
        }

        bool areAlike(const LanesOfRank &a, const LanesOfRank &b) const
        {
            const auto isNear
                = [this](std::int64_t x, std::int64_t y) { return std::abs(x - y) <= m_mostNs; };
            const auto isSame = [&](const Block &x, const Block &y) {
                return x.name == y.name && x.kind == y.kind && isNear(x.startNs, y.startNs)
                    && isNear(x.endNs, y.endNs) && isNear(x.waitNs, y.waitNs);
            };
            return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                              [&](std::uint32_t laneA, std::uint32_t laneB) {
                                  const auto &blocksA = m_outermost[laneA];
                                  const auto &blocksB = m_outermost[laneB];
                                  return m_lanes[laneA].kind == m_lanes[laneB].kind
                                      && std::equal(blocksA.begin(), blocksA.end(), blocksB.begin(),
                                                    blocksB.end(), isSame);
                              });
        }

        const std::vector<Lane> &m_lanes;
        const std::vector<std::vector<Block>> &m_outermost;
        std::int64_t m_mostNs;
        AlikeRanks m_found;
        std::map<std::uint32_t, LanesOfRank> m_lanesOf; ///< by WorkerId
        std::map<std::uint32_t, bool> m_isPlaced; ///< by WorkerId
        std::unordered_map<std::size_t, std::vector<std::size_t>> m_groupsOf; ///< by shape
    };

} // namespace

AlikeRanks findAlikeRanks(const std::vector<Lane> &lanes,
                          const std::vector<std::vector<Block>> &outermost, std::int64_t rangeNs,
                          WorkerId favoured)
{
    return AlikeSearch(lanes, outermost, rangeNs).find(favoured);
}

} // namespace core
