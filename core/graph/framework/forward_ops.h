#pragma once

#include "core/graph/build/device_launches.h"
#include "core/graph/build/graph_context.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Finds which op of the forward pass first uses a parameter: autograd gives a backward node the
/// sequence number of the forward op that made it, and the parameter's gradient is accumulated
/// right after its node. On accelerators it is the first kernel that is launched from that op's
/// start on: a mere view of a parameter (aten::t) launches none, what reads the view does.
class ForwardOps
{
public:
    /// `launches` is null where the host itself computes.
    ForwardOps(const GraphContext &context, WorkerId worker, const DeviceLaunches *launches);

    /// Of the AccumulateGrad in `row` of a host track; empty where no number ties them.
    std::optional<OpId> of(const Track &track, std::size_t row) const;

private:
    struct Forward
    {
        std::uint64_t sequence;
        std::int64_t startNs; ///< aligned
        TrackId track;
        auto operator<=>(const Forward &) const = default;
    };

    /// The last one with the number before then.
    const Forward *forwardAt(std::uint64_t sequence, std::int64_t beforeNs) const;
    std::optional<OpId> hostOpAt(const Forward &forward) const;

    const GraphContext &m_context;
    WorkerId m_worker;
    const DeviceLaunches *m_launches;
    std::vector<Forward> m_forwards; ///< by sequence number, then start
};

} // namespace core
