#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/analyze/groups/slow_groups.h"
#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"
#include "core/base/sentence.h"
#include "core/change/transfers/comm_scale.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

// Groups of ranks whose transfers are slower than those of groups that do the same.
namespace core {

namespace {

    constexpr std::size_t MostSlowGroupsTold = 4;

    /// Three digits: a command line, and no more than medians tell.
    double shortFactor(double factor)
    {
        const double scale = std::pow(10, 2 - std::floor(std::log10(factor)));
        return std::round(factor * scale) / scale;
    }

    std::string timesAsLong(const SlowGroup &group)
    {
        const double times = static_cast<double>(group.ns) / static_cast<double>(group.othersNs);
        return numberText(shortFactor(times)) + " times as long as in "
            + (group.others == 1 ? "the other group"
                                 : "the " + std::to_string(group.others) + " other groups")
            + " of this role";
    }

    std::string parallelText(GroupRole role)
    {
        return std::string(groupRoleName(role)) + "-parallel";
    }

    std::string slowGroupReason(const std::vector<SlowGroup> &slow)
    {
        std::string text = "They take " + timesAsLong(slow.front()) + ".";
        if (slow.size() > 1)
            text += " Those of " + countText(slow.size() - 1, "more group") + " are slow, too.";
        return text;
    }

    std::string timesLine(const SlowGroup &group)
    {
        return withCapital(parallelText(group.role)) + " " + group.kind + " of "
            + bytesText(group.bytes) + " between " + ranksText(group.ranks) + ": "
            + durationText(group.ns) + " (median of " + std::to_string(group.transfers) + "), in "
            + countText(group.others, "other group") + " " + durationText(group.othersNs) + ".";
    }

    /// The ranks that all of several slow groups have.
    std::vector<int> commonRanks(const std::vector<SlowGroup> &slow)
    {
        std::vector<int> common = slow.front().ranks;
        for (const SlowGroup &group : slow) {
            std::vector<int> both;
            std::set_intersection(common.begin(), common.end(), group.ranks.begin(),
                                  group.ranks.end(), std::back_inserter(both));
            common = std::move(both);
        }
        return common;
    }

    /// Empty where a host is not known.
    std::set<std::string> hostsOf(const std::vector<int> &ranks, const Trace &trace)
    {
        std::set<std::string> hosts;
        for (const Worker &worker : trace.workers)
            if (std::binary_search(ranks.begin(), ranks.end(), worker.rank)) {
                if (worker.host.empty())
                    return {};
                hosts.insert(worker.host);
            }
        return hosts;
    }

    std::string slowGroupAdvice(const std::vector<SlowGroup> &slow, bool isOfSeveralHosts)
    {
        std::string path = "Look at the path between these ranks first: route, cable, interface, "
                           "other traffic. NCCL_DEBUG=INFO shows the route, nvidia-smi topo -m "
                           "the possible ones.";
        if (slow.front().role == GroupRole::Tensor || slow.front().role == GroupRole::Context)
            return path + (isOfSeveralHosts ? " They are on several hosts: place" : " Place")
                + " the ranks of such a group within one fast domain (NVLink, one host), by the "
                  "order in which ranks are assigned to groups.";
        if (isOfSeveralHosts)
            return path
                + " They are on several hosts: where other groups are not, place ranks so that "
                  "the groups that exchange most share a host.";
        return path;
    }

    /// The longest of their transfers.
    void pointAtLongest(const BottleneckSearch &search, const std::vector<int> &ranks,
                        Bottleneck &found)
    {
        std::int64_t longestNs = -1;
        for (const CollectiveNode &node : search.graph.collectives) {
            if (node.parts.empty() || ranksOf(node, search.trace) != ranks)
                continue;
            const auto last = std::max_element(
                node.parts.begin(), node.parts.end(),
                [](const auto &a, const auto &b) { return a.startNs < b.startNs; });
            if (last->endNs - last->startNs <= longestNs)
                continue;
            longestNs = last->endNs - last->startNs;
            found.slice = last->slice;
            found.range = { last->startNs, last->endNs };
        }
    }

} // namespace

std::optional<Bottleneck> findSlowGroup(const BottleneckSearch &search)
{
    if (search.obstacle("comm_scale") || search.findBefore("slow-link") != nullptr)
        return std::nullopt;
    const std::vector<SlowGroup> slow
        = slowGroups(search.trace, search.graph, search.diagnosis.groups);
    if (slow.empty())
        return std::nullopt;
    Strategy strategy;
    for (const SlowGroup &group : slow)
        strategy.set({ "comm_scale", shortFactor(group.factor), group.ranks });
    auto found = search.withGainOf("slow-group", strategy);
    if (!found)
        return std::nullopt;
    found->title = withCapital(parallelText(slow.front().role)) + " transfers between "
        + ranksText(slow.front().ranks) + " are slow";
    found->effect = ", which costs ";
    found->reason = slowGroupReason(slow);
    for (std::size_t i = 0; i < std::min(slow.size(), MostSlowGroupsTold); ++i)
        found->evidence.push_back(timesLine(slow[i]));
    found->evidence.push_back("Times are those of the rank that comes last, without waiting. Only "
                              "transfers of one size and kind are compared.");
    if (const std::vector<int> common = commonRanks(slow); slow.size() > 1 && common.size() == 1)
        found->evidence.push_back(
            withCapital(ranksText(common))
            + " is in all of the slow groups: its own link may be the cause.");
    const std::set<std::string> hosts = hostsOf(slow.front().ranks, search.trace);
    found->evidence.push_back("With transfers as fast as in the median group: "
                              + predictedText(*found));
    found->advice = slowGroupAdvice(slow, hosts.size() > 1);
    pointAtLongest(search, slow.front().ranks, *found);
    return found;
}

} // namespace core
