#pragma once

#include "core/base/job_control.h"
#include "core/blocks/block.h"
#include "core/model/trace.h"
#include "core/replay/replay.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// Subject of a drawing: one iteration of a replayed graph. Refers to its arguments.
struct DrawnJob
{
    const Graph &graph;
    const ReplayResult &replay;
    std::span<const Worker> workers; ///< by WorkerId
    std::int32_t iteration = 0; ///< as Graph::iteration; without iterations all is drawn
};

/// The lanes of some ranks, or of all where none is named: of each rank streams, communication and
/// host threads (busiest first), then the links. A rank's part of a collective is drawn where it is
/// handed over, from then until the transfer ends. Throws Cancelled.
std::vector<Lane> lanesOf(const DrawnJob &job, std::span<const int> ranks,
                          const JobControl &control);

/// "0,1,4-7"; none where the text is empty. Throws UsageError.
std::vector<int> ranksFromText(const std::string &text);

/// From the first op to the end of the last one; waiting that begins before does not count.
TimeRange rangeOf(std::span<const Lane> lanes);

} // namespace core
