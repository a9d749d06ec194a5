#include "core/change/chunks/measured_chunks.h"

#include "core/measure/bounded_time.h"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace core {

namespace {

    /// A chunk in the plan, and when it ended as measured.
    struct Placed
    {
        std::uint32_t index = 0;
        std::int64_t endNs = 0;
    };

    class RecordedPlanner
    {
    public:
        RecordedPlanner(const CollectiveNode &node, const GroupPlaces &places, double scale,
                        std::int64_t delayNs)
            : m_node(node)
            , m_memberOf(places.parts.size())
            , m_scale(scale)
            , m_delayNs(delayNs)
            , m_lastEndNs(places.parts.size())
        {
            for (std::uint32_t member = 0; member < places.parts.size(); ++member)
                m_memberOf[places.parts[member]] = member;
            m_transferNs = std::numeric_limits<std::int64_t>::min();
            for (const CollectiveNode::Part &part : node.parts)
                m_transferNs = std::max(m_transferNs, part.startNs);
        }

        void add(const RecordedChunk &recorded)
        {
            PlannedChunk chunk;
            chunk.from = m_memberOf[recorded.from];
            chunk.to = m_memberOf[recorded.to];
            chunk.channel = recorded.channel;
            chunk.slice = recorded.sent;
            // Both ranks have come.
            std::int64_t readyNs
                = std::max(m_node.parts[recorded.from].startNs, m_node.parts[recorded.to].startNs);
            std::int64_t startNs = std::max(recorded.range.startNs, readyNs);
            const auto [before, isFirst] = m_sent.try_emplace({ chunk.from, recorded.channel });
            if (!isFirst) {
                readyNs = std::max(readyNs, before->second.endNs);
                startNs = std::max(startNs, readyNs);
                chunk.preds.push_back(before->second.index);
            }
            if (const Placed *got = lastGot(chunk.from, recorded.channel, startNs)) {
                readyNs = std::max(readyNs, got->endNs);
                chunk.preds.push_back(got->index);
            }
            const std::int64_t endNs = std::max(startNs, recorded.range.endNs);
            chunk.label = "recorded chunk " + std::to_string(m_count[{ chunk.from, chunk.to }]++);
            chunk.offsetNs = startNs - m_transferNs;
            chunk.durationNs = scaledBy(endNs - startNs, m_scale);
            chunk.delayNs
                = scaledBy(startNs - readyNs, m_scale) + (chunk.preds.empty() ? m_delayNs : 0);
            const auto index = static_cast<std::uint32_t>(m_plan.chunks.size());
            before->second = { index, endNs };
            m_got[{ chunk.to, recorded.channel }].push_back({ index, endNs });
            for (const std::uint32_t member : { chunk.from, chunk.to })
                m_lastEndNs[member] = std::max(m_lastEndNs[member].value_or(endNs), endNs);
            m_latestNs = std::max(m_latestNs.value_or(endNs), endNs);
            m_plan.chunks.push_back(std::move(chunk));
        }

        PlannedCollective take()
        {
            m_plan.beginsByPairs = true;
            m_plan.tailNs.resize(m_lastEndNs.size());
            for (std::size_t part = 0; part < m_memberOf.size(); ++part) {
                const std::uint32_t member = m_memberOf[part];
                const std::int64_t lastNs
                    = m_lastEndNs[member].value_or(m_latestNs.value_or(m_transferNs));
                m_plan.tailNs[member] = scaledBy(
                    std::max<std::int64_t>(0, m_node.parts[part].endNs - lastNs), m_scale);
            }
            return std::move(m_plan);
        }

    private:
        /// Of the chunks that a member got on a channel the last that had come by then.
        const Placed *lastGot(std::uint32_t member, int channel, std::int64_t ns) const
        {
            const auto all = m_got.find({ member, channel });
            if (all == m_got.end())
                return nullptr;
            const Placed *last = nullptr;
            for (auto placed = all->second.rbegin(); placed != all->second.rend(); ++placed)
                if (placed->endNs <= ns) {
                    last = &*placed;
                    break;
                }
            return last;
        }

        const CollectiveNode &m_node;
        std::vector<std::uint32_t> m_memberOf; ///< by part
        double m_scale;
        std::int64_t m_delayNs;
        std::int64_t m_transferNs = 0; ///< when the last rank had come
        PlannedCollective m_plan;
        std::map<std::pair<std::uint32_t, int>, Placed> m_sent; ///< last, by sender and channel
        std::map<std::pair<std::uint32_t, int>, std::vector<Placed>>
            m_got; ///< by receiver and channel
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::size_t> m_count;
        std::vector<std::optional<std::int64_t>> m_lastEndNs; ///< by member, of its chunks
        std::optional<std::int64_t> m_latestNs; ///< of all chunks
    };

} // namespace

PlannedCollective plannedAsRecorded(const CollectiveNode &node, const GroupPlaces &places,
                                    const std::vector<RecordedChunk> &recorded, double scale,
                                    std::int64_t delayNs)
{
    RecordedPlanner planner(node, places, scale, delayNs);
    for (const RecordedChunk &chunk : recorded)
        planner.add(chunk);
    return planner.take();
}

void stayAsRecorded(const CollectiveNode &node, const GroupPlaces &places,
                    const TimeRange &measured, PlannedCollective &plan)
{
    if (measured.isEmpty())
        return;
    std::int64_t spanNs = 0;
    std::vector<std::int64_t> lastEndNs(places.parts.size(), 0); // of the member's chunks
    for (const PlannedChunk &chunk : plan.chunks) {
        const std::int64_t endNs = chunk.offsetNs + chunk.durationNs;
        spanNs = std::max(spanNs, endNs);
        for (const std::uint32_t member : { chunk.from, chunk.to })
            if (member < lastEndNs.size())
                lastEndNs[member] = std::max(lastEndNs[member], endNs);
    }
    const double scale = static_cast<double>(spanNs) / static_cast<double>(measured.durationNs());
    plan.tailNs.resize(lastEndNs.size());
    for (std::size_t member = 0; member < lastEndNs.size(); ++member) {
        const std::int64_t stayedNs = node.parts[places.parts[member]].endNs - measured.startNs;
        plan.tailNs[member]
            = std::max<std::int64_t>(0, scaledBy(stayedNs, scale) - lastEndNs[member]);
    }
}

} // namespace core
