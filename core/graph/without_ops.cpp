#include "core/graph/without_ops.h"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace core {

namespace {

    /// New ids by old one; NoOp for what is removed.
    std::vector<OpId> idsWithout(const std::vector<OpId> &removed, std::size_t ops)
    {
        std::vector<OpId> ids(ops);
        for (const OpId op : removed)
            ids[op.value] = NoOp;
        std::uint32_t next = 0;
        for (OpId &id : ids)
            if (id != NoOp)
                id = OpId(next++);
        return ids;
    }

    template <class T>
    void takeOut(const std::vector<OpId> &ids, std::vector<T> &column)
    {
        if (column.empty())
            return;
        std::size_t kept = 0;
        for (std::size_t op = 0; op < ids.size(); ++op)
            if (ids[op] != NoOp)
                column[kept++] = column[op];
        column.resize(kept);
    }

    /// Leaves the column empty where no other op has a value.
    template <class T>
    void takeOutOfOptional(const std::vector<OpId> &ids, std::vector<T> &column)
    {
        takeOut(ids, column);
        if (std::all_of(column.begin(), column.end(), [](const T &value) { return value == T {}; }))
            column.clear();
    }

    void takeOutEdges(const std::vector<OpId> &ids, Graph &graph)
    {
        std::uint32_t kept = 0, keptOps = 0, begin = 0;
        for (std::size_t op = 0; op < ids.size(); ++op) {
            const std::uint32_t end = graph.predOffset[op + 1];
            for (std::uint32_t edge = begin; ids[op] != NoOp && edge < end; ++edge) {
                const Edge from = graph.preds[edge];
                if (ids[from.op.value] != NoOp)
                    graph.preds[kept++] = { ids[from.op.value], from.kind };
            }
            begin = end;
            if (ids[op] != NoOp)
                graph.predOffset[++keptOps] = kept;
        }
        graph.preds.resize(kept);
        graph.predOffset.resize(keptOps + 1);
    }

    void rename(const std::vector<OpId> &ids, OpId &op)
    {
        if (op != NoOp)
            op = ids[op.value];
    }

    void rename(const std::vector<OpId> &ids, std::vector<OpId> &ops)
    {
        for (OpId &op : ops)
            rename(ids, op);
    }

    void renameParts(const std::vector<OpId> &ids, std::vector<CollectiveNode> &collectives)
    {
        for (CollectiveNode &node : collectives) {
            rename(ids, node.arrival);
            rename(ids, node.transfer);
            for (CollectiveNode::Part &part : node.parts) {
                rename(ids, part.ready);
                rename(ids, part.chunks);
                rename(ids, part.done);
            }
        }
    }

    void takeOutWaits(const std::vector<OpId> &ids, std::vector<PossibleWait> &waits)
    {
        std::erase_if(waits, [&ids](const PossibleWait &wait) {
            return ids[wait.awaited.value] == NoOp || ids[wait.waiting.value] == NoOp;
        });
        for (PossibleWait &wait : waits) {
            rename(ids, wait.awaited);
            rename(ids, wait.waiting);
        }
    }

    void takeOutOfColumns(const std::vector<OpId> &ids, Graph &graph)
    {
        takeOut(ids, graph.durationNs);
        takeOut(ids, graph.delayNs);
        takeOut(ids, graph.device);
        takeOut(ids, graph.kind);
        takeOut(ids, graph.phase);
        takeOut(ids, graph.worker);
        takeOut(ids, graph.name);
        takeOut(ids, graph.slice);
        takeOut(ids, graph.measuredStartNs);
        takeOut(ids, graph.iteration);
        takeOut(ids, graph.stretchShare);
        takeOutOfOptional(ids, graph.priority);
        takeOutOfOptional(ids, graph.bytes);
        takeOutOfOptional(ids, graph.rateLimit);
    }

} // namespace

Graph withoutOps(Graph graph, const std::vector<OpId> &removed)
{
    const std::vector<OpId> ids = idsWithout(removed, graph.size());
    takeOutOfColumns(ids, graph);
    takeOutEdges(ids, graph);
    renameParts(ids, graph.collectives);
    for (GradientStep &step : graph.gradientSteps)
        for (std::vector<OpId> *const ops :
             { &step.gradients, &step.kernels, &step.forwards, &step.copies, &step.copyStarts })
            rename(ids, *ops);
    takeOutWaits(ids, graph.possibleWaits);
    rename(ids, graph.iterationBegins);
    rename(ids, graph.iterationEnds);
    return graph;
}

} // namespace core
