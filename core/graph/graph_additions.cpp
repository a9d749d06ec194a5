#include "core/graph/graph_additions.h"

#include "core/graph/topological_order.h"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <utility>

namespace core {

namespace {

    /// A column of the graph with the values of added ops at their places.
    template <class T, class ValueOf>
    void merge(const std::vector<T> &base, std::size_t baseOps,
               const std::vector<std::uint32_t> &order, const std::vector<std::uint32_t> &place,
               const ValueOf &valueOf, std::vector<T> &merged)
    {
        if (base.empty() && baseOps > 0
            && std::all_of(order.begin(), order.end(),
                           [&](std::uint32_t i) { return valueOf(i) == T {}; }))
            return; // a column that is empty where no op has a value
        merged.resize(baseOps + order.size());
        auto to = merged.begin();
        std::size_t from = 0;
        const auto copyUntil = [&](std::size_t end) {
            if (!base.empty())
                std::copy(base.begin() + static_cast<std::ptrdiff_t>(from),
                          base.begin() + static_cast<std::ptrdiff_t>(end), to);
            to += static_cast<std::ptrdiff_t>(end - from);
            from = end;
        };
        for (const std::uint32_t i : order) {
            copyUntil(place[i]);
            *to++ = valueOf(i);
        }
        copyUntil(baseOps);
    }

