#include "core/graph/graph_builder.h"

#include "core/base/error.h"
#include "core/base/kept_memory.h"
#include "core/graph/ops_per_look.h"
#include "core/graph/topological_order.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <utility>

namespace core {

namespace {

    /// Marks the ops that Kahn's algorithm reaches, following `next` edges from those without
    /// `previous`. How many.
    std::size_t markReached(const GroupedEdges &next, std::vector<std::uint32_t> missing,
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
            for (const Edge &edge : next.of(i))
                if (--missing[edge.op.value] == 0)
                    ready.push_back(edge.op.value);
        }
        return count;
    }

    /// By new id, those of an op in the order of new ids. `order`: old ids; `position`: new ids by
    /// old one.
    GroupedEdges predecessors(const GroupedEdges &successors, const std::vector<OpId> &order,
                              const std::vector<OpId> &position)
    {
        GroupedEdges preds;
        preds.offset.assign(order.size() + 1, 0);
        for (const Edge &edge : successors.edges)
            ++preds.offset[position[edge.op.value].value + 1];
        for (std::size_t i = 0; i < order.size(); ++i)
            preds.offset[i + 1] += preds.offset[i];
        preds.edges.resize(successors.edges.size());
        std::vector<std::uint32_t> next(preds.offset.begin(), preds.offset.end() - 1);
        for (std::uint32_t i = 0; i < order.size(); ++i)
            for (const Edge &edge : successors.of(order[i].value))
                preds.edges[next[position[edge.op.value].value]++] = { OpId(i), edge.kind };
        return preds;
    }

    /// Of an op's edges with the same other end, which are next to each other, one is kept, of the
    /// first kind.
    void mergeDuplicates(GroupedEdges &grouped)
    {
        auto kept = grouped.edges.begin();
        for (std::size_t i = 0; i + 1 < grouped.offset.size(); ++i) {
            const auto begin = grouped.edges.begin() + grouped.offset[i];
            const auto end = grouped.edges.begin() + grouped.offset[i + 1];
            grouped.offset[i] = static_cast<std::uint32_t>(kept - grouped.edges.begin());
            for (auto edge = begin; edge != end; ++edge) {
                if (edge == begin || edge->op != std::prev(kept)->op)
                    *kept++ = *edge;
                else
                    std::prev(kept)->kind = std::min(std::prev(kept)->kind, edge->kind);
            }
        }
        grouped.edges.erase(kept, grouped.edges.end());
        grouped.offset.back() = static_cast<std::uint32_t>(grouped.edges.size());
    }

    constexpr std::size_t BlockOps = 0x400; ///< stay in the processor's caches

    template <class T>
    void append(std::vector<T> &column, std::span<const OpSpec *const> block, T OpSpec::*field)
    {
        std::array<T, BlockOps> values;
        std::transform(block.begin(), block.end(), values.begin(),
                       [field](const OpSpec *spec) { return spec->*field; });
        column.insert(column.end(), values.begin(),
                      values.begin() + static_cast<std::ptrdiff_t>(block.size()));
    }

    /// Column by column: what a graph has room for is written once.
    void appendOps(Graph &graph, std::span<const OpSpec *const> block)
    {
        append(graph.durationNs, block, &OpSpec::durationNs);
        append(graph.delayNs, block, &OpSpec::delayNs);
        append(graph.device, block, &OpSpec::device);
        append(graph.kind, block, &OpSpec::kind);
        append(graph.phase, block, &OpSpec::phase);
        append(graph.worker, block, &OpSpec::worker);
        append(graph.name, block, &OpSpec::name);
        append(graph.slice, block, &OpSpec::slice);
        append(graph.measuredStartNs, block, &OpSpec::measuredStartNs);
        append(graph.iteration, block, &OpSpec::iteration);
        append(graph.stretchShare, block, &OpSpec::stretchShare);
    }

    void reserveColumns(Graph &graph, std::size_t ops)
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

    /// The column is left empty where no op has a value.
    template <class T>
    void setIfAny(std::vector<T> &column, std::size_t ops, std::size_t op, T value)
    {
        if (value == T {})
            return;
        column.resize(ops);
        column[op] = value;
    }

} // namespace

OpSpec specOf(const Graph &graph, OpId op)
{
    const std::uint32_t i = op.value;
    return { graph.name[i],         graph.device[i],       graph.kind[i],
             graph.phase[i],        graph.worker[i],       graph.slice[i],
             graph.durationNs[i],   graph.delayNs[i],      graph.measuredStartNs[i],
             graph.iteration[i],    graph.stretchShare[i], graph.priorityOf(op),
             graph.rateLimitOf(op), graph.bytesOf(op) };
}

GraphBuilder::GraphBuilder(std::vector<std::string> names)
    : m_names(std::move(names))
{
}

