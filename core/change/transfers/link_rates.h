#pragma once

#include "core/change/transfers/link_changes.h"
#include "core/fit/links/link_model.h"
#include "core/fit/links/link_models.h"
#include "core/model/trace.h"

#include <optional>
#include <vector>

namespace core {

/// The nominal rates of the ranks' links: as they were, and as the settings want them. A rank whose
/// rate is stated nowhere had that of the link's model; so has every rank within its host, always.
/// Refers to its arguments.
class LinkRates
{
public:
    LinkRates(const Trace &trace, const LinkChanges &changes);

    double measuredMbit(WorkerId worker, const LinkModel &model) const;
    double wantedMbit(WorkerId worker, const LinkModel &model) const;

    /// Of ranks whose recording is missing, where all ranks of the job take part in a collective
    /// and their rates are stated: they bound it as the others do.
    struct Rates
    {
        double measuredMbit = 0, wantedMbit = 0;
    };
    std::vector<Rates> missingRates(const CollectiveNode &node, const LinkModel &model) const;

private:
    double measuredMbitOf(int rank, const LinkModel &model) const;
    double wantedMbitOf(int rank, const LinkModel &model) const;

    const Trace &m_trace;
    const LinkChanges &m_changes;
    const std::vector<double> &m_statedMbit; ///< by rank; empty: not stated
};

} // namespace core
