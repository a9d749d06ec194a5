#pragma once

#include "core/model/trace_sink.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>

namespace core {

/// How many steps of a file the import may hold, of all its ranks together.
class StepRoom
{
public:
    /// The sink must outlive the room.
    StepRoom(TraceSink &sink, std::string file);

    /// Room for one more; where there is none, that is counted.
    bool take();

private:
    Diagnostics &m_diagnostics;
    std::string m_file;
    std::size_t m_left;
};

/// Iterations of a source that numbers its steps, by what belongs to each.
class StepRanges
{
public:
    /// The room must outlive the ranges.
    explicit StepRanges(StepRoom &room)
        : m_room(&room)
    {
    }

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
    StepRoom *m_room;
    std::map<std::int64_t, TimeRange> m_steps; ///< first start and last end
};

} // namespace core
