#pragma once

#include "core/graph/graph_context.h"

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Finds which op of the forward pass first uses a parameter: autograd gives a backward node the
/// sequence number of the forward op that made it, and the parameter's gradient is accumulated
/// right after its node.
class ForwardOps
{
public:
    ForwardOps(const GraphContext &context, WorkerId worker);

    /// Of the AccumulateGrad in `row` of a host track; empty where no number ties them.
    std::optional<OpId> of(const Track &track, std::size_t row) const;

private:
    std::optional<OpId> opAt(std::uint64_t sequence, std::int64_t beforeNs) const;

    struct Forward
    {
        std::uint64_t sequence;
        std::int64_t startNs; ///< aligned
        TrackId track;
        auto operator<=>(const Forward &) const = default;
    };

    const GraphContext &m_context;
    WorkerId m_worker;
    std::vector<Forward> m_forwards; ///< by sequence number, then start
};

} // namespace core
