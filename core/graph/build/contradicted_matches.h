#pragma once

#include "core/align/align.h"
#include "core/base/job_control.h"
#include "core/model/slice_index.h"
#include "core/model/trace.h"

#include <string>
#include <vector>

namespace core {

/// Takes out collectives that were matched by their order alone and cannot be one: a rank enters
/// after another one has left, with any clocks within what is unknown of them that let most of
/// their kind on that group be one. Where that is so of half of them, their order says nothing
/// (point-to-point kernels of pipeline stages look like collectives), and all of them go. Noted by
/// kind and group.
void removeContradicted(const Trace &trace, const SliceIndex &slices,
                        std::vector<MatchedCollective> &matched, std::vector<std::string> &notes);

/// What matchCollectives() matches, without these.
std::vector<MatchedCollective> possibleCollectives(const Trace &trace, const SliceIndex &slices,
                                                   std::vector<std::string> &notes,
                                                   const JobControl &control);

} // namespace core
