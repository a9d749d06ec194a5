#pragma once

#include "core/base/job_control.h"
#include "core/change/gradients/partition_cost.h"
#include "core/change/gradients/schedule.h"
#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// Whether the collective carries a gradient, or a part of it, of its own.
bool isSliceOfGradient(const Graph &graph, const CollectiveNode &node);

/// Whether such collectives are sent by what is needed first (P3); as it shows in the recording, if
/// the graph is as recorded.
bool sendsByPriority(const Graph &graph);

/// Whether a program of a CPU backend all-reduces gradients in slices of its own: some tensor's
/// gradient in several.
bool isSentInSlices(const Graph &graph);

/// The graph with the recorded slices of each gradient cut anew: as many bytes in all, ready with
/// the same ops, and awaited by the same. What the recorded ones took beyond their bytes' time on
/// the line becomes longer or shorter as costOfSlice() says. Slices sent by priority are as urgent
/// as they were; of others those of the gradient that is ready last are (tensorPriorities()), which
/// a note says. There must be no reductionCostObstacle(). Throws TooManySlices; Cancelled.
Graph withOtherSlices(const Graph &graph, const Trace &trace, const LinkModels &links,
                      Schedule schedule, const SliceLimits &limits, const JobControl &control);

} // namespace core
