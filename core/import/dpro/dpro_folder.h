#pragma once

#include "core/bundle/bundle.h"
#include "core/model/trace_sink.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace core {

/// A rank's neighbours on one ring of NCCL: it sends to `next` and receives from `previous`.
struct RingNeighbours
{
    std::optional<int> previous, next;
};

/// By channel.
using NcclRings = std::map<int, RingNeighbours>;

// The small files of a dPRO folder that say what events mean. One that cannot be read costs what it
// says, not the trace: it is counted under its own name.

/// The rings of nccl_rank_graph.json beside `entry`, as `rank` sees them. Empty where there is no
/// such file, or it makes no sense.
NcclRings readRings(const BundleEntry &entry, int rank, TraceSink &sink);

/// The names of the gradients by number, from gradient_name_list.json or gradient_name2ID.json in
/// `folder` ("", or "host0/0/"), relative to `entry`. Empty where there is neither, or they make no
/// sense.
std::vector<std::string> readGradientNames(const BundleEntry &entry, std::string_view folder,
                                           TraceSink &sink);

} // namespace core
