#include "core/analyze/groups/slow_groups.h"

#include "core/analyze/groups/transfer_groups.h"
#include "core/change/transfers/comm_scale.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace core {

namespace {

    constexpr double ClearlyFasterShare = 0.8; ///< of a group's time; nearer ones count as alike
    constexpr std::size_t EnoughTransfers = 4; ///< of one size, for a median

    /// What is comparable: role, kind, number of ranks, payload.
    using AlikeTransfers = std::tuple<GroupRole, std::string, std::size_t, std::uint64_t>;
    using RankSet = std::vector<int>;
    using TimesByRanks = std::map<RankSet, std::vector<std::int64_t>>;

    /// Of the rank that came last; the others' begins with waiting for it.
    std::int64_t lastRanksNs(const CollectiveNode &node)
    {
        std::int64_t shortestNs = node.parts.front().endNs - node.parts.front().startNs;
        for (const CollectiveNode::Part &part : node.parts)
            shortestNs = std::min(shortestNs, part.endNs - part.startNs);
        return shortestNs;
    }

    std::map<AlikeTransfers, TimesByRanks> transferTimes(const Trace &trace, const Graph &measured,
                                                         const std::vector<ProcessGroup> &groups)
    {
        const TransferGroups index(trace, groups);
        std::map<AlikeTransfers, TimesByRanks> times;
        for (const CollectiveNode &node : measured.collectives) {
            if (node.bytes == 0 || node.parts.size() < 2 || node.hasUnseenRanks())
                continue;
            RankSet ranks = ranksOf(node, trace);
            const ProcessGroup *group = index.find(node);
            const std::int64_t ns = lastRanksNs(node);
            if (group != nullptr && group->role != GroupRole::Unknown && ns > 0)
                times[{ group->role, node.name, ranks.size(), node.bytes }][std::move(ranks)]
                    .push_back(ns);
        }
        return times;
    }

    /// One group's transfers of one kind and size beside the others'.
    struct GroupComparison
    {
        std::int64_t ns, othersNs;
        std::size_t transfers, others;
        bool isClear; ///< most of them are clearly slower

        std::int64_t excessNs() const
        {
            return (ns - othersNs) * static_cast<std::int64_t>(transfers);
        }
    };

    std::map<RankSet, GroupComparison> comparedTimes(TimesByRanks &times)
    {
        std::erase_if(times,
                      [](const auto &entry) { return entry.second.size() < EnoughTransfers; });
        if (times.size() < 2)
            return {};
        std::vector<std::int64_t> medians;
        for (auto &[ranks, list] : times) {
            std::sort(list.begin(), list.end());
            medians.push_back(list[list.size() / 2]);
        }
        std::sort(medians.begin(), medians.end());
        const std::int64_t usualNs = medians[(medians.size() - 1) / 2]; // of two the faster
        std::map<RankSet, GroupComparison> result;
        for (const auto &[ranks, list] : times)
            result[ranks] = { list[list.size() / 2], usualNs, list.size(), times.size() - 1,
                              static_cast<double>(usualNs) < ClearlyFasterShare
                                      * static_cast<double>(list[list.size() / 4]) };
        return result;
    }

    /// All comparisons of one set of ranks, as a factor on their transfers is one on all of them.
    class RankSetComparison
    {
    public:
        void add(const AlikeTransfers &alike, const RankSet &ranks, const GroupComparison &found)
        {
            m_ns += static_cast<double>(found.ns) * static_cast<double>(found.transfers);
            m_othersNs
                += static_cast<double>(found.othersNs) * static_cast<double>(found.transfers);
            m_group.excessNs += found.excessNs();
            if (!found.isClear || found.excessNs() <= m_largestNs)
                return;
            m_largestNs = found.excessNs();
            m_group.ranks = ranks;
            m_group.role = std::get<GroupRole>(alike);
            m_group.kind = std::get<std::string>(alike);
            m_group.bytes = std::get<3>(alike);
            m_group.transfers = found.transfers;
            m_group.ns = found.ns;
            m_group.othersNs = found.othersNs;
            m_group.others = found.others;
        }

        bool isSlow() const { return m_largestNs > 0 && m_othersNs < ClearlyFasterShare * m_ns; }
        SlowGroup take() const
        {
            SlowGroup group = m_group;
            group.factor = m_othersNs / m_ns;
            return group;
        }

    private:
        SlowGroup m_group;
        std::int64_t m_largestNs = 0;
        double m_ns = 0, m_othersNs = 0;
    };

} // namespace

std::vector<SlowGroup> slowGroups(const Trace &trace, const Graph &measured,
                                  const std::vector<ProcessGroup> &groups)
{
    std::map<RankSet, RankSetComparison> gathered;
    for (auto &[alike, times] : transferTimes(trace, measured, groups))
        for (const auto &[ranks, found] : comparedTimes(times))
            gathered[ranks].add(alike, ranks, found);
    std::vector<SlowGroup> slow;
    for (const auto &[ranks, group] : gathered)
        if (group.isSlow())
            slow.push_back(group.take());
    std::stable_sort(slow.begin(), slow.end(), [](const SlowGroup &a, const SlowGroup &b) {
        return a.excessNs > b.excessNs;
    });
    return slow;
}

} // namespace core
