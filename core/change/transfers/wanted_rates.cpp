#include "core/change/transfers/wanted_rates.h"

#include "core/base/duration_text.h"
#include "core/fit/contention/interference.h"
#include "core/measure/exact_text.h"

#include <algorithm>
#include <cmath>
#include <set>

namespace core {

namespace {

    /// A core that gives all of its time to communication drives its link no faster. What takes s
    /// times as long beside communication gets 1 / s of its core, so communication has the rest.
    double drivableScale(const Graph &graph, double wanted)
    {
        const double load = 1 - 1 / std::max(1.0, graph.slowdown);
        return wanted * load > 1 ? std::max(1.0, 1 / load) : wanted;
    }

    /// "1.66", as exactText() of two decimals.
    std::string slowdownText(double slowdown)
    {
        constexpr double Hundredths = 100;
        return exactText(std::round(slowdown * Hundredths) / Hundredths);
    }

    /// The rank that one end of all messages on a link is, where the other ends are several.
    std::map<DeviceId, WorkerId> linkHubs(const Graph &graph)
    {
        std::map<DeviceId, std::vector<std::set<WorkerId>>> ends; // [senders, receivers]
        for (const CollectiveNode &node : graph.collectives) {
            if (!node.isMessage)
                continue;
            auto &both = ends[graph.device[node.transfer.value]];
            both.resize(2);
            both[0].insert(node.parts[0].worker);
            both[1].insert(node.parts[1].worker);
        }
        std::map<DeviceId, WorkerId> hubs;
        for (const auto &[link, both] : ends)
            if (both[0].size() == 1 && both[1].size() > 1)
                hubs.emplace(link, *both[0].begin());
            else if (both[1].size() == 1 && both[0].size() > 1)
                hubs.emplace(link, *both[1].begin());
        return hubs;
    }

} // namespace

WantedRates::WantedRates(const Graph &measured, const Trace &trace, const LinkChanges &changes)
    : m_measured(measured)
    , m_changes(changes)
    , m_rates(trace, changes)
    , m_hubs(linkHubs(measured))
    , m_isDriveBound(measured.isDriveBound)
{
}

TransferRate WantedRates::rateOf(const CollectiveNode &node, const LinkModel &model)
{
    if (!m_changes.changeRate() || model.isWithinHost)
        return {};
    const DeviceId link = m_measured.device[node.transfer.value];
    const auto hub = m_hubs.find(link);
    double measured = 0, wanted = 0, ofHub = 0;
    for (const CollectiveNode::Part &part : node.parts) {
        const double had = m_rates.measuredMbit(part.worker, model);
        const double has = m_rates.wantedMbit(part.worker, model);
        measured = measured == 0 ? had : std::min(measured, had);
        wanted = wanted == 0 ? has : std::min(wanted, has);
        if (hub != m_hubs.end() && hub->second == part.worker)
            ofHub = has;
    }
    for (const LinkRates::Rates &missing : m_rates.missingRates(node, model)) {
        measured = std::min(measured, missing.measuredMbit);
        wanted = std::min(wanted, missing.wantedMbit);
    }
    noteUnknownCores(node, link, std::max(wanted, ofHub) / measured);
    if (ofHub > 0 && m_measured.devices[link.value].capacity > 1)
        return { ofHub / measured, wanted / ofHub };
    return { isDrivenByCores(link) ? driven(wanted / measured, node, link, model)
                                   : wanted / measured,
             1 };
}

/// A CPU backend's link of which it is known what driving it costs.
bool WantedRates::isDrivenByCores(DeviceId link) const
{
    const Device &device = m_measured.devices[link.value];
    return device.isHostLink && !device.slows.empty();
}

/// What driving a link costs cores is learnt from a CPU backend's all-reduces only.
void WantedRates::noteUnknownCores(const CollectiveNode &node, DeviceId link, double scale)
{
    if (scale <= 1 || m_areCoresNoted || isDrivenByCores(link)
        || !m_measured.devices[link.value].isHostLink)
        return;
    m_areCoresNoted = true;
    m_notes.push_back("Nothing in the trace tells how fast the ranks' cores can drive "
                      "their network ("
                      + node.name + "): a higher bandwidth is taken to be reached.");
}

/// The CPU backend's rate is bounded by its core; what overlaps it is slowed down by the new rate,
/// once a link and by the kind that the slowdown was estimated from.
double WantedRates::driven(double wanted, const CollectiveNode &node, DeviceId link,
                           const LinkModel &model)
{
    const double scale = drivableScale(m_measured, wanted);
    if (scale < wanted && !m_isDriveBound) {
        m_isDriveBound = true;
        m_notes.push_back("Beyond " + nominalRateText(scale * model.bandwidthMbit)
                          + " the ranks' cores cannot drive '" + m_measured.devices[link.value].name
                          + "', as computation beside its all-reduces takes "
                          + slowdownText(m_measured.slowdown)
                          + " times as long; the prediction stops there.");
    }
    if (node.name == "all_reduce")
        m_drivenScale = std::max(m_drivenScale.value_or(0), scale);
    return scale;
}

void WantedRates::apply(Graph &graph) const
{
    graph.notes.insert(graph.notes.end(), m_notes.begin(), m_notes.end());
    graph.isDriveBound = m_isDriveBound;
    if (m_drivenScale)
        graph.slowdown = std::min(LargestSlowdown, std::pow(m_measured.slowdown, *m_drivenScale));
}

} // namespace core
