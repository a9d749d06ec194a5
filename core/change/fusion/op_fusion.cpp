#include "core/change/fusion/op_fusion.h"

#include "core/change/gradients/reduction_costs.h"
#include "core/graph/ops_per_look.h"
#include "core/measure/layer_compute.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

namespace core {

namespace {

    constexpr std::uint32_t NoneYet = ~std::uint32_t { 0 };

    /// Ops that can be joined, and what that saves.
    class JoinableGraph
    {
    public:
        JoinableGraph(const Graph &graph, const OpFusion &fusion, const JobControl &control)
            : m_graph(graph)
            , m_fusion(fusion)
            , m_isAccelerated(acceleratedWorkers(graph))
            , m_launchOf(graph.size(), NoneYet)
            , m_launched(graph.size(), 0)
            , m_waits(graph.size(), 0)
            , m_opsOf(graph.devices.size())
        {
            for (std::uint32_t op = 0; op < graph.size(); ++op) {
                if (op % OpsPerLook == 0)
                    throwIfCancelled(control);
                addOp(op);
            }
        }

        /// Ops of a step's device from its iteration, in their order; without those that follow no
        /// other there: they run where there is time, as updates by a schedule do.
        std::vector<std::uint32_t> opsOf(const GradientStep &step) const
        {
            std::vector<std::uint32_t> ops;
            if (step.parameterBytes.empty())
                return ops;
            for (const std::uint32_t op : m_opsOf[m_graph.device[readyOp(step, 0).value].value])
                if (m_graph.iteration[op] == step.iteration && (ops.empty() || followsOne(op)))
                    ops.push_back(op);
            return ops;
        }

        bool canJoin(std::uint32_t before, std::uint32_t op) const
        {
            bool follows = false;
            for (const Edge &edge : m_graph.predecessors(OpId(op))) {
                if (edge.kind == EdgeKind::Launch)
                    continue;
                if (m_graph.device[edge.op.value] != m_graph.device[op])
                    return false;
                follows = follows || edge.op.value == before;
            }
            if (!follows || m_launchOf[op] == NoneYet)
                return follows;
            const std::uint32_t launch = m_launchOf[op], launchBefore = m_launchOf[before];
            return launchBefore != NoneYet && m_graph.device[launch] == m_graph.device[launchBefore]
                && m_waits[launch] == m_waits[launchBefore];
        }

        bool isLayer(std::uint32_t op) const
        {
            return isLayerCompute(m_graph, op, m_isAccelerated[m_graph.worker[op].value]);
        }

        bool passesOverMemory(std::uint32_t op) const
        {
            return isLayer(op) && isFusible(nameOf(op));
        }

        /// Time that an op of a layer saves behind another one, ns.
        std::int64_t saved(std::uint32_t before, std::uint32_t op) const
        {
            const std::int64_t apartNs
                = m_graph.durationNs[before] + m_graph.delayNs[op] + m_graph.durationNs[op];
            if (const auto togetherNs = m_fusion.times.of(nameOf(before), nameOf(op)))
                return std::max<std::int64_t>(0, apartNs - *togetherNs);
            if (!passesOverMemory(before) || !passesOverMemory(op))
                return 0;
            return m_graph.delayNs[op]
                + std::llround(m_fusion.readShare * static_cast<double>(m_graph.durationNs[op]));
        }

        /// The host's op that launches this one alone; NoneYet where there is none.
        std::uint32_t ownLaunchOf(std::uint32_t op) const
        {
            const std::uint32_t launch = m_launchOf[op];
            return launch != NoneYet && m_launched[launch] == 1 ? launch : NoneYet;
        }

    private:
        std::string_view nameOf(std::uint32_t op) const
        {
            return m_graph.names[m_graph.name[op].value];
        }

        bool followsOne(std::uint32_t op) const
        {
            const auto edges = m_graph.predecessors(OpId(op));
            return std::any_of(edges.begin(), edges.end(), [&](const Edge &edge) {
                return m_graph.device[edge.op.value] == m_graph.device[op];
            });
        }

