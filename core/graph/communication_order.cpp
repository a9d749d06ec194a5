#include "core/graph/communication_order.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    /// The op that ended last by `ns`, other than `waiting`; of several that end with its start,
    /// only those that began before.
    std::optional<OpId> lastEndedBy(const GraphContext &context, const std::vector<DoneOp> &ends,
                                    std::int64_t ns, OpId waiting)
    {
        auto it = std::upper_bound(
            ends.begin(), ends.end(), ns,
            [](std::int64_t atNs, const DoneOp &ended) { return atNs < ended.doneNs; });
        while (it != ends.begin()) {
            --it;
            if (it->op != waiting && context.builder.op(it->op).measuredStartNs < ns)
                return it->op;
        }
        return std::nullopt;
    }

} // namespace

std::vector<OpId> backendOps(const GraphContext &context, WorkerId worker)
{
    std::vector<OpId> ops;
    for (std::uint32_t i = 0; i < context.builder.size(); ++i) {
        const OpSpec &spec = context.builder.op(OpId(i));
        if (spec.worker != worker || spec.slice == NoSlice)
            continue;
        const Device &device = context.builder.devices()[spec.device.value];
        if (device.hasTrack
            && context.trace.tracks[device.track.value].kind == TrackKind::Communication)
            ops.push_back(OpId(i));
    }
    return ops;
}

std::vector<DoneOp> doneOps(const GraphContext &context, WorkerId worker)
{
    std::vector<DoneOp> done;
    const auto add = [&](const std::vector<OpId> &ops) {
        for (const OpId op : ops)
            done.push_back({ context.measuredEndNs[context.completion(op).value], op });
    };
    add(backendOps(context, worker));
    for (const std::vector<OpId> &stream : context.workers[worker.value].streams)
        add(stream);
    std::sort(done.begin(), done.end(), [](const DoneOp &a, const DoneOp &b) {
        return std::tie(a.doneNs, a.op) < std::tie(b.doneNs, b.op);
    });
    return done;
}

void addCommunicationOrder(GraphContext &context, WorkerId worker)
{
    if (!context.workers[worker.value].threads.empty())
        return;
    const std::vector<OpId> calls = backendOps(context, worker);
    const std::vector<DoneOp> ends = doneOps(context, worker);
    for (const OpId call : calls) {
        const std::int64_t startNs = context.builder.op(call).measuredStartNs;
        if (const auto before = lastEndedBy(context, ends, startNs, call))
            context.builder.addEdge(context.completion(*before), call, EdgeKind::Inferred);
    }
}

} // namespace core
