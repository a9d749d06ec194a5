#include "core/scenario/own_work.h"

#include "core/base/median_ns.h"
#include "core/replay/latest_time.h"

#include <algorithm>
#include <tuple>

namespace core {

namespace {

    /// Sums of a damaged trace's times do not overflow.
    void addWork(const Graph &graph, std::size_t op, std::int64_t &sumNs)
    {
        sumNs = laterNs(laterNs(sumNs, graph.durationNs[op]), graph.delayNs[op]);
    }

    std::vector<std::uint32_t> ownOpsByNameAndWorker(const Graph &graph)
    {
        const std::vector<bool> isOwn = ownWork(graph);
        std::vector<std::uint32_t> ops;
        ops.reserve(static_cast<std::size_t>(std::count(isOwn.begin(), isOwn.end(), true)));
        for (std::uint32_t op = 0; op < graph.size(); ++op)
            if (isOwn[op])
                ops.push_back(op);
        std::sort(ops.begin(), ops.end(), [&graph](std::uint32_t a, std::uint32_t b) {
            return std::tuple(graph.name[a], graph.worker[a], a)
                < std::tuple(graph.name[b], graph.worker[b], b);
        });
        return ops;
    }

} // namespace

std::vector<bool> ownWork(const Graph &graph)
{
    std::vector<bool> isWorking(graph.devices.size(), false);
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.kind[op] == OpKind::Compute)
            isWorking[graph.device[op].value] = true;
    if (std::find(isWorking.begin(), isWorking.end(), true) == isWorking.end())
        isWorking.assign(isWorking.size(), true);
    std::vector<bool> isOwn(graph.size(), false);
    for (std::size_t op = 0; op < graph.size(); ++op) {
        const std::size_t device = graph.device[op].value;
        isOwn[op] = isWorking[device] && !graph.devices[device].isLink
            && graph.kind[op] != OpKind::Communication;
    }
    return isOwn;
}

std::vector<std::int64_t> ownWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> total(graph.workerCount(), 0);
    const std::vector<bool> isOwn = ownWork(graph);
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isOwn[op])
            addWork(graph, op, total[graph.worker[op].value]);
    return total;
}

std::size_t ranksWithOwnWork(const Graph &graph)
{
    const std::vector<std::int64_t> workNs = ownWorkNs(graph);
    return static_cast<std::size_t>(
        std::count_if(workNs.begin(), workNs.end(), [](std::int64_t ns) { return ns > 0; }));
}

std::vector<std::int64_t> excessWorkNs(const Graph &graph)
{
    std::vector<std::int64_t> excess = ownWorkNs(graph);
    const std::int64_t typicalNs = medianOfWorking(excess);
    for (std::int64_t &ns : excess)
        ns = ns > 0 ? ns - typicalNs : 0;
    return excess;
}

void visitOwnWorkByName(const Graph &graph,
                        const std::function<void(NameId, const std::vector<WorkShare> &)> &visit)
{
    const std::vector<std::uint32_t> ops = ownOpsByNameAndWorker(graph);
    std::vector<WorkShare> shares;
    for (std::size_t i = 0; i < ops.size();) {
        const NameId name = graph.name[ops[i]];
        shares.clear();
        for (; i < ops.size() && graph.name[ops[i]] == name; ++i) {
            const WorkerId worker = graph.worker[ops[i]];
            if (shares.empty() || shares.back().worker != worker)
                shares.push_back({ worker, 0 });
            addWork(graph, ops[i], shares.back().ns);
        }
        visit(name, shares);
    }
}

std::int64_t medianOfWorking(std::vector<std::int64_t> workNs)
{
    std::erase_if(workNs, [](std::int64_t ns) { return ns <= 0; });
    return medianNs(std::move(workNs));
}

std::int64_t medianOfRanks(std::vector<std::int64_t> valuesNs, std::size_t ranks)
{
    valuesNs.resize(std::max(ranks, valuesNs.size()), 0);
    return medianNs(std::move(valuesNs));
}

} // namespace core
