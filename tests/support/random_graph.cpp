#include "tests/support/random_graph.h"

#include "core/graph/graph_builder.h"

#include <map>

namespace tests {

using namespace core;

namespace {

    class RandomGraph
    {
    public:
        RandomGraph(std::mt19937 &random, const RandomGraphKind &kind)
            : m_random(random)
            , m_kind(kind)
        {
        }

        Graph build()
        {
            for (int i = 0; i < m_kind.devices; ++i)
                m_builder.addDevice(m_kind.hasLinkEnds ? deviceOfTwoRanks(i) : device());
            const int count = 2 + pick(m_kind.mostOps - 2);
            for (int i = 0; i < count; ++i)
                addOp(i);
            if (m_kind.iterations > 0)
                repeat();
            Graph graph = m_builder.build();
            if (m_kind.interferes)
                addInterference(graph);
            return graph;
        }

    private:
        int pick(int most) { return std::uniform_int_distribution<int>(0, most)(m_random); }

        Device device()
        {
            Device device;
            const int choice = pick(3);
            if (choice == 2 && m_kind.hasLinks) {
                device.isLink = true;
                device.discipline = Discipline::Shared;
                device.capacity = 1 + static_cast<std::uint32_t>(pick(3));
                if (pick(1) == 0)
                    device.creditBytes = 10 + static_cast<std::uint64_t>(pick(20));
            } else if (choice == 3 && m_kind.hasPriorities) {
                device.discipline = Discipline::Priority;
                device.preempts = m_kind.preempts && pick(1) == 0;
                if (m_kind.hasLinks)
                    device.capacity = 1 + static_cast<std::uint32_t>(pick(2));
            }
            return device;
        }

        /// The link, its two ends, then devices of both ranks.
        Device deviceOfTwoRanks(int index)
        {
            Device made = index > 2 ? device() : Device {};
            made.worker = WorkerId(static_cast<std::uint32_t>(index % 2));
            if (index == 1 || index == 2) {
                made.isLink = true;
                made.discipline = Discipline::Priority;
                made.capacity = 1 + static_cast<std::uint32_t>(pick(2));
                made.partOf = DeviceId(0);
            }
            return made;
        }

        void addOp(int index)
        {
            OpSpec spec;
            spec.device = DeviceId(static_cast<std::uint32_t>(pick(m_kind.devices - 1)));
            spec.worker = m_builder.devices()[spec.device.value].worker;
            const bool isInstant = m_kind.hasInstantOps && pick(9) == 0;
            spec.kind = isInstant && pick(1) == 0 ? OpKind::Virtual : OpKind::Compute;
            spec.durationNs = isInstant ? 0 : 1 + pick(50);
            spec.delayNs = pick(3) == 0 ? pick(9) : 0;
            spec.priority = pick(3);
            spec.bytes = static_cast<std::uint64_t>(pick(15));
            if (m_kind.hasLinks && pick(4) == 0)
                spec.rateLimit = 0.25F * static_cast<float>(1 + pick(2));
            spec.measuredStartNs = index;
            const OpId op = m_builder.addOp(spec);
            const bool isChained = m_kind.hasChains && spec.device.value % 4 != 3;
            if (isChained)
                addToChain(spec.device, op);
            for (int edge = isChained ? pick(5) - 4 : pick(m_kind.hasChains ? 1 : 3);
                 edge > 0 && index > 0; --edge)
                m_builder.addEdge(OpId(static_cast<std::uint32_t>(pick(index - 1))), op,
                                  EdgeKind::Data);
        }

        void addToChain(DeviceId device, OpId op)
        {
            const auto before = m_lastOf.find(device.value);
            if (before != m_lastOf.end())
                m_builder.addEdge(before->second, op, EdgeKind::StreamOrder);
            if (m_builder.op(op).kind != OpKind::Virtual)
                m_lastOf[device.value] = op;
        }

        /// Every repeated op waits for the same op of the time before, as a thread's or a stream's
        /// does, or for another one (an update of a parameter), or for neither.
        void repeat()
        {
            const auto count = static_cast<std::uint32_t>(m_builder.size());
            const std::vector<GraphBuilder::EdgeSpec> edges = m_builder.edges();
            OpSpec mark;
            mark.kind = OpKind::Virtual;
            mark.device = m_builder.addDevice({});
            std::vector<OpId> ends;
            for (int iteration = 0; iteration < m_kind.iterations; ++iteration) {
                const std::uint32_t base = static_cast<std::uint32_t>(iteration) * (count + 1);
                for (std::uint32_t i = 0; i < count && iteration > 0; ++i) {
                    OpSpec spec = m_builder.op(OpId(i));
                    spec.measuredStartNs += base;
                    const OpId op = m_builder.addOp(spec);
                    const std::uint32_t before = base - (count + 1);
                    if (pick(3) > 0)
                        m_builder.addEdge(OpId(before + i), op, EdgeKind::StreamOrder);
                    else if (pick(1) > 0)
                        m_builder.addEdge(
                            OpId(before
                                 + static_cast<std::uint32_t>(pick(static_cast<int>(count) - 1))),
                            op, EdgeKind::Data);
                }
                for (const auto &edge : edges)
                    if (iteration > 0)
                        m_builder.addEdge(OpId(base + edge.from.value), OpId(base + edge.to.value),
                                          edge.kind);
                mark.iteration = iteration;
                mark.measuredStartNs = base + count;
                ends.push_back(m_builder.addOp(mark));
                m_builder.addEdge(OpId(base + count - 1), ends.back(), EdgeKind::Iteration);
                if (iteration > 0)
                    m_builder.addEdge(ends[ends.size() - 2], ends.back(), EdgeKind::Iteration);
            }
            mark.measuredStartNs = 0;
            m_builder.setIterations({ m_builder.addOp(mark) }, ends, m_kind.iterations);
        }

        /// The first device and its ends carry transfers; on another one they and computation take
        /// turns, as on a stream.
        void addInterference(Graph &graph)
        {
            graph.slowdown = 1.5;
            graph.devices[0].isLink = true;
            graph.devices[0].slows = { WorkerId(0) };
            if (m_kind.hasLinkEnds)
                graph.devices[0].slows.push_back(WorkerId(1));
            const std::size_t last = static_cast<std::size_t>(m_kind.devices) - 1;
            graph.devices[last].slows = { graph.devices[last].worker };
            for (std::size_t i = 0; i < graph.size(); ++i) {
                graph.stretchShare[i] = pick(1) == 0 ? 0.F : 0.75F;
                const std::size_t device = graph.device[i].value;
                const bool isOnLink = device == 0 || graph.devices[device].partOf.has_value();
                if (graph.kind[i] != OpKind::Virtual
                    && (isOnLink || (device == last && pick(1) == 0)))
                    graph.kind[i] = OpKind::Communication;
            }
        }

        std::mt19937 &m_random;
        RandomGraphKind m_kind;
        std::map<std::uint32_t, OpId> m_lastOf; ///< by DeviceId, of chains
        GraphBuilder m_builder { { "" } };
    };

} // namespace

Graph randomGraph(std::mt19937 &random, const RandomGraphKind &kind)
{
    return RandomGraph(random, kind).build();
}

Graph randomOrderedGraph(std::mt19937 &random)
{
    RandomGraphKind kind;
    kind.hasLinks = false;
    kind.preempts = false;
    return randomGraph(random, kind);
}

} // namespace tests
