#include "core/change/transfers/comm_scale.h"

#include "core/base/error.h"
#include "core/change/graph_edits.h"
#include "core/change/setting_rank.h"
#include "core/measure/bounded_time.h"

#include <algorithm>
#include <string>

namespace core {

namespace {

    constexpr std::size_t MostSetsNamed = 16;

    bool haveSameRanks(const CollectiveNode &a, const CollectiveNode &b)
    {
        return std::equal(a.parts.begin(), a.parts.end(), b.parts.begin(), b.parts.end(),
                          [](const auto &x, const auto &y) { return x.worker == y.worker; });
    }

    void requireTransfers(const std::set<std::vector<int>> &known, const std::vector<int> &ranks)
    {
        if (known.contains(ranks))
            return;
        std::string list;
        std::size_t named = 0;
        for (const std::vector<int> &one : known) {
            if (named++ == MostSetsNamed) {
                list += " and " + std::to_string(known.size() - MostSetsNamed) + " more";
                break;
            }
            list += (list.empty() ? "" : "; ") + settingRanksText(one);
        }
        throw Error("comm_scale:" + settingRanksText(ranks)
                    + ": no transfer is between these ranks and no others. "
                    + (list.empty() ? "The trace holds none between ranks."
                                    : "There are some between: " + list + "."));
    }

} // namespace

std::vector<int> ranksOf(const CollectiveNode &node, const Trace &trace)
{
    std::vector<int> ranks;
    ranks.reserve(node.parts.size());
    for (const CollectiveNode::Part &part : node.parts)
        ranks.push_back(trace.workers[part.worker.value].rank);
    std::sort(ranks.begin(), ranks.end());
    return ranks;
}

std::set<std::vector<int>> transferringRanks(const Graph &graph, const Trace &trace)
{
    std::set<std::vector<int>> sets;
    // Most links serve one set of ranks, in millions of transfers.
    std::vector<const CollectiveNode *> lastOn(graph.devices.size(), nullptr);
    for (const CollectiveNode &node : graph.collectives) {
        const CollectiveNode *&last = lastOn[graph.device[node.transfer.value].value];
        if (node.parts.size() > 1 && (last == nullptr || !haveSameRanks(*last, node)))
            sets.insert(ranksOf(node, trace));
        last = &node;
    }
    return sets;
}

double commScaleOf(const CollectiveNode &node, const Trace &trace, const ScenarioSettings &settings)
{
    if (!settings.commScaleOf.empty())
        if (const auto own = settings.commScaleOf.find(ranksOf(node, trace));
            own != settings.commScaleOf.end())
            return own->second;
    return settings.commScale.value_or(1);
}

Graph withCommScale(const Graph &graph, const Trace &trace, const ScenarioSettings &settings,
                    const JobControl &control)
{
    Graph scaled = settings.commScale ? withScaledTransfers(graph, *settings.commScale) : graph;
    if (settings.commScaleOf.empty())
        return scaled;
    const std::set<std::vector<int>> known = transferringRanks(graph, trace);
    for (const auto &[ranks, factor] : settings.commScaleOf)
        requireTransfers(known, ranks);
    if (std::any_of(settings.commScaleOf.begin(), settings.commScaleOf.end(),
                    [](const auto &own) { return own.second > 0; }))
        scaled.slowdown = graph.slowdown; // these take cores though the others take no time
    for (const CollectiveNode &node : graph.collectives) {
        throwIfCancelled(control);
        const std::uint32_t op = node.transfer.value;
        const double factor = commScaleOf(node, trace, settings);
        scaled.durationNs[op] = scaledBy(graph.durationNs[op], factor);
        if (graph.bytesOf(node.transfer) > 0) // as withScaledTransfers()
            scaled.delayNs[op] = scaledBy(graph.delayNs[op], factor);
    }
    return scaled;
}

} // namespace core
