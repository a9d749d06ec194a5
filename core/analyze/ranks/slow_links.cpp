#include "core/analyze/ranks/slow_links.h"

#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/base/duration_text.h"
#include "core/base/ranks_text.h"

#include <algorithm>
#include <set>

// A rank whose link is slower than the others'.
namespace core {

namespace {

    constexpr double ClearlySlower = 0.9; ///< of the others' rate; nearer ones count as alike

} // namespace

std::string SlowLinks::subject() const
{
    return ranks.size() == 1 ? "Rank " + std::to_string(ranks.front()) + "'s link"
                             : "The links of " + ranksText(ranks);
}

std::string SlowLinks::rates() const
{
    return (ranks.size() == 1 ? "" : "down to ") + numberText(slowestMbit) + " instead of "
        + numberText(othersMbit) + " Mbit/s";
}

SlowLinks slowLinks(const Trace &trace)
{
    const std::vector<double> &rates = trace.stated.linkMbit;
    std::set<int> present;
    for (const Worker &worker : trace.workers)
        if (worker.rank >= 0 && static_cast<std::size_t>(worker.rank) < rates.size())
            present.insert(worker.rank);
    if (present.size() < 2)
        return {};
    std::vector<double> sorted;
    sorted.reserve(present.size());
    for (const int rank : present)
        sorted.push_back(rates[static_cast<std::size_t>(rank)]);
    std::sort(sorted.begin(), sorted.end());
    SlowLinks slow;
    slow.slowestMbit = sorted.front();
    slow.othersMbit = sorted[sorted.size() / 2];
    slow.isOneOther = present.size() == 2;
    for (const int rank : present)
        if (rates[static_cast<std::size_t>(rank)] < ClearlySlower * slow.othersMbit)
            slow.ranks.push_back(rank);
    return slow;
}

std::optional<Bottleneck> findSlowLink(const BottleneckSearch &search)
{
    const SlowLinks slow = slowLinks(search.trace);
    if (slow.ranks.empty() || search.obstacle("bandwidth_mbit"))
        return std::nullopt;
    Strategy strategy;
    for (const int rank : slow.ranks)
        strategy.set({ "bandwidth_mbit", slow.othersMbit, { rank } });
    auto found = search.withGainOf("slow-link", strategy);
    if (!found)
        return std::nullopt;
    const bool isOne = slow.ranks.size() == 1;
    found->title = slow.subject() + (isOne ? " is" : " are") + " slower than " + slow.others();
    found->effect = ", which costs ";
    found->reason = (isOne ? "It has " : "They have ") + slow.rates() + ".";
    found->evidence.push_back("A collective is as fast as the slowest link of its ranks. The "
                              "links' rates are those that the bundle's meta.json states.");
    search.addLinkEvidence(*found);
    found->evidence.push_back("With links as fast as " + slow.others() + ": "
                              + predictedText(*found));
    found->advice = "Look at " + std::string(isOne ? "this rank's" : "these ranks'")
        + " network first: speed of interface and port, cable, other traffic, a limit of the host. "
          "Faster links of the other ranks gain nothing before.";
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
