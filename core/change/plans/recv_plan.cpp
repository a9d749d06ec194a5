#include "core/change/plans/recv_plan.h"

#include "core/change/gradients/whole_iterations.h"
#include "core/change/plans/forward_order.h"
#include "core/change/plans/reduction_line.h"
#include "core/graph/ops_per_look.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace core {

namespace {

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

    /// Rounds to 2^-10 ns, so that sums of times below two hours are exact.
    double exactNs(double ns)
    {
        constexpr double PartsOfNs = 1024;
        return std::round(ns * PartsOfNs) / PartsOfNs;
    }

    /// Sets of recvs that ops need. Each is there once, as what it adds to another.
    class RecvSets
    {
    public:
        static constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

        struct Set
        {
            std::vector<std::uint64_t> bits; ///< by recv
            std::size_t count = 0;
            std::uint32_t base = None; ///< a smaller one that it holds
            std::vector<std::size_t> added; ///< to that; ascending
        };

        explicit RecvSets(std::size_t recvs)
            : m_words((recvs + 63) / 64)
        {
        }
        RecvSets(const RecvSets &) = delete;
        RecvSets &operator=(const RecvSets &) = delete;

        const std::vector<Set> &all() const { return m_sets; }

        /// All of the sets and recvs together. None: they are empty.
        std::uint32_t united(const std::vector<std::uint32_t> &sets,
                             const std::vector<std::size_t> &recvs)
        {
            const auto isSmaller
                = [this](auto a, auto b) { return m_sets[a].count < m_sets[b].count; };
            const auto largest = std::max_element(sets.begin(), sets.end(), isSmaller);
            Set set;
            set.bits.assign(m_words, 0);
            if (largest != sets.end()) {
                set.base = *largest;
                set.bits = m_sets[*largest].bits;
            }
            for (const std::uint32_t other : sets)
                for (std::size_t word = 0; word < m_words; ++word)
                    set.bits[word] |= m_sets[other].bits[word];
            for (const std::size_t recv : recvs)
                set.bits[recv / 64] |= std::uint64_t { 1 } << (recv % 64);
            setAdded(set);
            return set.added.empty() ? set.base : numberOf(std::move(set));
        }

    private:
        void setAdded(Set &set) const
        {
            for (std::size_t word = 0; word < m_words; ++word) {
                const std::uint64_t before = set.base == None ? 0 : m_sets[set.base].bits[word];
                for (std::uint64_t left = set.bits[word] & ~before; left != 0; left &= left - 1)
                    set.added.push_back(64 * word
                                        + static_cast<std::size_t>(std::countr_zero(left)));
            }
            set.count = set.added.size() + (set.base == None ? 0 : m_sets[set.base].count);
        }

        std::uint32_t numberOf(Set set)
        {
            m_sets.push_back(std::move(set));
            const auto number = static_cast<std::uint32_t>(m_sets.size() - 1);
            const auto [known, isNew] = m_numbers.insert(number);
            if (!isNew)
                m_sets.pop_back();
            return *known;
        }

        struct ByBits
        {
            const std::vector<Set> &sets;
            bool operator()(std::uint32_t a, std::uint32_t b) const
            {
                return sets[a].bits < sets[b].bits;
            }
        };

        std::size_t m_words;
        std::vector<Set> m_sets;
        std::set<std::uint32_t, ByBits> m_numbers { ByBits { m_sets } };
    };

