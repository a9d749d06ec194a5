#include "core/blocks/contraction.h"

#include <algorithm>
#include <utility>

namespace core {

namespace {

    constexpr std::uint32_t None = ~std::uint32_t { 0 };

    bool isServedInTurn(const Device &device)
    {
        return device.discipline == Discipline::Fifo && device.capacity == 1 && !device.isLink;
    }

    /// The op's only predecessor; None where there are several or none.
    std::uint32_t onlyPredecessor(const Graph &graph, std::uint32_t op)
    {
        std::uint32_t only = None;
        for (const Edge &edge : graph.predecessors(OpId(op))) {
            if (only != None && only != edge.op.value)
                return None;
            only = edge.op.value;
        }
        return only;
    }

    class RunSearch
    {
    public:
        RunSearch(const Graph &graph, const BlockBounds &bounds)
            : m_graph(graph)
            , m_bounds(bounds)
            , m_isChain(graph.devices.size(), 0)
            , m_next(graph.size(), None)
            , m_previous(graph.size(), None)
        {
        }

        Contraction find()
        {
            findChains();
            joinOps();
            return number();
        }

    private:
        /// Devices all of whose ops wait for the one before.
        void findChains()
        {
            for (std::size_t d = 0; d < m_graph.devices.size(); ++d)
                m_isChain[d] = isServedInTurn(m_graph.devices[d]) ? 1 : 0;
            std::vector<std::uint32_t> last(m_graph.devices.size(), None); // by device
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                if (m_graph.kind[op] == OpKind::Virtual)
                    continue;
                const std::uint32_t device = m_graph.device[op].value;
                const std::uint32_t before = last[device];
                last[device] = op;
                if (before == None || m_isChain[device] == 0)
                    continue;
                const auto preds = m_graph.predecessors(OpId(op));
                m_isChain[device] = std::any_of(preds.begin(), preds.end(), [before](Edge edge) {
                    return edge.op.value == before;
                });
            }
        }

        void joinOps()
        {
            std::vector<std::uint32_t> waiting(m_graph.size(), 0);
            std::vector<std::uint32_t> lastSeenBy(m_graph.size(), None);
            for (std::uint32_t op = 0; op < m_graph.size(); ++op)
                for (const Edge &edge : m_graph.predecessors(OpId(op)))
                    if (std::exchange(lastSeenBy[edge.op.value], op) != op)
                        ++waiting[edge.op.value];
            const std::vector<char> isNamed = namedOps();
            for (std::uint32_t op = 0; op < m_graph.size(); ++op) {
                const std::uint32_t before = onlyPredecessor(m_graph, op);
                if (before == None || waiting[before] != 1 || isNamed[before] || isBound(before, op)
                    || !isOneBlock(before, op))
                    continue;
                m_next[before] = op;
                m_previous[op] = before;
            }
        }

        /// [ops]: whether collectives or iterations name it, so that its end is a block's end.
        std::vector<char> namedOps() const
        {
            std::vector<char> isNamed(m_graph.size(), 0);
            const auto name = [&isNamed](OpId op) {
                if (op != NoOp)
                    isNamed[op.value] = 1;
            };
            for (const CollectiveNode &node : m_graph.collectives) {
                name(node.arrival);
                name(node.transfer);
                for (const CollectiveNode::Part &part : node.parts) {
                    name(part.ready);
                    name(part.done);
                    std::for_each(part.chunks.begin(), part.chunks.end(), name);
                }
            }
            std::for_each(m_graph.iterationBegins.begin(), m_graph.iterationBegins.end(), name);
            std::for_each(m_graph.iterationEnds.begin(), m_graph.iterationEnds.end(), name);
            return isNamed;
        }

        bool isBound(std::uint32_t before, std::uint32_t op) const
        {
            return (!m_bounds.ends.empty() && m_bounds.ends[before] != 0)
                || (!m_bounds.begins.empty() && m_bounds.begins[op] != 0);
        }

        bool isOneBlock(std::uint32_t a, std::uint32_t b) const
        {
            return m_graph.device[a] == m_graph.device[b] && m_isChain[m_graph.device[a].value] != 0
                && m_graph.kind[a] != OpKind::Virtual && m_graph.kind[b] != OpKind::Virtual
                && m_graph.worker[a] == m_graph.worker[b] && m_graph.phase[a] == m_graph.phase[b]
                && m_graph.iteration[a] == m_graph.iteration[b];
        }

        Contraction number() const
        {
            Contraction found;
            found.blockOf.resize(m_graph.size());
            found.ops.reserve(m_graph.size());
            found.offset.push_back(0);
            for (std::uint32_t first = 0; first < m_graph.size(); ++first) {
                if (m_previous[first] != None)
                    continue;
                const auto block = static_cast<std::uint32_t>(found.blockCount());
                for (std::uint32_t op = first; op != None; op = m_next[op]) {
                    found.blockOf[op] = block;
                    found.ops.emplace_back(op);
                }
                found.offset.push_back(static_cast<std::uint32_t>(found.ops.size()));
            }
            return found;
        }

