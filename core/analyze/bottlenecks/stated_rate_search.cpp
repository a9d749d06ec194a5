#include "core/analyze/bottlenecks/bottleneck_searches.h"
#include "core/base/duration_text.h"
#include "core/fit/links/link_bandwidth.h"
#include "core/measure/exact_text.h"

// Transfers that have far less than the rate which the bundle's metadata states.
namespace core {

std::optional<Bottleneck> findStatedRate(const BottleneckSearch &search)
{
    const LinkModel *doubted = doubtedLink(search.diagnosis.selfReplay.links);
    if (doubted == nullptr || search.obstacle("bandwidth_mbit"))
        return std::nullopt;
    auto found = search.withGainOf("stated-rate", { { "bandwidth_mbit", doubted->doubtedMbit } });
    if (!found)
        return std::nullopt;
    found->title = "Transfers are slower than meta.json states";
    found->effect = ", which costs ";
    found->reason = doubtText(*doubted) + ".";
    search.addLinkEvidence(*found);
    found->evidence.push_back("With the stated rate: " + predictedText(*found));
    found->evidence.push_back("The trace does not tell whether a link or the hosts are slow. If "
                              "the hosts are, a faster link gains nothing.");
    found->advice
        = "Measure each link by itself: iperf3 between two hosts, several streams. For a slow "
          "link, look at the speed of interface and port (ethtool), the cable, other traffic, a "
          "limit of the host. If all links reach the stated rate, the hosts' cores bound the "
          "transfers: leave them cores of their own. If the stated rate is wrong, correct it in "
          "meta.json.";
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
