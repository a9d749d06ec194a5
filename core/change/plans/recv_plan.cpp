#include "core/change/plans/recv_plan.h"

#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/forward_order.h"
#include "core/change/plans/reduction_line.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <utility>

namespace core {

namespace {

    using Recvs = std::vector<std::size_t>; ///< ascending
    using OpFamily = std::pair<NameId, std::size_t>; ///< a name, and which of that name it is

    /// By family: its time in the iterations so far.
    struct FamilyTime
    {
        double sumNs = 0, leastNs = 0;
        std::size_t count = 0;

        void add(double ns)
        {
            leastNs = count == 0 ? ns : std::min(leastNs, ns);
            sumNs += ns;
            ++count;
        }
        double ns(TimeOracle oracle) const
        {
            return oracle == TimeOracle::Least ? leastNs : sumNs / static_cast<double>(count);
        }
    };

    /// The ops of one rank's forward pass in one iteration that use its tensors, or follow those.
    class ForwardOps
    {
    public:
        ForwardOps(const Graph &graph, const GradientStep &step)
            : m_graph(graph)
        {
            setUses(step);
            if (m_uses.empty())
                return;
            const bool isOnDevice = !step.kernels.empty();
            const OpId first = m_uses.begin()->first;
            std::map<NameId, std::size_t> occurrences;
            for (std::uint32_t i = first.value; i < graph.size(); ++i) {
                if (graph.worker[i] != step.worker || graph.phase[i] != Phase::Forward
                    || graph.iteration[i] != graph.iteration[first.value])
                    continue;
                Recvs needed = neededBy(OpId(i));
                if (needed.empty())
                    continue;
                m_needs.emplace(OpId(i), needed);
                const bool isWork = isOnDevice ? graph.devices[graph.device[i].value].isStream
                                               : graph.kind[i] != OpKind::Virtual;
                if (isWork)
                    m_ops.push_back({ OpId(i), { graph.name[i], occurrences[graph.name[i]]++ } });
            }
        }

        void addTimes(const Graph &timed, std::map<OpFamily, FamilyTime> &times) const
        {
            for (const auto &[op, family] : m_ops)
                times[family].add(static_cast<double>(timed.durationNs[op.value]));
        }

        /// Those that need the same recvs as one.
        std::vector<RecvModel::Op> ops(const std::map<OpFamily, FamilyTime> &times,
                                       TimeOracle oracle) const
        {
            std::map<Recvs, double> sums;
            for (const auto &[op, family] : m_ops)
                sums[m_needs.at(op)] += times.at(family).ns(oracle);
            std::vector<RecvModel::Op> ops;
            ops.reserve(sums.size());
            for (const auto &[needed, ns] : sums)
                ops.push_back({ ns, needed });
            std::stable_sort(ops.begin(), ops.end(),
                             [](const RecvModel::Op &a, const RecvModel::Op &b) {
                                 return a.recvs.size() < b.recvs.size();
                             });
            return ops;
        }

    private:
        void setUses(const GradientStep &step)
        {
            OpId first = NoOp;
            for (const OpId use : step.forwards)
                first = std::min(first, use); // NoOp is the largest
            if (first == NoOp)
                return;
            for (std::size_t p = 0; p < step.forwards.size(); ++p)
                m_uses[step.forwards[p] == NoOp ? first : step.forwards[p]].push_back(p);
        }

        Recvs neededBy(OpId op) const
        {
            Recvs needed;
            if (const auto use = m_uses.find(op); use != m_uses.end())
                needed = use->second;
            for (const Edge &edge : m_graph.predecessors(op)) {
                const auto before = m_needs.find(edge.op);
                if (before == m_needs.end())
                    continue;
                Recvs both;
                std::set_union(needed.begin(), needed.end(), before->second.begin(),
                               before->second.end(), std::back_inserter(both));
                needed = std::move(both);
            }
            return needed;
        }

        const Graph &m_graph;
        std::map<OpId, Recvs> m_uses; ///< by op: the tensors that it is the first to use
        std::map<OpId, Recvs> m_needs; ///< by op, where there are any
        std::vector<std::pair<OpId, OpFamily>> m_ops; ///< that take time of the processor
    };

    GradientPlan byPriorities(const PlanRequest &request,
                              const std::vector<std::int32_t> &priorities)
    {
        GradientPlan plan
            = tensorsAlone(request, [&priorities](const GradientStep &) { return priorities; });
        plan.isByPriority = true;
        return plan;
    }

} // namespace

RecvModel forwardRecvs(const PlanRequest &request, TimeOracle oracle)
{
    const Graph &graph = *request.graph;
    const StepsByIteration steps = stepsOf(graph, wholeIterations(graph));
    const std::shared_ptr<const Graph> changed = request.changes.of(request.graph);
    const GradientStep &first = *steps.begin()->second.front();
    const ForwardOps model(graph, first);
    std::map<OpFamily, FamilyTime> times;
    for (const auto &[iteration, ranks] : steps) {
        throwIfCancelled(request.control);
        ForwardOps(graph, *ranks.front()).addTimes(*changed, times);
    }
    const ReductionLine line = reductionLine(request);
    RecvModel recvs;
    recvs.recvTimes.reserve(first.parameterBytes.size());
    for (const std::uint64_t bytes : first.parameterBytes)
        recvs.recvTimes.push_back(line.ns(static_cast<double>(bytes)));
    recvs.ops = model.ops(times, oracle);
    return recvs;
}

GradientPlan ticPlan(const PlanRequest &request)
{
    return byPriorities(request, ticPriorities(forwardRecvs(request, TimeOracle::Mean)));
}

GradientPlan tacPlan(const PlanRequest &request)
{
    const std::vector<std::size_t> order = tacOrder(forwardRecvs(request, TimeOracle::Least));
    std::vector<std::int32_t> priorities(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        priorities[order[i]] = static_cast<std::int32_t>(i);
    return byPriorities(request, priorities);
}

} // namespace core
