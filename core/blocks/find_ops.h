#pragma once

#include "core/blocks/drawing.h"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace core {

/// An op of an outline by its place: GraphOutline::lanes[lane].ops[index].
using OpPlace = GraphOutline::Place;

/// Ops whose name has `text` in it, without regard to case, by lane and time. Names of collectives
/// count, too.
std::vector<OpPlace> findOps(const GraphOutline &outline, const std::string &text);

/// The op that stands for a measured slice, of a collective what its rank hands over; empty for
/// none.
std::optional<OpId> opOfSlice(const Graph &graph, SliceId slice);

/// Where the op that stands for a measured slice is drawn; empty where it is not.
std::optional<OpPlace> placeOfSlice(const GraphOutline &outline, SliceId slice);

/// The measured slice that an op stands for, of a collective on a link that of its first rank;
/// NoSlice for none.
SliceId sliceOf(const GraphOutline &outline, const OpPlace &place);

/// The blocks that have to be open for an op to be a block of its own, outermost first, and last
/// that block itself.
std::vector<BlockKey> blocksAround(const GraphOutline &outline, const OpPlace &place);

} // namespace core
