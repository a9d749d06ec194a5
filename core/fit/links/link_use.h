#pragma once

#include "core/base/job_control.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// The value of a step function from startNs until the next step.
struct UseStep
{
    std::int64_t startNs = 0; ///< aligned
    double value = 0;

    bool operator==(const UseStep &) const = default;
};

/// A link's use over time. Waiting for other ranks is no use.
struct LinkUse
{
    DeviceId link;
    std::string name; ///< of the link's device
    /// True: no transfer's size is known, and the values are the share, 0..1, of the link's ends
    /// that transfer. False: bytes/s on the wire of one rank (wireBytes()).
    bool isBusyShare = false;
    std::vector<UseStep> steps; ///< by time; 0 before the first, the last one is 0
    std::size_t transfers = 0; ///< drawn
    /// Transfers without a size, where others have one, and those without a duration: left out.
    std::size_t leftOut = 0;
    /// Bytes/s: that the metadata states, else that of the fit's fastest kind of collective; absent
    /// where neither is known.
    std::optional<double> capacity;
    bool isCapacityStated = false;
};

/// As measured, of each link with transfers, by DeviceId. Transfers under way at once share the
/// link equally (unsharedWork()), so that the integral over a transfer is its bytes. Throws
/// Cancelled.
std::vector<LinkUse> measuredLinkUse(const Graph &graph, const Trace &trace,
                                     const JobControl &control = {});

/// The same of a replay that begins at `originNs`, aligned. A transfer in chunks (withChunks()) is
/// the mean of its ranks' ends.
std::vector<LinkUse> replayedLinkUse(const Graph &graph, const Trace &trace,
                                     const ReplayResult &replay, std::int64_t originNs,
                                     const JobControl &control = {});

/// Sets `capacity` of uses that are bytes/s. `links`: fitLinks() of the graph they are of.
void addCapacities(std::vector<LinkUse> &uses, const LinkModels &links);

/// Integral of the steps: bytes, or seconds of busy time.
double integralOf(const std::vector<UseStep> &steps);

} // namespace core