        void addOp(std::uint32_t op)
        {
            std::vector<std::uint32_t> &ops = m_opsOf[m_graph.device[op].value];
            bool waits = false;
            for (const Edge &edge : m_graph.predecessors(OpId(op))) {
                if (edge.kind == EdgeKind::Launch) {
                    m_launchOf[op] = edge.op.value;
                    ++m_launched[edge.op.value];
                }
                waits = waits || m_graph.device[edge.op.value] != m_graph.device[op];
            }
            m_waits[op] = (ops.empty() ? 0 : m_waits[ops.back()]) + (waits ? 1U : 0U);
            ops.push_back(op);
        }

        const Graph &m_graph;
        const OpFusion &m_fusion;
        std::vector<bool> m_isAccelerated;
        std::vector<std::uint32_t> m_launchOf; ///< by op
        std::vector<std::uint32_t> m_launched; ///< by op: how many it launches
        std::vector<std::uint32_t> m_waits; ///< by op: those for other devices, up to it
        std::vector<std::vector<std::uint32_t>> m_opsOf; ///< by device
    };

    /// Ends of each tensor's part of the backward pass: [tensors], ascending indices into `ops`,
    /// one behind the last. The first part begins with the pass.
    struct BackwardParts
    {
        std::size_t begin = 0;
        std::vector<std::size_t> ends;
    };

    BackwardParts backwardParts(const Graph &graph, const GradientStep &step,
                                const std::vector<std::uint32_t> &ops)
    {
        const auto first = std::find_if(ops.begin(), ops.end(), [&graph](std::uint32_t op) {
            return graph.phase[op] == Phase::Backward;
        });
        BackwardParts parts { static_cast<std::size_t>(first - ops.begin()), {} };
        std::size_t end = parts.begin;
        for (std::size_t tensor = 0; tensor < step.parameterBytes.size(); ++tensor) {
            const auto place
                = std::lower_bound(ops.begin(), ops.end(), readyOp(step, tensor).value);
            if (place != ops.end() && *place == readyOp(step, tensor).value)
                end = std::max(end, static_cast<std::size_t>(place - ops.begin()) + 1);
            parts.ends.push_back(end);
        }
        return parts;
    }

    template <class IsKept>
    void keepEdges(const IsKept &isKept, Graph &graph)
    {
        std::size_t kept = 0;
        std::uint32_t begin = 0;
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const std::uint32_t end = graph.predOffset[op + 1];
            for (; begin < end; ++begin)
                if (isKept(op, graph.preds[begin]))
                    graph.preds[kept++] = graph.preds[begin];
            graph.predOffset[op + 1] = static_cast<std::uint32_t>(kept);
        }
        graph.preds.resize(kept);
    }

    /// Joins ops of a graph whose edges and times it changes; ids stay.
    class Joining
    {
    public:
        Joining(const Graph &before, const JoinableGraph &joinable, Graph &graph)
            : m_before(before)
            , m_joinable(joinable)
            , m_graph(graph)
            , m_isJoined(before.size(), 0)
        {
        }

        /// Joins runs of `ops` as long as they may be, from what computes on.
        void joinRuns(std::span<const std::uint32_t> ops)
        {
            for (std::size_t first = 0; first < ops.size();) {
                std::size_t end = first + 1;
                if (m_before.kind[ops[first]] != OpKind::Compute) {
                    first = end;
                    continue;
                }
                while (end < ops.size() && m_joinable.canJoin(ops[end - 1], ops[end]))
                    ++end;
                if (end - first > 1)
                    join(ops.subspan(first, end - first));
                first = end;
            }
        }

        /// Joins runs of ops that only pass over memory, none of which begins with one of `kept`.
        void joinPasses(std::span<const std::uint32_t> ops, const std::set<std::uint32_t> &kept)
        {
            for (std::size_t first = 0; first < ops.size();) {
                std::size_t end = first + 1;
                while (end < ops.size() && !kept.contains(ops[end])
                       && m_joinable.passesOverMemory(ops[end - 1])
                       && m_joinable.passesOverMemory(ops[end])
                       && m_joinable.canJoin(ops[end - 1], ops[end]))
                    ++end;
                if (end - first > 1)
                    join(ops.subspan(first, end - first));
                first = end;
            }
        }

