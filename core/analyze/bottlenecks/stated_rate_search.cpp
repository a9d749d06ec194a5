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
    found->title = doubtText(*doubted) + "; at that rate they would save "
        + durationText(found->gainNs) + " " + search.ofEach();
    search.addLinkEvidence(*found);
    found->evidence.push_back("With the stated rate: " + search.commandLine(*found));
    found->evidence.push_back("Whether a link or the hosts keep transfers from it is not in the "
                              "trace: if the hosts do, a faster link gains nothing.");
    found->advice
        = "Measure each link by itself (iperf3 between two hosts, several streams). One that is "
          "slower than stated: look at the speed that the interface and its port have agreed on "
          "(ethtool), the cable, other traffic, a limit set for the host. If all reach the stated "
          "rate, the hosts' cores bound the transfers: leave them cores of their own. If the "
          "stated rate is wrong, correct it in meta.json.";
    search.pointAtLongestTransfer(*found);
    return found;
}

} // namespace core