    /// The ops of one rank's forward pass in one iteration that use its tensors, or follow those.
    class ForwardOps
    {
    public:
        ForwardOps(const Graph &graph, const GradientStep &step, const JobControl &control)
            : m_graph(graph)
            , m_sets(step.forwards.size())
        {
            setUses(step);
            if (m_uses.empty())
                return;
            const bool isOnDevice = !step.kernels.empty();
            m_first = m_uses.begin()->first;
            m_needs.assign(graph.size() - m_first.value, RecvSets::None);
            std::map<NameId, std::size_t> occurrences;
            for (std::uint32_t i = m_first.value; i < graph.size(); ++i) {
                if (i % OpsPerLook == 0)
                    throwIfCancelled(control);
                if (graph.worker[i] != step.worker || graph.phase[i] != Phase::Forward
                    || graph.iteration[i] != graph.iteration[m_first.value])
                    continue;
                std::uint32_t &needed = m_needs[i - m_first.value];
                needed = neededBy(OpId(i));
                if (needed == RecvSets::None)
                    continue;
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
            std::vector<std::optional<double>> sums(m_sets.all().size());
            for (const auto &[op, family] : m_ops) {
                std::optional<double> &sum = sums[m_needs[op.value - m_first.value]];
                sum = sum.value_or(0) + exactNs(times.at(family).ns(oracle));
            }
            std::vector<RecvModel::Op> ops;
            ops.reserve(sums.size());
            std::vector<std::size_t> opOf(sums.size(), RecvModel::NoOther);
            for (std::uint32_t set = 0; set < sums.size(); ++set)
                if (sums[set]) {
                    opOf[set] = ops.size();
                    ops.push_back(opOfSet(set, *sums[set], opOf));
                }
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

        std::uint32_t neededBy(OpId op)
        {
            m_before.clear();
            for (const Edge &edge : m_graph.predecessors(op))
                if (edge.op >= m_first)
                    if (const std::uint32_t set = m_needs[edge.op.value - m_first.value];
                        set != RecvSets::None
                        && std::find(m_before.begin(), m_before.end(), set) == m_before.end())
                        m_before.push_back(set);
            const auto use = m_uses.find(op);
            if (use == m_uses.end() && m_before.size() == 1)
                return m_before.front();
            static const std::vector<std::size_t> none;
            return m_sets.united(m_before, use == m_uses.end() ? none : use->second);
        }

        /// Behind the largest set that an op has.
        RecvModel::Op opOfSet(std::uint32_t set, double ns,
                              const std::vector<std::size_t> &opOf) const
        {
            RecvModel::Op op { ns, {} };
            do {
                const RecvSets::Set &one = m_sets.all()[set];
                op.recvs.insert(op.recvs.end(), one.added.begin(), one.added.end());
                set = one.base;
            } while (set != RecvSets::None && opOf[set] == RecvModel::NoOther);
            if (set != RecvSets::None)
                op.after = opOf[set];
            std::sort(op.recvs.begin(), op.recvs.end());
            return op;
        }

        const Graph &m_graph;
        OpId m_first = NoOp; ///< that uses a tensor
        RecvSets m_sets;
        std::map<OpId, std::vector<std::size_t>> m_uses; ///< by op: tensors it is the first to use
        std::vector<std::uint32_t> m_needs; ///< by op, from the first one: its set
        std::vector<std::pair<OpId, OpFamily>> m_ops; ///< that take time of the processor
        std::vector<std::uint32_t> m_before; ///< sets of what an op waits for
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
    const ForwardOps model(graph, first, request.control);
    std::map<OpFamily, FamilyTime> times;
    for (const auto &[iteration, ranks] : steps) {
        throwIfCancelled(request.control);
        ForwardOps(graph, *ranks.front(), request.control).addTimes(*changed, times);
    }
    const ReductionLine line = reductionLine(request);
    RecvModel recvs;
    recvs.recvTimes.reserve(first.parameterBytes.size());
    for (const std::uint64_t bytes : first.parameterBytes)
        recvs.recvTimes.push_back(exactNs(line.ns(static_cast<double>(bytes))));
    recvs.ops = model.ops(times, oracle);
    return recvs;
}

GradientPlan ticPlan(const PlanRequest &request)
{
    return byPriorities(request, ticPriorities(forwardRecvs(request, TimeOracle::Mean)));
}

GradientPlan tacPlan(const PlanRequest &request)
{
    const std::vector<std::size_t> order
        = tacOrder(forwardRecvs(request, TimeOracle::Least), request.control);
    std::vector<std::int32_t> priorities(order.size());
    for (std::size_t i = 0; i < order.size(); ++i)
        priorities[order[i]] = static_cast<std::int32_t>(i);
    return byPriorities(request, priorities);
}

} // namespace core