GraphBuilder::GraphBuilder(const Graph &graph, const GraphRoom &more, const JobControl &control)
    : m_names(graph.names)
    , m_devices(graph.devices)
    , m_collectives(graph.collectives)
    , m_nccl(graph.nccl)
    , m_notes(graph.notes)
    , m_faults(graph.faults)
    , m_gradientSteps(graph.gradientSteps)
    , m_gradientMisfit(graph.gradientMisfit)
    , m_possibleWaits(graph.possibleWaits)
    , m_iterationBegins(graph.iterationBegins)
    , m_iterationEnds(graph.iterationEnds)
    , m_iterationCount(graph.iterationCount)
    , m_keptIterations(graph.keptIterations)
    , m_positions(graph.positions)
    , m_standIns(graph.standIns)
    , m_slowdown(graph.slowdown)
    , m_isDriveBound(graph.isDriveBound)
{
    m_ops.reserve(graph.size() + more.ops);
    m_isRemoved.reserve(graph.size() + more.ops);
    m_isRemoved.assign(graph.size(), 0);
    m_edges.reserve(graph.preds.size() + more.edges);
    m_collectives.reserve(graph.collectives.size() + more.collectives);
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (i % OpsPerLook == 0)
            throwIfCancelled(control);
        m_ops.push_back(specOf(graph, OpId(i)));
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

void GraphBuilder::addFault(std::string fault)
{
    m_faults.push_back(std::move(fault));
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
    const std::size_t ops = m_ops.size();
    std::vector<char> isReached(ops, 0);
    if (markReached(groupBy(EdgeEnd::From, m_edges, ops), degrees(EdgeEnd::To, m_edges, ops),
                    isReached)
        == ops)
        return std::vector<char>(ops, 0); // as good as always
    markReached(groupBy(EdgeEnd::To, m_edges, ops), degrees(EdgeEnd::From, m_edges, ops),
                isReached);
    for (char &reached : isReached)
        reached = !reached;
    return isReached;
}

Graph GraphBuilder::build(const JobControl &control, std::vector<OpId> *newIds)
{
    if (std::find(m_isRemoved.begin(), m_isRemoved.end(), 1) != m_isRemoved.end())
        removeEdges([&](const EdgeSpec &e) {
            return m_isRemoved[e.from.value] || m_isRemoved[e.to.value];
        });
    std::vector<OpId> order;
    GroupedEdges successors;
    {
        TopologicalOrder topological(m_ops, m_edges, control);
        releaseMemory(m_edges); // what follows takes its room
        order = topological.find(m_isRemoved, control);
        successors = topological.takeSuccessors();
    }
    std::vector<OpId> position(m_ops.size(), NoOp);
    for (std::uint32_t i = 0; i < order.size(); ++i)
        position[order[i].value] = OpId(i);
    for (std::size_t i = 0; i < m_ops.size(); ++i)
        if (position[i] == NoOp && !m_isRemoved[i])
            throw Error("The data-flow graph has a cycle through '" + m_names[m_ops[i].name.value]
                        + "': the ranks' recordings contradict each other. Check their clocks with "
                          "'longpole align'.");
    throwIfCancelled(control);
    GroupedEdges preds = predecessors(successors, order, position);
    successors = {};
    mergeDuplicates(preds);
    Graph graph;
    graph.predOffset = std::move(preds.offset);
    graph.preds = std::move(preds.edges);
    setOps(order, control, graph);
    releaseMemory(m_ops); // as large as the graph
    moveRest(position, graph);
    if (newIds)
        *newIds = std::move(position);
    return graph;
}

void GraphBuilder::setOps(const std::vector<OpId> &order, const JobControl &control,
                          Graph &graph) const
{
    reserveColumns(graph, order.size());
    std::vector<const OpSpec *> block;
    block.reserve(BlockOps);
    for (std::size_t from = 0; from < order.size(); from += BlockOps) {
        throwIfCancelled(control);
        block.clear();
        for (std::size_t op = from; op < std::min(order.size(), from + BlockOps); ++op) {
            const OpSpec &spec = m_ops[order[op].value];
            block.push_back(&spec);
            setIfAny(graph.priority, order.size(), op, spec.priority);
            setIfAny(graph.bytes, order.size(), op, spec.bytes);
            setIfAny(graph.rateLimit, order.size(), op, spec.rateLimit);
        }
        appendOps(graph, block);
    }
}

void GraphBuilder::moveRest(const std::vector<OpId> &position, Graph &graph)
{
    const auto move = [&](OpId &op) { op = position[op.value]; };
    graph.names = std::move(m_names);
    graph.devices = std::move(m_devices);
    graph.iterationCount = m_iterationCount;
    graph.notes = std::move(m_notes);
    graph.faults = std::move(m_faults);
    graph.slowdown = m_slowdown;
    graph.isDriveBound = m_isDriveBound;
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
    graph.gradientMisfit = std::move(m_gradientMisfit);
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
    graph.positions = std::move(m_positions);
    graph.standIns = std::move(m_standIns);
    graph.iterationBegins = std::move(m_iterationBegins);
    graph.iterationEnds = std::move(m_iterationEnds);
    std::for_each(graph.iterationBegins.begin(), graph.iterationBegins.end(), move);
    std::for_each(graph.iterationEnds.begin(), graph.iterationEnds.end(), move);
}

} // namespace core
