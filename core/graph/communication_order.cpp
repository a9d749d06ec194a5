#include "core/graph/communication_order.h"

#include <algorithm>
#include <tuple>
#include <unordered_map>

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

    /// When what the framework's own graph says that each op waits for is done: latest, by op.
    using StatedReasons = std::unordered_map<OpId, std::int64_t>;

    StatedReasons statedReasons(const GraphContext &context)
    {
        StatedReasons doneNs;
        for (const auto &edge : context.builder.edges())
            if (edge.kind == EdgeKind::Framework) {
                const std::int64_t endNs = context.measuredEndNs[edge.from.value];
                const auto [known, isNew] = doneNs.emplace(edge.to, endNs);
                known->second = std::max(known->second, endNs);
            }
        return doneNs;
    }

    void addOrderOf(GraphContext &context, WorkerId worker, const StatedReasons &stated)
    {
        const std::vector<DoneOp> ends = doneOps(context, worker, false);
        for (const OpId call : context.workers[worker.value].calls) {
            const std::int64_t startNs = context.builder.op(call).measuredStartNs;
            const auto before = lastEndedBy(context, ends, startNs, call);
            if (!before)
                continue;
            // A graph may know only some of the tensors that are sent together: what ended last has
            // to explain the start better, by more than half of the time between.
            const OpId done = context.completion(*before);
            const auto reason = stated.find(call);
            const bool isExplained = reason != stated.end()
                && 2 * (startNs - context.measuredEndNs[done.value]) >= startNs - reason->second;
            if (!isExplained)
                context.builder.addEdge(done, call, EdgeKind::Inferred);
        }
    }

} // namespace

std::vector<DoneOp> doneOps(const GraphContext &context, WorkerId worker, bool withThreads)
{
    std::vector<DoneOp> done;
    const auto add = [&](const std::vector<OpId> &ops) {
        for (const OpId op : ops)
            done.push_back({ context.measuredEndNs[context.completion(op).value], op });
    };
    const GraphContext::WorkerOps &ops = context.workers[worker.value];
    add(ops.calls);
    std::for_each(ops.streams.begin(), ops.streams.end(), add);
    if (withThreads)
        std::for_each(ops.threads.begin(), ops.threads.end(), add);
    std::sort(done.begin(), done.end(), [](const DoneOp &a, const DoneOp &b) {
        return std::tie(a.doneNs, a.op) < std::tie(b.doneNs, b.op);
    });
    return done;
}

void addCommunicationOrder(GraphContext &context, const JobControl &control)
{
    const StatedReasons stated = statedReasons(context);
    for (std::uint32_t w = 0; w < context.workers.size(); ++w) {
        throwIfCancelled(control);
        if (!context.workers[w].hasHost)
            addOrderOf(context, WorkerId(w), stated);
    }
}

} // namespace core