    /// Orders an op's edges and joins those from the same op; see GraphBuilder::build().
    void joinEdges(std::vector<Edge> &edges, std::size_t from)
    {
        const auto begin = edges.begin() + static_cast<std::ptrdiff_t>(from);
        std::sort(begin, edges.end(), [](const Edge &a, const Edge &b) {
            return a.op != b.op ? a.op < b.op : a.kind < b.kind;
        });
        edges.erase(std::unique(begin, edges.end(),
                                [](const Edge &a, const Edge &b) { return a.op == b.op; }),
                    edges.end());
    }

} // namespace

GraphAdditions::GraphAdditions(std::shared_ptr<const Graph> graph)
    : m_graph(std::move(graph))
    , m_devices(m_graph->devices)
    , m_gradientSteps(m_graph->gradientSteps)
{
}

NameId GraphAdditions::intern(std::string_view name)
{
    const auto id = static_cast<std::uint32_t>(m_graph->names.size() + m_names.size());
    const auto [it, isNew] = m_idOfName.try_emplace(std::string(name), NameId(id));
    if (isNew)
        m_names.emplace_back(name);
    return it->second;
}

DeviceId GraphAdditions::addDevice(Device device)
{
    m_devices.push_back(std::move(device));
    return DeviceId(static_cast<std::uint32_t>(m_devices.size() - 1));
}

OpId GraphAdditions::addOp(const OpSpec &spec)
{
    m_ops.push_back(spec);
    return OpId(static_cast<std::uint32_t>(opCount() - 1));
}

void GraphAdditions::addEdge(OpId from, OpId to, EdgeKind kind)
{
    m_edges.push_back({ from, to, kind });
}

Graph GraphAdditions::build(const JobControl &control)
{
    throwIfCancelled(control);
    const Places places = findPlaces();
    if (places.order.size() < m_ops.size() || isAnyBehind(places))
        return sorted(control);
    const std::vector<OpId> ids = newIds(places);
    Graph graph;
    setColumns(places, graph);
    throwIfCancelled(control);
    setEdges(ids, places, graph);
    setRest(ids, graph);
    return graph;
}

/// Each op goes behind all that it waits for. Those that wait for themselves are left out.
GraphAdditions::Places GraphAdditions::findPlaces() const
{
    const auto base = static_cast<std::uint32_t>(m_graph->size());
    Places places;
    places.place.assign(m_ops.size(), 0);
    std::vector<std::uint32_t> missing(m_ops.size(), 0), offset(m_ops.size() + 1, 0);
    for (const GraphBuilder::EdgeSpec &edge : m_edges) {
        if (!isAdded(edge.to))
            continue;
        std::uint32_t &place = places.place[edge.to.value - base];
        if (isAdded(edge.from)) {
            ++missing[edge.to.value - base];
            ++offset[edge.from.value - base + 1];
        } else {
            place = std::max(place, edge.from.value + 1);
        }
    }
    std::partial_sum(offset.begin(), offset.end(), offset.begin());
    std::vector<std::uint32_t> next(offset.begin(), offset.end() - 1), successors(offset.back());
    for (const GraphBuilder::EdgeSpec &edge : m_edges)
        if (isAdded(edge.from) && isAdded(edge.to))
            successors[next[edge.from.value - base]++] = edge.to.value - base;
    places.order.reserve(m_ops.size());
    for (std::uint32_t i = 0; i < m_ops.size(); ++i)
        if (missing[i] == 0)
            places.order.push_back(i);
    for (std::size_t done = 0; done < places.order.size(); ++done) {
        const std::uint32_t i = places.order[done];
        for (std::uint32_t s = offset[i]; s < offset[i + 1]; ++s) {
            std::uint32_t &place = places.place[successors[s]];
            place = std::max(place, places.place[i]);
            if (--missing[successors[s]] == 0)
                places.order.push_back(successors[s]);
        }
    }
    std::stable_sort(
        places.order.begin(), places.order.end(),
        [&places](std::uint32_t a, std::uint32_t b) { return places.place[a] < places.place[b]; });
    return places;
}

/// Whether an op of the graph waits for one that comes behind it.
bool GraphAdditions::isAnyBehind(const Places &places) const
{
    return std::any_of(m_edges.begin(), m_edges.end(), [&](const GraphBuilder::EdgeSpec &edge) {
        if (isAdded(edge.to))
            return false;
        return isAdded(edge.from) ? places.place[edge.from.value - m_graph->size()] > edge.to.value
                                  : edge.from >= edge.to;
    });
}

/// New id by the id until now.
std::vector<OpId> GraphAdditions::newIds(const Places &places) const
{
    std::vector<OpId> ids(opCount(), NoOp);
    std::uint32_t op = 0, id = 0;
    for (const std::uint32_t i : places.order) {
        for (; op < places.place[i]; ++op)
            ids[op] = OpId(id++);
        ids[m_graph->size() + i] = OpId(id++);
    }
    for (; op < m_graph->size(); ++op)
        ids[op] = OpId(id++);
    return ids;
}

void GraphAdditions::setColumns(const Places &places, Graph &graph) const
{
    const auto set = [&](auto column, auto field) {
        merge((*m_graph).*column, m_graph->size(), places.order, places.place,
              [&](std::uint32_t i) { return m_ops[i].*field; }, graph.*column);
    };
    set(&Graph::durationNs, &OpSpec::durationNs);
    set(&Graph::delayNs, &OpSpec::delayNs);
    set(&Graph::device, &OpSpec::device);
    set(&Graph::kind, &OpSpec::kind);
    set(&Graph::phase, &OpSpec::phase);
    set(&Graph::worker, &OpSpec::worker);
    set(&Graph::name, &OpSpec::name);
    set(&Graph::slice, &OpSpec::slice);
    set(&Graph::measuredStartNs, &OpSpec::measuredStartNs);
    set(&Graph::iteration, &OpSpec::iteration);
    set(&Graph::stretchShare, &OpSpec::stretchShare);
    set(&Graph::priority, &OpSpec::priority);
    set(&Graph::bytes, &OpSpec::bytes);
    set(&Graph::rateLimit, &OpSpec::rateLimit);
}

void GraphAdditions::setEdges(const std::vector<OpId> &newIds, const Places &places,
                              Graph &graph) const
{
    const GroupedEdges added = groupBy(EdgeEnd::To, m_edges, opCount());
    graph.predOffset.reserve(opCount() + 1);
    graph.preds.reserve(m_graph->preds.size() + m_edges.size());
    graph.predOffset.push_back(0);
    const auto addOp = [&](std::uint32_t op) {
        const std::size_t from = graph.preds.size();
        if (op < m_graph->size())
            for (const Edge &edge : m_graph->predecessors(OpId(op)))
                graph.preds.push_back({ newIds[edge.op.value], edge.kind });
        for (const Edge &edge : added.of(op))
            graph.preds.push_back({ newIds[edge.op.value], edge.kind });
        if (!added.of(op).empty())
            joinEdges(graph.preds, from);
        graph.predOffset.push_back(static_cast<std::uint32_t>(graph.preds.size()));
    };
    std::uint32_t op = 0;
    for (const std::uint32_t i : places.order) {
        for (; op < places.place[i]; ++op)
            addOp(op);
        addOp(static_cast<std::uint32_t>(m_graph->size()) + i);
    }
    for (; op < m_graph->size(); ++op)
        addOp(op);
}

void GraphAdditions::setRest(const std::vector<OpId> &newIds, Graph &graph)
{
    const auto move = [&newIds](OpId &op) {
        if (op != NoOp)
            op = newIds[op.value];
    };
    const auto moveAll
        = [&move](std::vector<OpId> &ops) { std::for_each(ops.begin(), ops.end(), move); };
    graph.names.reserve(m_graph->names.size() + m_names.size());
    graph.names = m_graph->names;
    std::move(m_names.begin(), m_names.end(), std::back_inserter(graph.names));
    graph.devices = std::move(m_devices);
    graph.slowdown = m_graph->slowdown;
    graph.isDriveBound = m_graph->isDriveBound;
    graph.nccl = m_graph->nccl;
    graph.gradientMisfit = m_graph->gradientMisfit;
    graph.iterationCount = m_graph->iterationCount;
    graph.keptIterations = m_graph->keptIterations;
    graph.positions = m_graph->positions;
    graph.standIns = m_graph->standIns;
    graph.notes = m_graph->notes;
    graph.faults = m_graph->faults;
    graph.collectives.reserve(m_graph->collectives.size() + m_collectives.size());
    graph.collectives = m_graph->collectives;
    std::move(m_collectives.begin(), m_collectives.end(), std::back_inserter(graph.collectives));
    for (CollectiveNode &node : graph.collectives) {
        move(node.arrival);
        move(node.transfer);
        for (CollectiveNode::Part &part : node.parts) {
            move(part.ready);
            move(part.done);
            moveAll(part.chunks);
        }
    }
    graph.gradientSteps = std::move(m_gradientSteps);
    for (GradientStep &step : graph.gradientSteps)
        for (std::vector<OpId> *const ops :
             { &step.gradients, &step.kernels, &step.forwards, &step.copies, &step.copyStarts })
            moveAll(*ops);
    graph.possibleWaits = m_graph->possibleWaits;
    for (PossibleWait &wait : graph.possibleWaits) {
        move(wait.awaited);
        move(wait.waiting);
    }
    graph.iterationBegins = m_graph->iterationBegins;
    graph.iterationEnds = m_graph->iterationEnds;
    moveAll(graph.iterationBegins);
    moveAll(graph.iterationEnds);
}

/// Where an edge leads against the order of the graph's ops, all are numbered anew.
Graph GraphAdditions::sorted(const JobControl &control)
{
    GraphBuilder builder(*m_graph, { m_ops.size(), m_edges.size(), m_collectives.size() }, control);
    const std::size_t names = m_graph->names.size();
    for (std::size_t i = 0; i < m_devices.size(); ++i) {
        if (i >= m_graph->devices.size())
            builder.addDevice({});
        builder.device(DeviceId(static_cast<std::uint32_t>(i))) = std::move(m_devices[i]);
    }
    for (OpSpec &spec : m_ops) {
        if (spec.name.value >= names)
            spec.name = builder.intern(m_names[spec.name.value - names]);
        builder.addOp(spec);
    }
    for (const GraphBuilder::EdgeSpec &edge : m_edges)
        builder.addEdge(edge.from, edge.to, edge.kind);
    for (CollectiveNode &node : m_collectives)
        builder.addCollective(std::move(node));
    builder.gradientSteps() = std::move(m_gradientSteps);
    return builder.build(control);
}

} // namespace core
