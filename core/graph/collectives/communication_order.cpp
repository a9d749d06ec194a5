#include "core/graph/collectives/communication_order.h"

#include "core/base/sort_runs.h"

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

    /// Whether the worker's devices do nothing but communicate, as far as is recorded.
    bool onlyCommunicates(const GraphContext &context, const GraphContext::WorkerOps &ops)
    {
        const auto isCommunication = [&context](OpId op) {
            return context.isReadyOp(op) || context.builder.op(op).kind == OpKind::Communication;
        };
        return !ops.streams.empty()
            && std::all_of(ops.streams.begin(), ops.streams.end(),
                           [&](const std::vector<OpId> &stream) {
                               return std::all_of(stream.begin(), stream.end(), isCommunication);
                           });
    }

    /// Whether all on the thread are calls of a library.
    bool onlyCalls(const GraphContext &context, const std::vector<OpId> &thread)
    {
        return std::all_of(thread.begin(), thread.end(), [&context](OpId op) {
            const auto place = context.slices.find(context.builder.op(op).slice);
            return place
                && context.trace.slices[place->track.value].category[place->row]
                == Category::Runtime;
        });
    }

    /// NCCL's own recorders tell of the host only its calls of NCCL: when they begin, but not what
    /// the host does or waits for before.
    void addOrderOfCalls(GraphContext &context, const GraphContext::WorkerOps &ops,
                         const std::vector<DoneOp> &ends)
    {
        if (!onlyCommunicates(context, ops))
            return;
        for (const std::vector<OpId> &thread : ops.threads) {
            if (!onlyCalls(context, thread))
                continue;
            for (const OpId call : thread)
                if (const auto before
                    = lastEndedBy(context, ends, context.builder.op(call).measuredStartNs, call))
                    context.builder.addEdge(context.completion(*before), call, EdgeKind::Inferred);
        }
    }

    void addOrderOf(GraphContext &context, WorkerId worker, const StatedReasons &stated)
    {
        const std::vector<DoneOp> ends = doneOps(context, worker, false);
        addOrderOfCalls(context, context.workers[worker.value], ends);
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
    sortRuns(done, [](const DoneOp &a, const DoneOp &b) {
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
