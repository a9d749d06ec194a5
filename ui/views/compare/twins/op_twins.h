#pragma once

#include "core/base/job_control.h"
#include "core/graph/graph.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ui {

/// Which op of the timeline above and which one of the predicted timeline below stand for the same
/// recorded slice. Ids are those of TimelineBox: SliceIds of the measured timeline, OpIds of a
/// replay. A collective is found by any rank's part.
class OpTwins
{
public:
    /// `above`: graph of the reference; null: the measured timeline. Throws core::Cancelled.
    OpTwins(const core::Graph &below, const core::Graph *above, const core::JobControl &control);

    /// Empty: the other timeline has no such op, as of buckets that are cut in another way.
    std::optional<std::uint64_t> below(std::uint64_t above) const;
    std::optional<std::uint64_t> above(std::uint64_t below) const;

private:
    /// A side's ops, by slice and by op; of several ops of one slice the first.
    struct Side
    {
        std::vector<std::pair<std::uint64_t, std::uint32_t>> opOfSlice; ///< sorted
        std::vector<std::uint64_t> sliceOfOp;
    };
    static Side sideOf(const core::Graph &graph, const core::JobControl &control);
    static std::optional<std::uint64_t> opOf(const Side &side, std::uint64_t slice);
    static std::optional<std::uint64_t> sliceOf(const Side &side, std::uint64_t op);

    Side m_below;
    std::optional<Side> m_above; ///< empty: ids above are slices
};

} // namespace ui
