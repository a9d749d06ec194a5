#pragma once

#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/link_rates.h"
#include "core/fit/links/link_model.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// How fast settings make the link of a transfer.
struct TransferRate
{
    double scale = 1; ///< of the device, wanted to measured
    double limit = 1; ///< see Graph::rateLimit
};

/// Gives each transfer the rate of its links that settings want, as far as the ranks' cores can
/// drive it, and tells what of that is not known. Refers to its arguments.
class WantedRates
{
public:
    WantedRates(const Graph &measured, const Trace &trace, const LinkChanges &changes);

    /// Of the slowest rank's link; of a message over a link that others of its hub share, the
    /// hub's, which it uses as far as its other end lets it.
    TransferRate rateOf(const CollectiveNode &node, const LinkModel &model);

    /// Once all transfers have their rates: what these mean for computation beside them, and notes.
    void apply(Graph &graph) const;

private:
    bool isDrivenByCores(DeviceId link) const;
    void noteUnknownCores(const CollectiveNode &node, DeviceId link, double scale);
    double driven(double wanted, const CollectiveNode &node, DeviceId link, const LinkModel &model);

    const Graph &m_measured;
    const LinkChanges &m_changes;
    LinkRates m_rates;
    std::map<DeviceId, WorkerId> m_hubs;
    std::vector<std::string> m_notes;
    bool m_isDriveBound; ///< see Graph::isDriveBound
    bool m_areCoresNoted = false;
    std::optional<double> m_drivenScale; ///< of the fastest group on the interfering link
};

} // namespace core
