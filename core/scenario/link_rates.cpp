#include "core/scenario/link_rates.h"

#include "core/scenario/job_metadata.h"
#include "core/scenario/transfers.h"

namespace core {

LinkRates::LinkRates(const Trace &trace, const ScenarioSettings &settings)
    : m_trace(trace)
    , m_settings(settings)
    , m_statedMbit(linkRatesMbit(trace))
{
}

double LinkRates::measuredMbit(WorkerId worker, const LinkModel &model) const
{
    if (model.isWithinHost)
        return nominalMbit(model);
    const int rank = m_trace.workers[worker.value].rank;
    const auto index = static_cast<std::size_t>(rank);
    return rank >= 0 && index < m_statedMbit.size() ? m_statedMbit[index] : nominalMbit(model);
}

double LinkRates::wantedMbit(WorkerId worker, const LinkModel &model) const
{
    if (model.isWithinHost)
        return nominalMbit(model);
    const int rank = m_trace.workers[worker.value].rank;
    if (const auto own = m_settings.bandwidthMbitOf.find(rank);
        own != m_settings.bandwidthMbitOf.end())
        return own->second;
    if (m_settings.bandwidthMbit)
        return *m_settings.bandwidthMbit;
    return measuredMbit(worker, model) * m_settings.bandwidthScale.value_or(1);
}

} // namespace core
