#include "core/change/transfers/comm_scale.h"

#include "core/change/graph_edits.h"
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

CommScale commScale(const Strategy &strategy)
{
    CommScale scale;
    scale.ofAll = strategy.number(CommScaleKey);
    for (const Change *change : strategy.ofRanks(CommScaleKey))
        scale.ofRanks[change->ranks] = change->number().value_or(1);
    return scale;
}

double CommScale::of(const CollectiveNode &node, const Trace &trace) const
{
    if (!ofRanks.empty())
        if (const auto own = ofRanks.find(core::ranksOf(node, trace)); own != ofRanks.end())
            return own->second;
    return ofAll.value_or(1);
}

std::optional<std::string> transferringObstacle(const MeasuredJob &job,
                                                const std::vector<int> &ranks)
{
    if (ranks.empty())
        return std::nullopt;
    const std::set<std::vector<int>> known = transferringRanks(job.graph, job.trace);
    if (known.contains(ranks))
        return std::nullopt;
    std::string list;
    std::size_t named = 0;
    for (const std::vector<int> &one : known) {
        if (named++ == MostSetsNamed) {
            list += " and " + std::to_string(known.size() - MostSetsNamed) + " more";
            break;
        }
        list += (list.empty() ? "" : "; ") + changedRanksText(one);
    }
    return "no transfer is between these ranks and no others. "
        + (list.empty() ? "The trace holds none between ranks."
                        : "There are some between: " + list + ".");
}

Graph withCommScale(const Graph &graph, const Trace &trace, const CommScale &scale,
                    const JobControl &control)
{
    Graph scaled = scale.ofAll ? withScaledTransfers(graph, *scale.ofAll) : graph;
    if (scale.ofRanks.empty())
        return scaled;
    if (std::any_of(scale.ofRanks.begin(), scale.ofRanks.end(),
                    [](const auto &own) { return own.second > 0; }))
        scaled.slowdown = graph.slowdown; // these take cores though the others take no time
    for (const CollectiveNode &node : graph.collectives) {
        throwIfCancelled(control);
        const std::uint32_t op = node.transfer.value;
        const double factor = scale.of(node, trace);
        scaled.durationNs[op] = scaledBy(graph.durationNs[op], factor);
        if (graph.isPredicted(node.transfer)) // as withScaledTransfers()
            scaled.delayNs[op] = scaledBy(graph.delayNs[op], factor);
    }
    return scaled;
}

} // namespace core
