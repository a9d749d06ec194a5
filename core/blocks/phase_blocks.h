#pragma once

#include "core/blocks/lanes.h"

#include <vector>

namespace core {

/// The outermost blocks of a lane, in order of start: one for each stretch of ops of a phase, each
/// part of a collective and each transfer. Ops without a phase belong to the one around them; a
/// stretch ends where the lane is idle for more than 2 % of `rangeNs`, the time of the iteration.
/// Stretches of less than 0.2 % go to a longer one beside them.
std::vector<Block> phaseBlocks(const Graph &graph, const Lane &lane, std::uint32_t laneIndex,
                               std::int64_t rangeNs);

/// Inner blocks in order of start: repeated layers where the names of its ops repeat, else
/// its ops. Empty where it cannot be opened.
std::vector<Block> innerBlocks(const Graph &graph, const Lane &lane, const Block &block);

/// Role of an op, which gives its colour.
Role roleOf(const Graph &graph, OpId op);

} // namespace core