        /// Takes the launches of joined ops out of the edges. Call last.
        void dropLaunches()
        {
            keepEdges(
                [this](std::size_t op, const Edge &edge) {
                    return m_isJoined[op] == 0 || edge.kind != EdgeKind::Launch;
                },
                m_graph);
        }

    private:
        void join(std::span<const std::uint32_t> ops)
        {
            std::int64_t ns = 0;
            double stretchedNs = 0;
            std::uint32_t layer = NoneYet; // the last one
            for (const std::uint32_t op : ops) {
                std::int64_t savedNs = 0;
                const bool isFirst = op == ops.front();
                if (m_joinable.isLayer(op)) {
                    savedNs = layer == NoneYet ? 0 : m_joinable.saved(layer, op);
                    layer = op;
                }
                const std::int64_t durationNs = m_before.durationNs[op];
                const std::int64_t wholeNs = durationNs + (isFirst ? 0 : m_before.delayNs[op]);
                const std::int64_t leftNs = std::max<std::int64_t>(0, wholeNs - savedNs);
                ns += leftNs;
                if (wholeNs > 0)
                    stretchedNs += static_cast<double>(m_before.stretchShare[op])
                        * static_cast<double>(durationNs) * static_cast<double>(leftNs)
                        / static_cast<double>(wholeNs);
                if (isFirst)
                    continue;
                m_isJoined[op] = 1;
                m_graph.durationNs[op] = m_graph.delayNs[op] = 0;
                const std::uint32_t launch = m_joinable.ownLaunchOf(op);
                if (savedNs > 0 && launch != NoneYet)
                    m_graph.durationNs[launch] = 0;
            }
            m_graph.durationNs[ops.front()] = ns;
            m_graph.stretchShare[ops.front()]
                = ns > 0 ? static_cast<float>(stretchedNs / static_cast<double>(ns)) : 0.F;
        }

        const Graph &m_before;
        const JoinableGraph &m_joinable;
        Graph &m_graph;
        std::vector<char> m_isJoined; ///< to the op before
    };

    /// Joins parts that are one each, of the backward pass of a step.
    class PartJoining
    {
    public:
        PartJoining(const std::vector<std::optional<std::int64_t>> &savedNs, Graph &graph)
            : m_savedNs(savedNs)
            , m_graph(graph)
            , m_isJoined(graph.size(), 0)
        {
        }

        void join(const std::vector<std::size_t> &counts, const GradientStep &step,
                  const std::vector<std::uint32_t> &ops)
        {
            const BackwardParts parts = backwardParts(m_graph, step, ops);
            std::size_t tensor = 0, begin = parts.begin;
            for (const std::size_t count : counts) {
                const std::size_t end = std::min(tensor + count, parts.ends.size());
                std::int64_t savedNs = 0;
                for (const std::size_t first = tensor; tensor < end; ++tensor) {
                    const auto &saved = m_savedNs[tensor];
                    if (tensor == first)
                        continue;
                    if (!saved) {
                        joinRun({ ops.data() + begin, ops.data() + parts.ends[tensor - 1] },
                                std::exchange(savedNs, 0));
                        begin = parts.ends[tensor - 1];
                    } else {
                        savedNs += *saved;
                    }
                }
                if (tensor == 0)
                    continue;
                joinRun({ ops.data() + begin, ops.data() + parts.ends[tensor - 1] }, savedNs);
                begin = parts.ends[tensor - 1];
            }
        }

        /// Launches of what is joined to the op before lead nowhere.
        bool isWaitedFor(std::size_t op, const Edge &edge) const
        {
            return m_isJoined[op] == 0 || edge.kind != EdgeKind::Launch;
        }

    private:
        void joinRun(std::span<const std::uint32_t> ops, std::int64_t savedNs)
        {
            std::int64_t ns = -savedNs;
            double stretchedNs = 0;
            for (const std::uint32_t op : ops) {
                ns += m_graph.durationNs[op] + (op == ops.front() ? 0 : m_graph.delayNs[op]);
                stretchedNs += static_cast<double>(m_graph.stretchShare[op])
                    * static_cast<double>(m_graph.durationNs[op]);
                if (op == ops.front())
                    continue;
                m_isJoined[op] = 1;
                m_graph.durationNs[op] = m_graph.delayNs[op] = 0;
            }
            if (ops.size() < 2)
                return;
            m_graph.durationNs[ops.front()] = std::max<std::int64_t>(0, ns);
            m_graph.stretchShare[ops.front()] = ns > 0
                ? static_cast<float>(std::min(1.0, stretchedNs / static_cast<double>(ns)))
                : 0.F;
        }

