#include "core/graph/graph_builder.h"

#include "core/base/error.h"
#include "core/base/radix_order.h"

#include <queue>

#include <algorithm>
#include <tuple>
#include <utility>

namespace core {

namespace {

    struct Csr
    {
        std::vector<std::uint32_t> offset;
        std::vector<Edge> edges;
    };

    /// Edges grouped by their `from` (successors) or `to` (predecessors) end, in counting-sort
    /// order.
    template <class Key, class Other>
    Csr groupBy(const std::vector<GraphBuilder::EdgeSpec> &edges, std::size_t ops, Key key,
                Other other)
    {
        Csr csr;
        csr.offset.assign(ops + 1, 0);
        for (const auto &edge : edges)
            ++csr.offset[key(edge).value + 1];
        for (std::size_t i = 0; i < ops; ++i)
            csr.offset[i + 1] += csr.offset[i];
        csr.edges.resize(edges.size());
        std::vector<std::uint32_t> next(csr.offset.begin(), csr.offset.end() - 1);
        for (const auto &edge : edges)
            csr.edges[next[key(edge).value]++] = { other(edge), edge.kind };
        return csr;
    }

    /// How many edges have each op as their `end`.
    template <class End>
    std::vector<std::uint32_t> degrees(const std::vector<GraphBuilder::EdgeSpec> &edges,
                                       std::size_t ops, End end)
    {
        std::vector<std::uint32_t> counts(ops, 0);
        for (const auto &edge : edges)
            ++counts[end(edge).value];
        return counts;
    }

    /// Kahn's algorithm; among ready ops the one measured earliest goes first.
    class TopologicalOrder
    {
    public:
        TopologicalOrder(const std::vector<OpSpec> &ops,
                         const std::vector<GraphBuilder::EdgeSpec> &edges)
            : m_successors(groupBy(
                edges, ops.size(), [](const auto &e) { return e.from; },
                [](const auto &e) { return e.to; }))
            , m_missing(degrees(edges, ops.size(), [](const auto &e) { return e.to; }))
            , m_byStart(orderByStart(ops))
            , m_place(ops.size())
        {
            for (std::uint32_t place = 0; place < m_byStart.size(); ++place)
                m_place[m_byStart[place]] = place;
        }

        /// Old ids in the new order.
        std::vector<OpId> find(const std::vector<char> &isRemoved)
        {
            m_order.reserve(m_byStart.size());
            for (m_next = 0; m_next < m_byStart.size();) {
                const std::uint32_t op = m_byStart[m_next++];
                if (m_missing[op] > 0 || isRemoved[op] != 0)
                    continue;
                take(op);
                while (!m_late.empty()) {
                    const std::uint32_t late = m_byStart[m_late.top()];
                    m_late.pop();
                    take(late);
                }
            }
            return std::move(m_order);
        }

    private:
        static std::vector<std::uint32_t> orderByStart(const std::vector<OpSpec> &ops)
        {
            std::vector<std::int64_t> startNs(ops.size());
            std::transform(ops.begin(), ops.end(), startNs.begin(),
                           [](const OpSpec &op) { return op.measuredStartNs; });
            return radixOrder(startNs);
        }

        void take(std::uint32_t op)
        {
            m_order.push_back(OpId(op));
            for (std::uint32_t k = m_successors.offset[op]; k < m_successors.offset[op + 1]; ++k) {
                const std::uint32_t next = m_successors.edges[k].op.value;
                if (--m_missing[next] == 0 && m_place[next] < m_next)
                    m_late.push(m_place[next]);
            }
        }

        Csr m_successors;
        std::vector<std::uint32_t> m_missing; ///< by OpId: predecessors that have not been taken
        std::vector<std::uint32_t> m_byStart; ///< old ids
        std::vector<std::uint32_t> m_place; ///< by old id: where it is there
        std::size_t m_next = 0; ///< the place to look at
        /// Places of ready ops before that: few, as ops mostly begin after their predecessors.
        std::priority_queue<std::uint32_t, std::vector<std::uint32_t>, std::greater<>> m_late;
        std::vector<OpId> m_order;
    };

    /// Marks the ops that Kahn's algorithm reaches, following `next` edges from those without
    /// `previous`. How many.
    std::size_t markReached(const Csr &next, std::vector<std::uint32_t> missing,
                            std::vector<char> &isReached)
    {
        std::vector<std::uint32_t> ready;
        std::size_t count = 0;
        for (std::uint32_t i = 0; i < missing.size(); ++i)
            if (missing[i] == 0)
                ready.push_back(i);
        while (!ready.empty()) {
            const std::uint32_t i = ready.back();
            ready.pop_back();
            isReached[i] = 1;
            ++count;
            for (std::uint32_t k = next.offset[i]; k < next.offset[i + 1]; ++k)
                if (--missing[next.edges[k].op.value] == 0)
                    ready.push_back(next.edges[k].op.value);
        }
        return count;
    }

