#include "core/fit/links/measured_graph.h"

#include "core/fit/links/nccl_choices.h"
#include "core/fit/links/unseen_waits.h"
#include "core/graph/build_graph.h"

namespace core {

Graph measuredGraph(const Trace &trace, const JobControl &control)
{
    return withNcclChoices(withUnseenWaits(buildGraph(trace, control), trace), trace, control);
}

} // namespace core
