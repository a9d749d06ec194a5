#include "core/pipeline/iteration_kinds.h"

#include "core/base/median_ns.h"
#include "core/base/saturated_time.h"
#include "core/graph/ops_per_look.h"
#include "core/measure/typical_iteration.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace core {

namespace {

    constexpr double LeastShare = 0.01; ///< of an iteration
    constexpr std::size_t FewestSeen = 2; ///< iterations of each position
    constexpr double MostChance = 0.15;
    constexpr std::size_t LongestPeriod = 1000; ///< iterations

    /// How often an operation happens in each iteration, and for how long.
    struct Occurrences
    {
        std::string name, group; ///< group: of a collective
        std::set<WorkerId> workers;
        std::vector<std::uint32_t> times; ///< [iterations]
        std::vector<std::int64_t> ns; ///< [iterations]

        Occurrences(std::string ofName, std::string ofGroup, std::size_t iterations)
            : name(std::move(ofName))
            , group(std::move(ofGroup))
            , times(iterations, 0)
            , ns(iterations, 0)
        {
        }
        void add(std::int64_t iteration, std::int64_t durationNs)
        {
            ++times[static_cast<std::size_t>(iteration)];
            std::int64_t &sumNs = ns[static_cast<std::size_t>(iteration)];
            sumNs = saturatedSum(sumNs, durationNs);
        }
        bool isConstant() const
        {
            return std::adjacent_find(times.begin(), times.end(), std::not_equal_to<>())
                == times.end();
        }
    };

    bool isIn(std::int64_t iteration, const Graph &graph)
    {
        return iteration >= 0 && iteration < graph.iterationCount;
    }

    bool isOwnOp(const Graph &graph, std::uint32_t op)
    {
        return graph.kind[op] != OpKind::Virtual && graph.kind[op] != OpKind::Communication
            && isIn(graph.iteration[op], graph) && !graph.devices[graph.device[op].value].isLink;
    }

    /// A worker's op by its name.
    std::uint64_t keyOf(const Graph &graph, std::uint32_t op)
    {
        return std::uint64_t { graph.worker[op].value } << 32U | graph.name[op].value;
    }

