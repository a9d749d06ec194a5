#include "core/graph/build/arrival_order.h"

#include <algorithm>
#include <unordered_set>
#include <vector>

namespace core {

void followArrivals(GraphContext &context, const TensorOps &tensorOps)
{
    const GraphBuilder &builder = context.builder;
    std::unordered_set<DeviceId> rows;
    for (const GraphContext::WorkerOps &worker : context.workers)
        for (const std::vector<OpId> &thread : worker.threads)
            if (std::all_of(thread.begin(), thread.end(),
                            [&](OpId op) { return tensorOps.contains(op); }))
                rows.insert(builder.op(thread.front()).device);
    if (rows.empty())
        return;
    // What came before the recording leaves an op without an arrival: it keeps its place.
    std::vector<char> hasArrival(builder.size(), 0);
    for (const GraphBuilder::EdgeSpec &edge : builder.edges())
        if (edge.kind == EdgeKind::Data)
            hasArrival[edge.to.value] = 1;
    context.builder.removeEdges([&](const GraphBuilder::EdgeSpec &edge) {
        return edge.kind == EdgeKind::HostOrder && hasArrival[edge.to.value]
            && rows.contains(builder.op(edge.to).device);
    });
}

} // namespace core
