#pragma once

#include "core/fit/links/link_models.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"

namespace core {

/// What a change is judged by and applied to. Refers to its arguments.
struct MeasuredJob
{
    const Trace &trace;
    const Graph &graph; ///< as measured, with un-stretched ops
    const LinkModels &links; ///< fitted from the trace
};

} // namespace core