    /// Occurrences of ranks' own ops that take `leastNs` in all iterations together: less tells
    /// nothing.
    std::vector<Occurrences> ownOccurrences(const Graph &graph, std::int64_t leastNs,
                                            const JobControl &control)
    {
        struct Total
        {
            std::int64_t ns = 0;
            std::int32_t lastIteration = -1;
            std::size_t iterations = 0; ///< at most: iterations may be mixed
        };
        std::unordered_map<std::uint64_t, Total> totals;
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            if (op % OpsPerLook == 0)
                throwIfCancelled(control);
            if (!isOwnOp(graph, op))
                continue;
            Total &total = totals[keyOf(graph, op)];
            total.ns = saturatedSum(total.ns, graph.durationNs[op]);
            if (std::exchange(total.lastIteration, graph.iteration[op]) != graph.iteration[op])
                ++total.iterations;
        }
        std::unordered_map<std::uint64_t, std::size_t> places;
        std::vector<Occurrences> all;
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            if (op % OpsPerLook == 0)
                throwIfCancelled(control);
            if (!isOwnOp(graph, op))
                continue;
            const Total &total = totals.at(keyOf(graph, op));
            if (total.ns < leastNs || total.iterations < FewestSeen)
                continue;
            const auto [place, isNew] = places.try_emplace(keyOf(graph, op), all.size());
            if (isNew) {
                all.emplace_back(graph.names[graph.name[op].value], std::string(),
                                 static_cast<std::size_t>(graph.iterationCount));
                all.back().workers.insert(graph.worker[op]);
            }
            all[place->second].add(graph.iteration[op], graph.durationNs[op]);
        }
        return all;
    }

    /// From the last rank's arrival on.
    std::int64_t transferNs(const CollectiveNode &node)
    {
        std::optional<std::int64_t> leastNs;
        for (const CollectiveNode::Part &part : node.parts) {
            const std::int64_t ns = saturatedDifference(part.endNs, part.startNs);
            leastNs = std::min(leastNs.value_or(ns), ns);
        }
        return std::max<std::int64_t>(0, leastNs.value_or(0));
    }

    void addCollectives(const Graph &graph, std::vector<Occurrences> &all)
    {
        std::map<std::pair<std::string, std::string>, std::size_t> places;
        for (const CollectiveNode &node : graph.collectives) {
            if (!isIn(node.iteration, graph))
                continue;
            const auto [place, isNew] = places.try_emplace({ node.name, node.group }, all.size());
            if (isNew)
                all.emplace_back(node.name, node.group,
                                 static_cast<std::size_t>(graph.iterationCount));
            all[place->second].add(node.iteration, transferNs(node));
            for (const CollectiveNode::Part &part : node.parts)
                all[place->second].workers.insert(part.worker);
        }
    }

    /// [iterations]: numbers that all ranks have in common, else places.
    std::vector<std::int64_t> sharedNumbers(const Trace &trace)
    {
        std::map<WorkerId, std::vector<std::int64_t>> byWorker;
        for (const Iteration &iteration : trace.compared.iterations)
            byWorker[iteration.worker].push_back(iteration.index);
        std::vector<std::int64_t> numbers(trace.compared.count);
        std::iota(numbers.begin(), numbers.end(), 0);
        const auto &first = byWorker.begin()->second;
        const bool areShared = std::is_sorted(first.begin(), first.end())
            && std::all_of(byWorker.begin(), byWorker.end(),
                           [&first](const auto &own) { return own.second == first; });
        return areShared ? first : numbers;
    }

    /// [iterations]: places in a period of that length, from that of the first iteration.
    std::vector<std::uint32_t> positionsIn(const std::vector<std::int64_t> &numbers,
                                           std::size_t length)
    {
        std::vector<std::uint32_t> positions;
        positions.reserve(numbers.size());
        for (const std::int64_t number : numbers) {
            // Unsigned: a damaged trace may have the smallest and the largest number.
            const auto from
                = static_cast<std::uint64_t>(number) - static_cast<std::uint64_t>(numbers.front());
            positions.push_back(static_cast<std::uint32_t>(from % length));
        }
        return positions;
    }

    /// Whether each position is seen often enough, as often with the operation each time.
    bool repeats(const std::vector<std::uint32_t> &times, const std::vector<std::int64_t> &numbers,
                 std::size_t length)
    {
        const auto span = static_cast<std::uint64_t>(numbers.back())
            - static_cast<std::uint64_t>(numbers.front());
        if (span + 1 == numbers.size()) // most traces: soon answered
            return times.size() >= FewestSeen * length
                && std::equal(times.begin() + static_cast<std::ptrdiff_t>(length), times.end(),
                              times.begin());
        const std::vector<std::uint32_t> positions = positionsIn(numbers, length);
        std::vector<std::size_t> seen(length, 0);
        std::vector<std::uint32_t> first(length, 0);
        for (std::size_t i = 0; i < times.size(); ++i) {
            const std::uint32_t p = positions[i];
            if (seen[p]++ == 0)
                first[p] = times[i];
            else if (first[p] != times[i])
                return false;
        }
        return *std::min_element(seen.begin(), seen.end()) >= FewestSeen;
    }

    std::optional<std::size_t> repeatLength(const std::vector<std::uint32_t> &times,
                                            const std::vector<std::int64_t> &numbers)
    {
        const std::size_t longest = std::min(LongestPeriod, times.size() / FewestSeen);
        for (std::size_t length = 2; length <= longest; ++length)
            if (repeats(times, numbers, length))
                return length;
        return std::nullopt;
    }

    /// Logarithm of the number of different orders that the values have.
    double logOrders(std::vector<std::uint32_t> values)
    {
        std::sort(values.begin(), values.end());
        double orders = std::lgamma(static_cast<double>(values.size()) + 1);
        for (auto same = values.begin(); same != values.end();) {
            const auto end = std::upper_bound(same, values.end(), *same);
            orders -= std::lgamma(static_cast<double>(end - same) + 1);
            same = end;
        }
        return orders;
    }

    /// Part of the orders of the iterations that repeat so.
    double chanceOfRepeat(const std::vector<std::uint32_t> &times,
                          const std::vector<std::int64_t> &numbers, std::size_t length)
    {
        const std::vector<std::uint32_t> positions = positionsIn(numbers, length);
        std::vector<std::uint32_t> ofPeriod(length, 0);
        for (std::size_t i = 0; i < times.size(); ++i)
            ofPeriod[positions[i]] = times[i];
        return std::exp(logOrders(std::move(ofPeriod)) - logOrders(times));
    }

    /// An operation whose number repeats.
    struct Repeating
    {
        Occurrences operation;
        std::size_t length = 0;
        std::int64_t spreadNs = 0; ///< between positions
    };

    std::int64_t spreadOf(const Occurrences &operation, const std::vector<std::int64_t> &numbers,
                          std::size_t length)
    {
        std::vector<std::vector<std::int64_t>> at(length);
        const std::vector<std::uint32_t> positions = positionsIn(numbers, length);
        for (std::size_t i = 0; i < operation.ns.size(); ++i)
            at[positions[i]].push_back(operation.ns[i]);
        std::vector<std::int64_t> medians;
        medians.reserve(at.size());
        for (std::vector<std::int64_t> &here : at)
            medians.push_back(medianNs(std::move(here)));
        const auto [least, most] = std::minmax_element(medians.begin(), medians.end());
        return saturatedDifference(*most, *least);
    }

    /// Looks for the period of a job.
    class PeriodSearch
    {
    public:
        PeriodSearch(const Trace &trace, const Graph &graph)
            : m_trace(trace)
            , m_graph(graph)
            , m_numbers(sharedNumbers(trace))
        {
            for (const Iteration &iteration : trace.compared.iterations)
                m_workers.insert(iteration.worker);
        }

        std::shared_ptr<const IterationPeriod> find(const JobControl &control)
        {
            findRepeating(control);
            std::size_t length = 1;
            std::vector<const Occurrences *> operations;
            for (const Repeating &one : m_repeating) {
                const std::size_t both = std::lcm(length, one.length);
                if (!isSure(one) || both > std::min(LongestPeriod, m_numbers.size() / FewestSeen)
                    || !isSeen(both))
                    continue;
                length = both;
                operations.push_back(&one.operation);
            }
            return operations.empty() ? nullptr : periodOf(length, operations);
        }

    private:
        /// Orders by ranks (several first), then by time.
        void findRepeating(const JobControl &control)
        {
            std::vector<std::int64_t> slowestNs;
            for (const CommonIteration &iteration : commonIterations(m_trace))
                slowestNs.push_back(iteration.slowestNs);
            const double leastNs = LeastShare * static_cast<double>(medianNs(std::move(slowestNs)));
            std::vector<Occurrences> all
                = ownOccurrences(m_graph, static_cast<std::int64_t>(FewestSeen * leastNs), control);
            addCollectives(m_graph, all);
            for (Occurrences &operation : all) {
                throwIfCancelled(control);
                if (operation.isConstant())
                    continue;
                const auto length = repeatLength(operation.times, m_numbers);
                if (!length)
                    continue;
                const std::int64_t spreadNs = spreadOf(operation, m_numbers, *length);
                if (spreadNs > 0 && static_cast<double>(spreadNs) >= leastNs)
                    m_repeating.push_back({ std::move(operation), *length, spreadNs });
            }
            for (const Repeating &one : m_repeating)
                m_workersOf[{ one.operation.name, one.length }].insert(
                    one.operation.workers.begin(), one.operation.workers.end());
            std::stable_sort(m_repeating.begin(), m_repeating.end(),
                             [this](const Repeating &a, const Repeating &b) {
                                 return std::pair(isOfAll(a), a.spreadNs)
                                     > std::pair(isOfAll(b), b.spreadNs);
                             });
        }

        /// Whether it is of a collective, or of all of several ranks.
        bool isOfAll(const Repeating &one) const
        {
            return one.operation.workers.size() > 1
                || (m_workers.size() > 1
                    && m_workersOf.at({ one.operation.name, one.length }).size()
                        >= m_workers.size());
        }

        bool isSure(const Repeating &one) const
        {
            return isOfAll(one)
                || chanceOfRepeat(one.operation.times, m_numbers, one.length) <= MostChance;
        }

        bool isSeen(std::size_t length) const
        {
            std::vector<std::size_t> seen(length, 0);
            for (const std::uint32_t position : positionsIn(m_numbers, length))
                ++seen[position];
            return *std::min_element(seen.begin(), seen.end()) >= FewestSeen;
        }

        std::shared_ptr<const IterationPeriod>
        periodOf(std::size_t length, const std::vector<const Occurrences *> &operations) const
        {
            IterationPeriod period;
            period.length = static_cast<std::uint32_t>(length);
            period.positions = positionsIn(m_numbers, length);
            std::map<std::vector<std::uint32_t>, IterationKind> kinds; // by numbers of operations
            for (std::uint32_t p = 0; p < length; ++p)
                kinds[timesAt(p, period, operations)].positions.push_back(p);
            for (auto &[times, kind] : kinds)
                period.kinds.push_back(std::move(kind));
            std::stable_sort(period.kinds.begin(), period.kinds.end(),
                             [&](const IterationKind &a, const IterationKind &b) {
                                 return a.positions.size() != b.positions.size()
                                     ? a.positions.size() > b.positions.size()
                                     : totalNs(a, period, operations)
                                         < totalNs(b, period, operations);
                             });
            for (std::size_t k = 1; k < period.kinds.size(); ++k)
                setOperations(period, operations, period.kinds[k]);
            return std::make_shared<const IterationPeriod>(std::move(period));
        }

        static std::vector<std::uint32_t>
        timesAt(std::uint32_t position, const IterationPeriod &period,
                const std::vector<const Occurrences *> &operations)
        {
            const auto at = static_cast<std::size_t>(
                std::find(period.positions.begin(), period.positions.end(), position)
                - period.positions.begin());
            std::vector<std::uint32_t> times;
            times.reserve(operations.size());
            for (const Occurrences *operation : operations)
                times.push_back(operation->times[at]);
            return times;
        }

        struct Mean
        {
            double times = 0, ns = 0;
        };

        /// Per iteration of a kind.
        static Mean meanOf(const Occurrences &operation, const IterationKind &kind,
                           const IterationPeriod &period)
        {
            Mean mean;
            double count = 0;
            for (std::size_t i = 0; i < period.positions.size(); ++i) {
                if (!std::binary_search(kind.positions.begin(), kind.positions.end(),
                                        period.positions[i]))
                    continue;
                mean.times += operation.times[i];
                mean.ns += static_cast<double>(operation.ns[i]);
                ++count;
            }
            return { mean.times / count, mean.ns / count };
        }

        static double totalNs(const IterationKind &kind, const IterationPeriod &period,
                              const std::vector<const Occurrences *> &operations)
        {
            double ns = 0;
            for (const Occurrences *operation : operations)
                ns += meanOf(*operation, kind, period).ns;
            return ns;
        }

        /// Those of several ranks that have one name become one, their mean.
        void setOperations(const IterationPeriod &period,
                           const std::vector<const Occurrences *> &operations,
                           IterationKind &kind) const
        {
            struct Sum
            {
                Mean here, usual;
                double count = 0;
                std::set<WorkerId> workers;
            };
            std::map<std::pair<std::string, std::string>, Sum> sums;
            for (const Occurrences *operation : operations) {
                const Mean here = meanOf(*operation, kind, period);
                const Mean usual = meanOf(*operation, period.kinds.front(), period);
                if (here.times == usual.times)
                    continue;
                Sum &sum = sums[{ operation->name, operation->group }];
                sum.here = { sum.here.times + here.times, sum.here.ns + here.ns };
                sum.usual = { sum.usual.times + usual.times, sum.usual.ns + usual.ns };
                ++sum.count;
                sum.workers.insert(operation->workers.begin(), operation->workers.end());
            }
            for (const auto &[name, sum] : sums)
                kind.operations.push_back({ name.first, ranksOf(sum.workers),
                                            sum.here.times / sum.count, sum.usual.times / sum.count,
                                            std::llround(sum.here.ns / sum.count),
                                            std::llround(sum.usual.ns / sum.count) });
            std::stable_sort(kind.operations.begin(), kind.operations.end(),
                             [](const KindOperation &a, const KindOperation &b) {
                                 return std::abs(a.excessNs()) > std::abs(b.excessNs());
                             });
        }

        std::vector<int> ranksOf(const std::set<WorkerId> &workers) const
        {
            std::vector<int> ranks;
            if (workers.size() >= m_workers.size())
                return ranks;
            ranks.reserve(workers.size());
            for (const WorkerId worker : workers)
                ranks.push_back(m_trace.workers[worker.value].rank);
            std::sort(ranks.begin(), ranks.end());
            return ranks;
        }

        const Trace &m_trace;
        const Graph &m_graph;
        const std::vector<std::int64_t> m_numbers;
        std::set<WorkerId> m_workers; ///< that have iterations
        std::vector<Repeating> m_repeating;
        std::map<std::pair<std::string, std::size_t>, std::set<WorkerId>> m_workersOf;
    };

} // namespace

std::shared_ptr<const IterationPeriod> iterationPeriod(const Trace &trace, const Graph &graph,
                                                       const JobControl &control)
{
    const std::size_t count = trace.compared.count;
    if (count < 2 * FewestSeen || static_cast<std::size_t>(graph.iterationCount) != count)
        return nullptr;
    return PeriodSearch(trace, graph).find(control);
}

} // namespace core
