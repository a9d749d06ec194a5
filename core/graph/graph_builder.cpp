#include "core/graph/graph_builder.h"

#include "core/base/error.h"

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

    /// Kahn's algorithm; among ready ops the one measured earliest goes first. Returns old ids in
    /// the new order.
    std::vector<OpId> topologicalOrder(const std::vector<OpSpec> &ops,
                                       const std::vector<char> &isRemoved,
                                       const std::vector<GraphBuilder::EdgeSpec> &edges)
    {
        const Csr successors = groupBy(
            edges, ops.size(), [](const auto &e) { return e.from; },
            [](const auto &e) { return e.to; });
        std::vector<std::uint32_t> missing(ops.size(), 0);
        for (const auto &edge : edges)
            ++missing[edge.to.value];
        using Entry = std::pair<std::int64_t, std::uint32_t>;
        std::priority_queue<Entry, std::vector<Entry>, std::greater<>> ready;
        for (std::uint32_t i = 0; i < ops.size(); ++i)
            if (missing[i] == 0 && !isRemoved[i])
                ready.emplace(ops[i].measuredStartNs, i);
        std::vector<OpId> order;
        order.reserve(ops.size());
        while (!ready.empty()) {
            const std::uint32_t i = ready.top().second;
            ready.pop();
            order.push_back(OpId(i));
            for (std::uint32_t k = successors.offset[i]; k < successors.offset[i + 1]; ++k) {
                const std::uint32_t next = successors.edges[k].op.value;
                if (--missing[next] == 0)
                    ready.emplace(ops[next].measuredStartNs, next);
            }
        }
        return order;
    }

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
            std::sort(begin, end, isBefore);
            for (auto edge = begin; edge != end; ++edge)
                if (edge == begin || edge->op != std::prev(kept)->op)
                    *kept++ = *edge;
        }
        csr.edges.erase(kept, csr.edges.end());
        csr.offset.back() = static_cast<std::uint32_t>(csr.edges.size());
    }

    void reserveOps(Graph &graph, std::size_t ops)
    {
        graph.durationNs.reserve(ops);
        graph.delayNs.reserve(ops);
        graph.device.reserve(ops);
        graph.kind.reserve(ops);
        graph.phase.reserve(ops);
        graph.worker.reserve(ops);
        graph.name.reserve(ops);
        graph.slice.reserve(ops);
        graph.measuredStartNs.reserve(ops);
        graph.iteration.reserve(ops);
        graph.stretchShare.reserve(ops);
    }

    void appendOp(Graph &graph, const OpSpec &spec)
    {
        graph.durationNs.push_back(spec.durationNs);
        graph.delayNs.push_back(spec.delayNs);
        graph.device.push_back(spec.device);
        graph.kind.push_back(spec.kind);
        graph.phase.push_back(spec.phase);
        graph.worker.push_back(spec.worker);
        graph.name.push_back(spec.name);
        graph.slice.push_back(spec.slice);
        graph.measuredStartNs.push_back(spec.measuredStartNs);
        graph.iteration.push_back(spec.iteration);
        graph.stretchShare.push_back(spec.stretchShare);
    }

    /// The column is left empty where no op has a value.
    template <class T>
    void fillColumn(std::vector<T> &column, T OpSpec::*field, const std::vector<OpSpec> &ops,
                    const std::vector<OpId> &order)
    {
        if (std::all_of(order.begin(), order.end(),
                        [&](OpId old) { return ops[old.value].*field == T {}; }))
            return;
        column.reserve(order.size());
        for (const OpId old : order)
            column.push_back(ops[old.value].*field);
    }

} // namespace

GraphBuilder::GraphBuilder(std::vector<std::string> names)
    : m_names(std::move(names))
{
}

GraphBuilder::GraphBuilder(const Graph &graph)
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
    m_ops.reserve(graph.size());
    m_isRemoved.assign(graph.size(), 0);
    m_edges.reserve(graph.preds.size());
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        m_ops.push_back({ graph.name[i], graph.device[i], graph.kind[i], graph.phase[i],
                          graph.worker[i], graph.slice[i], graph.durationNs[i], graph.delayNs[i],
                          graph.measuredStartNs[i], graph.iteration[i], graph.stretchShare[i],
                          graph.priorityOf(OpId(i)), graph.bytesOf(OpId(i)),
                          graph.rateLimitOf(OpId(i)) });
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
    const std::vector<OpId> order = topologicalOrder(m_ops, m_isRemoved, m_edges);
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
    reserveOps(graph, order.size());
    for (const OpId old : order)
        appendOp(graph, m_ops[old.value]);
    fillColumn(graph.priority, &OpSpec::priority, m_ops, order);
    fillColumn(graph.bytes, &OpSpec::bytes, m_ops, order);
    fillColumn(graph.rateLimit, &OpSpec::rateLimit, m_ops, order);
    for (EdgeSpec &edge : m_edges) {
        move(edge.from);
        move(edge.to);
    }
    Csr preds = groupBy(
        m_edges, graph.size(), [](const auto &e) { return e.to; },
        [](const auto &e) { return e.from; });
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