        const Graph &m_graph;
        const BlockBounds &m_bounds;
        std::vector<char> m_isChain; ///< by DeviceId
        std::vector<std::uint32_t> m_next, m_previous; ///< by OpId, within a run
    };

    /// Columns of a block from its ops.
    class BlockColumns
    {
    public:
        BlockColumns(const Graph &graph, const Contraction &contraction)
            : m_graph(graph)
            , m_contraction(contraction)
        {
        }

        Graph build()
        {
            Graph blocks;
            blocks.names = m_graph.names;
            blocks.devices = m_graph.devices;
            blocks.slowdown = m_graph.slowdown;
            blocks.isDriveBound = m_graph.isDriveBound;
            blocks.iterationCount = m_graph.iterationCount;
            blocks.keptIterations = m_graph.keptIterations;
            blocks.positions = m_graph.positions;
            blocks.standIns = m_graph.standIns;
            blocks.nccl = m_graph.nccl;
            blocks.predOffset.push_back(0);
            for (std::size_t block = 0; block < m_contraction.blockCount(); ++block)
                add(m_contraction.opsOf(block), blocks);
            takeRest(blocks);
            return blocks;
        }

    private:
        void add(std::span<const OpId> ops, Graph &blocks) const
        {
            const std::uint32_t first = ops.front().value;
            std::int64_t durationNs = m_graph.durationNs[first];
            double stretchedNs = static_cast<double>(m_graph.stretchShare[first])
                * static_cast<double>(durationNs);
            for (const OpId op : ops.subspan(1)) {
                durationNs += m_graph.delayNs[op.value] + m_graph.durationNs[op.value];
                stretchedNs += static_cast<double>(m_graph.stretchShare[op.value])
                    * static_cast<double>(m_graph.durationNs[op.value]);
            }
            blocks.durationNs.push_back(durationNs);
            blocks.delayNs.push_back(m_graph.delayNs[first]);
            blocks.device.push_back(m_graph.device[first]);
            blocks.kind.push_back(m_graph.kind[first]);
            blocks.phase.push_back(m_graph.phase[first]);
            blocks.worker.push_back(m_graph.worker[first]);
            blocks.name.push_back(m_graph.name[first]);
            blocks.slice.push_back(m_graph.slice[first]);
            blocks.measuredStartNs.push_back(m_graph.measuredStartNs[first]);
            blocks.iteration.push_back(m_graph.iteration[first]);
            blocks.stretchShare.push_back(
                ops.size() == 1 || durationNs == 0
                    ? m_graph.stretchShare[first]
                    : static_cast<float>(stretchedNs / static_cast<double>(durationNs)));
            if (!m_graph.priority.empty())
                blocks.priority.push_back(m_graph.priority[first]);
            if (!m_graph.bytes.empty())
                blocks.bytes.push_back(m_graph.bytes[first]);
            if (!m_graph.rateLimit.empty())
                blocks.rateLimit.push_back(m_graph.rateLimit[first]);
            for (const Edge &edge : m_graph.predecessors(ops.front()))
                blocks.preds.push_back({ blockOf(edge.op), edge.kind });
            blocks.predOffset.push_back(static_cast<std::uint32_t>(blocks.preds.size()));
        }

        OpId blockOf(OpId op) const
        {
            return op == NoOp ? NoOp : OpId(m_contraction.blockOf[op.value]);
        }

        void takeRest(Graph &blocks) const
        {
            const auto move = [this](std::vector<OpId> &ops) {
                std::transform(ops.begin(), ops.end(), ops.begin(),
                               [this](OpId op) { return blockOf(op); });
            };
            blocks.collectives = m_graph.collectives;
            for (CollectiveNode &node : blocks.collectives) {
                node.arrival = blockOf(node.arrival);
                node.transfer = blockOf(node.transfer);
                for (CollectiveNode::Part &part : node.parts) {
                    part.ready = blockOf(part.ready);
                    part.done = blockOf(part.done);
                    move(part.chunks);
                }
            }
            blocks.gradientMisfit = m_graph.gradientMisfit;
            blocks.gradientSteps = m_graph.gradientSteps;
            for (GradientStep &step : blocks.gradientSteps)
                for (std::vector<OpId> *const ops :
                     { &step.gradients, &step.kernels, &step.forwards, &step.copies,
                       &step.copyStarts })
                    move(*ops);
            blocks.iterationBegins = m_graph.iterationBegins;
            blocks.iterationEnds = m_graph.iterationEnds;
            move(blocks.iterationBegins);
            move(blocks.iterationEnds);
        }

        const Graph &m_graph;
        const Contraction &m_contraction;
    };

} // namespace

Contraction contract(const Graph &graph, const BlockBounds &bounds)
{
    return RunSearch(graph, bounds).find();
}

Graph contractedGraph(const Graph &graph, const Contraction &contraction)
{
    return BlockColumns(graph, contraction).build();
}

} // namespace core
