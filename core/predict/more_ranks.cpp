#include "core/predict/more_ranks.h"

#include "core/change/transfers/link_changes.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

namespace core {

namespace {

    /// The point below which a standard normal variable is with this probability (0 < p < 1).
    double normalQuantile(double p)
    {
        double low = -10, high = 10;
        for (int i = 0; i < 60; ++i) {
            const double middle = (low + high) / 2;
            const double below = std::erfc(-middle / std::numbers::sqrt2) / 2;
            (below < p ? low : high) = middle;
        }
        return (low + high) / 2;
    }

    /// Of when the ranks came, ns squared.
    double variance(const CollectiveNode &node)
    {
        const auto count = static_cast<double>(node.parts.size());
        const auto first = static_cast<double>(node.parts.front().startNs);
        double sum = 0, squares = 0;
        for (const CollectiveNode::Part &part : node.parts) {
            const double ns = static_cast<double>(part.startNs) - first;
            sum += ns;
            squares += ns * ns;
        }
        return std::max(0.0, (squares - sum * sum / count) / (count - 1));
    }

} // namespace

double expectedLargest(double count)
{
    return count <= 1 ? 0 : normalQuantile((count - 0.375) / (count + 0.25));
}

double longerWaitNs(const Graph &graph, double wanted)
{
    std::map<std::int64_t, double> widest; // by iteration
    double ranks = 0;
    for (const CollectiveNode &node : graph.collectives) {
        if (node.isMessage || node.parts.size() < 2)
            continue;
        ranks = std::max(ranks, static_cast<double>(node.rankCount()));
        double &ns = widest[node.iteration];
        ns = std::max(ns, variance(node));
    }
    if (widest.empty())
        return 0;
    double sum = 0;
    for (const auto &[iteration, ns] : widest)
        sum += ns;
    const double deviation = std::sqrt(sum / static_cast<double>(widest.size()));
    return deviation * (expectedLargest(wanted) - expectedLargest(ranks));
}

std::string standInText(const Strategy &strategy, std::size_t recordedRanks)
{
    const std::optional<double> ranks = wantedRanks(strategy);
    if (!ranks || *ranks == static_cast<double>(recordedRanks))
        return {};
    const std::string recorded = recordedRanks == 1
        ? "The recorded rank is shown"
        : "The " + std::to_string(recordedRanks) + " recorded ranks are shown";
    if (*ranks == 1)
        return recorded + ", each as if it were alone.";
    const std::string wanted = exactText(*ranks);
    return *ranks > static_cast<double>(recordedRanks)
        ? recorded + " and stand for all " + wanted + ": their transfers are as between so many."
        : recorded + ", with transfers as between " + wanted + " ranks.";
}

} // namespace core
