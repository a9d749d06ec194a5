#include "core/graph/graph_fault.h"

#include <algorithm>
#include <initializer_list>

namespace core {

namespace {

    /// Looks until a rule is broken.
    class FaultSearch
    {
    public:
        explicit FaultSearch(const Graph &graph)
            : m_graph(graph)
        {
        }

        std::string find()
        {
            checkColumns();
            for (std::uint32_t op = 0; op < m_graph.size() && m_fault.empty(); ++op)
                checkOp(op);
            for (std::size_t i = 0; i < m_graph.collectives.size() && m_fault.empty(); ++i)
                checkCollective(i);
            for (std::size_t i = 0; i < m_graph.gradientSteps.size() && m_fault.empty(); ++i)
                checkStep(i);
            checkIterations();
            return std::move(m_fault);
        }

    private:
        void require(bool holds, const std::string &what)
        {
            if (!holds && m_fault.empty())
                m_fault = what;
        }

        bool isOp(OpId op) const { return op.value < m_graph.size(); }
        bool areOps(const std::vector<OpId> &ops, bool mayLack = false) const
        {
            return std::all_of(ops.begin(), ops.end(),
                               [&](OpId op) { return isOp(op) || (mayLack && op == NoOp); });
        }

        void checkColumns()
        {
            const std::size_t ops = m_graph.size();
            for (const std::size_t size :
                 { m_graph.delayNs.size(), m_graph.device.size(), m_graph.kind.size(),
                   m_graph.phase.size(), m_graph.worker.size(), m_graph.name.size(),
                   m_graph.slice.size(), m_graph.measuredStartNs.size(), m_graph.iteration.size(),
                   m_graph.stretchShare.size() })
                require(size == ops, "a column has another length than there are ops");
            for (const std::size_t size :
                 { m_graph.priority.size(), m_graph.bytes.size(), m_graph.rateLimit.size() })
                require(size == 0 || size == ops, "an optional column has another length");
            require(m_graph.predOffset.size() == ops + 1 && m_graph.predOffset.front() == 0
                        && m_graph.predOffset.back() == m_graph.preds.size()
                        && std::is_sorted(m_graph.predOffset.begin(), m_graph.predOffset.end()),
                    "the predecessors' offsets do not divide the edges");
        }

        void checkOp(std::uint32_t op)
        {
            const auto name = [op] { return "op " + std::to_string(op); };
            if (m_graph.durationNs[op] < 0 || m_graph.delayNs[op] < 0)
                require(false, name() + " takes negative time");
            if (m_graph.device[op].value >= m_graph.devices.size()
                || m_graph.name[op].value >= m_graph.names.size()
                || m_graph.worker[op].value >= m_graph.workerCount())
                require(false, name() + " names a device, name or rank that there is not");
            for (const Edge &edge : m_graph.predecessors(OpId(op)))
                if (edge.op.value >= op)
                    require(false, name() + " comes before its predecessor");
        }

        void checkCollective(std::size_t index)
        {
            const CollectiveNode &node = m_graph.collectives[index];
            const std::string name = "collective " + std::to_string(index);
            require(isOp(node.arrival) && isOp(node.transfer)
                        && node.arrival.value < node.transfer.value,
                    name + " has no arrival before its transfer");
            for (const CollectiveNode::Part &part : node.parts) {
                require(isOp(part.ready) && part.ready.value < node.transfer.value,
                        name + " has a part that is not ready before its transfer");
                require(areOps(part.chunks) && (part.done == NoOp || isOp(part.done)),
                        name + " has chunks that are no ops");
            }
        }

        void checkStep(std::size_t index)
        {
            const GradientStep &step = m_graph.gradientSteps[index];
            const std::string name = "gradient step " + std::to_string(index);
            const std::size_t parameters = step.parameterBytes.size();
            require(step.gradients.size() == parameters, name + " lacks gradients");
            for (const auto *ops :
                 { &step.kernels, &step.forwards, &step.copies, &step.copyStarts })
                require(ops->empty() || ops->size() == parameters, name + " lacks parameters");
            require(areOps(step.gradients) && areOps(step.kernels) && areOps(step.forwards, true)
                        && areOps(step.copies) && areOps(step.copyStarts),
                    name + " names ops that there are not");
            for (const GradientStep::Bucket &bucket : step.buckets)
                require(bucket.collective < m_graph.collectives.size()
                            && bucket.firstParameter + bucket.parameterCount <= parameters,
                        name + " has a bucket of other parameters or collectives");
        }

        void checkIterations()
        {
            const auto count = static_cast<std::size_t>(std::max(0, m_graph.iterationCount));
            require(areOps(m_graph.iterationBegins) && areOps(m_graph.iterationEnds)
                        && m_graph.iterationEnds.size() == count * m_graph.workerCount(),
                    "iterations do not begin and end once on each rank");
            require(std::all_of(m_graph.iteration.begin(), m_graph.iteration.end(),
                                [&](std::int32_t i) { return i < m_graph.iterationCount; }),
                    "an op is of an iteration that there is not");
        }

        const Graph &m_graph;
        std::string m_fault;
    };

} // namespace

std::string graphFault(const Graph &graph)
{
    return FaultSearch(graph).find();
}

} // namespace core