    /// Sorts each op's edges by their other end and keeps one of those with the same end.
    void mergeDuplicates(Csr &csr)
    {
        const auto isBefore = [](const Edge &a, const Edge &b) {
            return std::tie(a.op, a.kind) < std::tie(b.op, b.kind);
        };
        auto kept = csr.edges.begin();
        for (std::size_t i = 0; i + 1 < csr.offset.size(); ++i) {
            const auto begin = csr.edges.begin() + csr.offset[i];
            const auto end = csr.edges.begin() + csr.offset[i + 1];
            csr.offset[i] = static_cast<std::uint32_t>(kept - csr.edges.begin());
            if (!std::is_sorted(begin, end, isBefore)) // they mostly are
                std::sort(begin, end, isBefore);
            for (auto edge = begin; edge != end; ++edge)
                if (edge == begin || edge->op != std::prev(kept)->op)
                    *kept++ = *edge;
        }
        csr.edges.erase(kept, csr.edges.end());
        csr.offset.back() = static_cast<std::uint32_t>(csr.edges.size());
    }

    void resizeColumns(Graph &graph, std::size_t ops)
    {
        graph.durationNs.resize(ops);
        graph.delayNs.resize(ops);
        graph.device.resize(ops);
        graph.kind.resize(ops);
        graph.phase.resize(ops);
        graph.worker.resize(ops);
        graph.name.resize(ops);
        graph.slice.resize(ops);
        graph.measuredStartNs.resize(ops);
        graph.iteration.resize(ops);
        graph.stretchShare.resize(ops);
    }

    void setOp(Graph &graph, std::size_t op, const OpSpec &spec)
    {
        graph.durationNs[op] = spec.durationNs;
        graph.delayNs[op] = spec.delayNs;
        graph.device[op] = spec.device;
        graph.kind[op] = spec.kind;
        graph.phase[op] = spec.phase;
        graph.worker[op] = spec.worker;
        graph.name[op] = spec.name;
        graph.slice[op] = spec.slice;
        graph.measuredStartNs[op] = spec.measuredStartNs;
        graph.iteration[op] = spec.iteration;
        graph.stretchShare[op] = spec.stretchShare;
    }

    /// The column is left empty where no op has a value.
    template <class T>
    void setIfAny(std::vector<T> &column, const std::vector<OpId> &order, std::size_t op, T value)
    {
        if (value == T {})
            return;
        column.resize(order.size());
        column[op] = value;
    }

} // namespace

GraphBuilder::GraphBuilder(std::vector<std::string> names)
    : m_names(std::move(names))
{
}

GraphBuilder::GraphBuilder(const Graph &graph, const GraphRoom &more)
    : m_names(graph.names)
    , m_devices(graph.devices)
    , m_collectives(graph.collectives)
    , m_nccl(graph.nccl)
    , m_notes(graph.notes)
    , m_gradientSteps(graph.gradientSteps)
    , m_possibleWaits(graph.possibleWaits)
    , m_iterationBegins(graph.iterationBegins)
    , m_iterationEnds(graph.iterationEnds)
    , m_iterationCount(graph.iterationCount)
    , m_keptIterations(graph.keptIterations)
    , m_slowdown(graph.slowdown)
    , m_isDriveBound(graph.isDriveBound)
{
    m_ops.reserve(graph.size() + more.ops);
    m_isRemoved.reserve(graph.size() + more.ops);
    m_isRemoved.assign(graph.size(), 0);
    m_edges.reserve(graph.preds.size() + more.edges);
    m_collectives.reserve(graph.collectives.size() + more.collectives);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        m_ops.push_back({ graph.name[i], graph.device[i], graph.kind[i], graph.phase[i],
                          graph.worker[i], graph.slice[i], graph.durationNs[i], graph.delayNs[i],
                          graph.measuredStartNs[i], graph.iteration[i], graph.stretchShare[i],
                          graph.priorityOf(OpId(i)), graph.rateLimitOf(OpId(i)),
                          graph.bytesOf(OpId(i)) });
        for (const Edge &edge : graph.predecessors(OpId(i)))
            m_edges.push_back({ edge.op, OpId(i), edge.kind });
    }
}

NameId GraphBuilder::intern(std::string_view name)
{
    const auto [it, isNew] = m_added.try_emplace(
        std::string(name), NameId(static_cast<std::uint32_t>(m_names.size())));
    if (isNew)
        m_names.emplace_back(name);
    return it->second;
}

DeviceId GraphBuilder::addDevice(Device device)
{
    m_devices.push_back(std::move(device));
    return DeviceId(static_cast<std::uint32_t>(m_devices.size() - 1));
}

OpId GraphBuilder::addOp(const OpSpec &spec)
{
    m_ops.push_back(spec);
    m_isRemoved.push_back(0);
    return OpId(static_cast<std::uint32_t>(m_ops.size() - 1));
}

void GraphBuilder::addEdge(OpId from, OpId to, EdgeKind kind)
{
    m_edges.push_back({ from, to, kind });
}

