#pragma once

#include "core/base/job_control.h"
#include "core/fit/links/link_model.h"
#include "core/fit/links/node_shape.h"
#include "core/graph/graph.h"
#include "core/measure/busy_times.h"
#include "core/model/trace.h"

#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// When the transfer of a collective was under way: from the last rank's arrival until the last
/// rank had left. Aligned.
TimeRange measuredTransfer(const Graph &graph, const CollectiveNode &node);

/// When the link carried data, as measured.
BusyTimes linkTimes(const Graph &graph, DeviceId link);

/// Of the buckets on links that serve several transfers at once: indices of collectives, for each
/// time in which such a link was busy with them without a pause, as measured, in their order.
std::vector<std::vector<std::size_t>> bucketPeriods(const Graph &graph);

/// [collectives]: whether its latency added to the time in which the link was busy, as measured.
/// Where a link serves several transfers at once, a bucket's did not while others were under way:
/// they used the link meanwhile. Of other collectives, which their program may hand over one by
/// one, it did.
std::vector<bool> showLatency(const Graph &graph);

/// Which of a link's transfers a model is of, by where their ranks are.
enum class LinkReach : std::uint8_t { All, BetweenHosts, WithinHost };

struct LinkClass
{
    DeviceId link;
    std::string kind; ///< of collective
    LinkReach reach = LinkReach::All;
    friend auto operator<=>(const LinkClass &, const LinkClass &) = default;
};

using LinkModels = std::map<LinkClass, LinkModel>;

/// The model of a collective whose transfer is on `link`; null where there is none.
const LinkModel *modelOf(const LinkModels &links, DeviceId link, const CollectiveNode &node,
                         const Trace &trace);

/// Fits t = alpha + beta * wireBytes for every link and kind of collective from the trace's own
/// transfers. Transfers that overlap share the link, so the fit is over busy periods: transfers of
/// W bytes in all that keep the link busy for T give T = n * alpha + W * beta, whatever the way
/// they share it, with n those that showLatency(); see fitCost(). Where the ranks' hosts are known
/// and a link has enough transfers of both, those within one host (shared memory, loopback) have a
/// model of their own.
LinkModels fitLinks(const Graph &graph, const Trace &trace, const JobControl &control = {});

} // namespace core