        const std::vector<std::optional<std::int64_t>> &m_savedNs;
        Graph &m_graph;
        std::vector<char> m_isJoined;
    };

    std::set<std::uint32_t> firstUses(const GradientStep &step)
    {
        std::set<std::uint32_t> uses;
        for (const OpId op : step.forwards)
            if (op != NoOp)
                uses.insert(op.value);
        return uses;
    }

} // namespace

Graph withFusedOps(const Graph &before, const OpFusion &fusion, const JobControl &control)
{
    Graph graph = before;
    const JoinableGraph joinable(before, fusion, control);
    Joining joining(before, joinable, graph);
    for (const GradientStep &step : before.gradientSteps) {
        throwIfCancelled(control);
        const std::vector<std::uint32_t> ops = joinable.opsOf(step);
        const std::span<const std::uint32_t> all(ops);
        const BackwardParts parts = backwardParts(before, step, ops);
        joining.joinPasses(all.first(parts.begin), firstUses(step));
        std::size_t begin = parts.begin, tensor = 0;
        for (const std::size_t count : fusion.counts) {
            tensor = std::min(tensor + count, parts.ends.size());
            if (tensor == 0)
                break;
            const std::size_t end = parts.ends[tensor - 1];
            joining.joinRuns(all.subspan(begin, end - begin));
            begin = end;
        }
    }
    joining.dropLaunches();
    return graph;
}

void joinParts(const std::vector<std::size_t> &counts,
               const std::vector<std::optional<std::int64_t>> &savedNs, Graph &graph)
{
    std::map<std::pair<std::uint32_t, std::int32_t>, std::vector<std::uint32_t>> opsOf;
    for (const GradientStep &step : graph.gradientSteps)
        if (!step.parameterBytes.empty())
            opsOf[{ graph.device[readyOp(step, 0).value].value, step.iteration }];
    for (std::uint32_t op = 0; op < graph.size(); ++op)
        if (const auto found = opsOf.find({ graph.device[op].value, graph.iteration[op] });
            found != opsOf.end())
            found->second.push_back(op);
    PartJoining joining(savedNs, graph);
    for (const GradientStep &step : graph.gradientSteps)
        if (!step.parameterBytes.empty())
            joining.join(counts, step,
                         opsOf.at({ graph.device[readyOp(step, 0).value].value, step.iteration }));
    keepEdges(
        [&joining](std::size_t op, const Edge &edge) { return joining.isWaitedFor(op, edge); },
        graph);
}

std::vector<std::optional<std::int64_t>> savedByJoining(const Graph &graph,
                                                        const GradientStep &step,
                                                        const OpFusion &fusion,
                                                        const JobControl &control)
{
    const JoinableGraph joinable(graph, fusion, control);
    const std::vector<std::uint32_t> ops = joinable.opsOf(step);
    const BackwardParts parts = backwardParts(graph, step, ops);
    std::vector<std::optional<std::int64_t>> saved(step.parameterBytes.size());
    for (std::size_t tensor = 1; tensor < saved.size(); ++tensor) {
        const std::size_t begin = parts.ends[tensor - 1];
        if (begin == parts.ends[tensor]) {
            saved[tensor] = 0; // one op computes both
            continue;
        }
        if (begin == 0 || !joinable.canJoin(ops[begin - 1], ops[begin]))
            continue;
        std::size_t before = begin, after = begin;
        while (before > parts.begin && !joinable.isLayer(ops[before - 1]))
            --before;
        while (after < parts.ends[tensor] && !joinable.isLayer(ops[after]))
            ++after;
        const bool haveLayers = before > parts.begin && after < parts.ends[tensor];
        saved[tensor] = haveLayers ? joinable.saved(ops[before - 1], ops[after]) : 0;
    }
    return saved;
}

} // namespace core
