#include "core/change/transfers/link_rates.h"

#include "core/change/transfers/transfers.h"

namespace core {

LinkRates::LinkRates(const Trace &trace, const LinkChanges &changes)
    : m_trace(trace)
    , m_changes(changes)
    , m_statedMbit(trace.stated.linkMbit)
{
}

double LinkRates::measuredMbit(WorkerId worker, const LinkModel &model) const
{
    return measuredMbitOf(m_trace.workers[worker.value].rank, model);
}

double LinkRates::wantedMbit(WorkerId worker, const LinkModel &model) const
{
    return wantedMbitOf(m_trace.workers[worker.value].rank, model);
}

double LinkRates::measuredMbitOf(int rank, const LinkModel &model) const
{
    if (model.isWithinHost)
        return model.bandwidthMbit;
    const auto index = static_cast<std::size_t>(rank);
    return rank >= 0 && index < m_statedMbit.size() ? m_statedMbit[index] : model.bandwidthMbit;
}

double LinkRates::wantedMbitOf(int rank, const LinkModel &model) const
{
    if (model.isWithinHost)
        return model.bandwidthMbit;
    if (const auto own = m_changes.bandwidthMbitOf.find(rank);
        own != m_changes.bandwidthMbitOf.end())
        return own->second;
    if (m_changes.bandwidthMbit)
        return *m_changes.bandwidthMbit;
    return measuredMbitOf(rank, model) * m_changes.bandwidthScale.value_or(1);
}

std::vector<LinkRates::Rates> LinkRates::missingRates(const CollectiveNode &node,
                                                      const LinkModel &model) const
{
    if (node.rankCount() == node.parts.size() || node.rankCount() != m_statedMbit.size())
        return {};
    std::vector<bool> isRecorded(m_statedMbit.size(), false);
    for (const CollectiveNode::Part &part : node.parts) {
        const int rank = m_trace.workers[part.worker.value].rank;
        if (rank >= 0 && static_cast<std::size_t>(rank) < isRecorded.size())
            isRecorded[static_cast<std::size_t>(rank)] = true;
    }
    std::vector<Rates> rates;
    for (std::size_t i = 0; i < isRecorded.size(); ++i)
        if (!isRecorded[i])
            rates.push_back({ measuredMbitOf(static_cast<int>(i), model),
                              wantedMbitOf(static_cast<int>(i), model) });
    return rates;
}

} // namespace core
