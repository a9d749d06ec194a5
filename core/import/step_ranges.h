#pragma once

#include "core/model/trace_sink.h"

#include <cstdint>
#include <map>

namespace core {

/// Iterations of a source that numbers its steps, by what belongs to each: at most MostSteps.
class StepRanges
{
public:
    /// An op of that step.
    void add(std::int64_t step, TimeRange range);
    /// Gives the steps to the sink: from the step's first op to the first op of the next one, the
    /// last to its last end. Nothing where steps run into each other.
    void deliver(TraceSink &sink, WorkerId worker) const;
    /// The same for a source that marks the steps themselves: in order of time, each to its own
    /// end; where two overlap the later one begins at the earlier one's end.
    void deliverMarked(TraceSink &sink, WorkerId worker) const;
    bool isEmpty() const { return m_steps.empty(); }

private:
    static constexpr std::size_t MostSteps = 1'000'000;

    std::map<std::int64_t, TimeRange> m_steps; ///< first start and last end
};

} // namespace core
