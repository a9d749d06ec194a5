#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/scenario/link_model.h"

namespace core {

struct BucketLimits
{
    std::uint64_t firstBytes = 0;
    std::uint64_t capBytes = 0;
};

/// The graph with DDP's gradient buckets laid out anew: other all-reduces, handed over when the
/// last gradient of the new bucket is ready, waited for before its first copy-out. Every transfer
/// takes the fitted alpha + beta * bytes; a layout that comes out as measured leaves the graph as
/// it is. Throws Error when the trace shows no DDP reduction.
Graph rebucket(const Graph &graph, const Trace &trace, const LinkModels &links,
               const BucketLimits &limits);

} // namespace core