CollectiveNode &GraphBuilder::addCollective(CollectiveNode node)
{
    m_collectives.push_back(std::move(node));
    return m_collectives.back();
}

void GraphBuilder::addNote(std::string note)
{
    m_notes.push_back(std::move(note));
}

void GraphBuilder::setIterations(std::vector<OpId> begins, std::vector<OpId> ends,
                                 std::int32_t count)
{
    m_iterationBegins = std::move(begins);
    m_iterationEnds = std::move(ends);
    m_iterationCount = count;
}

std::vector<char> GraphBuilder::opsInCycles() const
{
    const auto fromOf = [](const EdgeSpec &edge) { return edge.from; };
    const auto toOf = [](const EdgeSpec &edge) { return edge.to; };
    const std::size_t ops = m_ops.size();
    std::vector<char> isReached(ops, 0);
    if (markReached(groupBy(m_edges, ops, fromOf, toOf), degrees(m_edges, ops, toOf), isReached)
        == ops)
        return std::vector<char>(ops, 0); // as good as always
    markReached(groupBy(m_edges, ops, toOf, fromOf), degrees(m_edges, ops, fromOf), isReached);
    for (char &reached : isReached)
        reached = !reached;
    return isReached;
}

Graph GraphBuilder::build(std::vector<OpId> *newIds)
{
    std::erase_if(m_edges, [&](const EdgeSpec &e) {
        return m_isRemoved[e.from.value] || m_isRemoved[e.to.value];
    });
    const std::vector<OpId> order = TopologicalOrder(m_ops, m_edges).find(m_isRemoved);
    std::vector<OpId> position(m_ops.size(), NoOp);
    for (std::uint32_t i = 0; i < order.size(); ++i)
        position[order[i].value] = OpId(i);
    for (std::size_t i = 0; i < m_ops.size(); ++i)
        if (position[i] == NoOp && !m_isRemoved[i])
            throw Error("The data-flow graph has a cycle through '" + m_names[m_ops[i].name.value]
                        + "': the ranks' recordings contradict each other. Check their clocks with "
                          "'longpole align'.");
    Graph graph = assemble(order, position);
    if (newIds)
        *newIds = std::move(position);
    return graph;
}

Graph GraphBuilder::assemble(const std::vector<OpId> &order, const std::vector<OpId> &position)
{
    const auto move = [&](OpId &op) { op = position[op.value]; };
    Graph graph;
    graph.names = std::move(m_names);
    graph.devices = std::move(m_devices);
    graph.iterationCount = m_iterationCount;
    graph.notes = std::move(m_notes);
    graph.slowdown = m_slowdown;
    graph.isDriveBound = m_isDriveBound;
    resizeColumns(graph, order.size());
    for (std::size_t op = 0; op < order.size(); ++op) {
        const OpSpec &spec = m_ops[order[op].value];
        setOp(graph, op, spec);
        setIfAny(graph.priority, order, op, spec.priority);
        setIfAny(graph.bytes, order, op, spec.bytes);
        setIfAny(graph.rateLimit, order, op, spec.rateLimit);
    }
    Csr preds = groupBy(
        m_edges, graph.size(), [&](const auto &e) { return position[e.to.value]; },
        [&](const auto &e) { return position[e.from.value]; });
    mergeDuplicates(preds);
    graph.predOffset = std::move(preds.offset);
    graph.preds = std::move(preds.edges);
    graph.collectives = std::move(m_collectives);
    graph.nccl = std::move(m_nccl);
    for (CollectiveNode &node : graph.collectives) {
        move(node.arrival);
        move(node.transfer);
        for (CollectiveNode::Part &part : node.parts) {
            move(part.ready);
            std::for_each(part.chunks.begin(), part.chunks.end(), move);
            if (part.done != NoOp)
                move(part.done);
        }
    }
    graph.gradientSteps = std::move(m_gradientSteps);
    for (GradientStep &step : graph.gradientSteps) {
        std::for_each(step.gradients.begin(), step.gradients.end(), move);
        std::for_each(step.kernels.begin(), step.kernels.end(), move);
        for (OpId &forward : step.forwards)
            if (forward != NoOp)
                move(forward);
        std::for_each(step.copies.begin(), step.copies.end(), move);
        std::for_each(step.copyStarts.begin(), step.copyStarts.end(), move);
    }
    for (const PossibleWait &wait : m_possibleWaits)
        if (!m_isRemoved[wait.awaited.value] && !m_isRemoved[wait.waiting.value])
            graph.possibleWaits.push_back(
                { position[wait.awaited.value], position[wait.waiting.value] });
    graph.keptIterations = std::move(m_keptIterations);
    graph.iterationBegins = std::move(m_iterationBegins);
    graph.iterationEnds = std::move(m_iterationEnds);
    std::for_each(graph.iterationBegins.begin(), graph.iterationBegins.end(), move);
    std::for_each(graph.iterationEnds.begin(), graph.iterationEnds.end(), move);
    return graph;
}

} // namespace core
