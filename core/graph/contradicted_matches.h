#pragma once

#include "core/align/align.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Takes out collectives that were matched by their order alone and cannot be one: a rank enters
/// after another one has left, by more than is unknown of their clocks. Where that is so of half of
/// a kind's on a group, their order says nothing (point-to-point kernels of pipeline stages look
/// like collectives), and all of them go. Noted by kind and group.
void removeContradicted(const Trace &trace, const SliceIndex &slices,
                        std::vector<MatchedCollective> &matched, std::vector<std::string> &notes);

} // namespace core
