#pragma once

#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>

namespace core {

/// Iterations of a source that numbers the step of each op.
class StepRanges
{
public:
    /// An op of that step.
    void add(std::int64_t step, TimeRange range);
    /// Gives the steps to the sink: from the step's first op to the first op of the next one, the
    /// last to its last end. Nothing where steps run into each other.
    void deliver(TraceSink &sink, WorkerId worker) const;

private:
    static constexpr std::size_t MostSteps = 1'000'000;

    std::map<std::int64_t, TimeRange> m_steps; ///< first start and last end
};

} // namespace core
