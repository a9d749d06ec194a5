#include "core/graph/communication_order.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    struct Ended
    {
        std::int64_t endNs; ///< of all that the op began: of the whole collective for a part
        OpId op; ///< whose completion to wait for
    };

    /// What the worker does, by when it is done.
    std::vector<Ended> endsOf(const GraphContext &context, WorkerId worker,
                              const std::vector<OpId> &calls)
    {
        std::vector<Ended> ends;
        const auto add = [&](OpId op) {
            ends.push_back({ context.measuredEndNs[context.completion(op).value], op });
        };
        std::for_each(calls.begin(), calls.end(), add);
        for (const std::vector<OpId> &stream : context.workers[worker.value].streams)
            std::for_each(stream.begin(), stream.end(), add);
        std::sort(ends.begin(), ends.end(), [](const Ended &a, const Ended &b) {
            return std::tie(a.endNs, a.op) < std::tie(b.endNs, b.op);
        });
        return ends;
    }

    /// The op that ended last by `ns`, other than `waiting`; of several that end with its start,
    /// only those that began before.
    std::optional<OpId> lastEndedBy(const GraphContext &context, const std::vector<Ended> &ends,
                                    std::int64_t ns, OpId waiting)
    {
        auto it = std::upper_bound(
            ends.begin(), ends.end(), ns,
            [](std::int64_t atNs, const Ended &ended) { return atNs < ended.endNs; });
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

void addCommunicationOrder(GraphContext &context, WorkerId worker)
{
    if (!context.workers[worker.value].threads.empty())
        return;
    const std::vector<OpId> calls = backendOps(context, worker);
    const std::vector<Ended> ends = endsOf(context, worker, calls);
    for (const OpId call : calls) {
        const std::int64_t startNs = context.builder.op(call).measuredStartNs;
        if (const auto before = lastEndedBy(context, ends, startNs, call))
            context.builder.addEdge(context.completion(*before), call, EdgeKind::Inferred);
    }
}

} // namespace core
