#include "core/change/chunks/chunk_plan.h"

#include "core/fit/links/collective_cost.h"
#include "core/measure/bounded_time.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t MostPlans = 256; ///< kept for further collectives

    /// A chunk's time by the model of its link, with rates relative to the slowest link's.
    struct ChunkCost
    {
        double alphaNs = 0; ///< of each
        double betaNsPerByte = 0;
    };

    /// The transfers on the end of a link that has most of them.
    std::size_t mostOnOneEnd(const CollectiveSchedule &schedule)
    {
        std::map<LinkEnd, std::size_t> counts;
        std::size_t most = 1;
        for (const ChunkTransfer &transfer : schedule.transfers)
            most = std::max(most, ++counts[linkEndOf(transfer)]);
        return most;
    }

    /// Of a link model's alpha every chunk pays its share. What moves no bytes, or has no model, is
    /// divided equally.
    ChunkCost costOf(const CollectiveSchedule &schedule, std::uint64_t bytes,
                     const LinkModel *model)
    {
        if (!model || bytes == 0 || !(model->betaNsPerByte > 0)
            || !std::isfinite(model->betaNsPerByte))
            return { 1, 0 };
        return { model->alphaNs / static_cast<double>(mostOnOneEnd(schedule)),
                 model->betaNsPerByte };
    }

    /// By transfer. `slowness` by member: of its link, 1 for the slowest.
    std::vector<double> costsOf(const CollectiveSchedule &schedule, const ChunkCost &cost,
                                const std::vector<double> &slowness)
    {
        std::vector<double> costs;
        costs.reserve(schedule.transfers.size());
        for (const ChunkTransfer &transfer : schedule.transfers)
            costs.push_back(cost.alphaNs
                            + cost.betaNsPerByte * static_cast<double>(transfer.bytes)
                                * std::max(slowness[transfer.from], slowness[transfer.to]));
        return costs;
    }

    /// A parameter server's link is as fast as the fastest.
    std::vector<double> slownessOf(const std::vector<double> &rates, std::size_t members)
    {
        const double slowest = *std::min_element(rates.begin(), rates.end());
        const double fastest = *std::max_element(rates.begin(), rates.end());
        std::vector<double> slowness(members, slowest / fastest);
        for (std::size_t i = 0; i < rates.size(); ++i)
            slowness[i] = slowest / rates[i];
        return slowness;
    }

    std::string labelOf(const ChunkTransfer &transfer)
    {
        std::string text = "step " + std::to_string(transfer.step) + ", chunk "
            + std::to_string(transfer.firstChunk);
        if (transfer.chunkCount > 1)
            text += " to " + std::to_string(transfer.firstChunk + transfer.chunkCount - 1);
        return text;
    }

} // namespace

std::int64_t ChunkPlan::scaledNs(double time, std::int64_t spanNs) const
{
    return boundedNs(time / measuredSpan * static_cast<double>(spanNs));
}

PlannedCollective ChunkPlan::planned(std::int64_t spanNs, std::int64_t delayNs) const
{
    PlannedCollective plan;
    std::vector<std::uint32_t> placeOf(schedule.transfers.size());
    plan.chunks.reserve(placeOf.size());
    for (const std::uint32_t i : times.order) {
        const ChunkTransfer &transfer = schedule.transfers[i];
        placeOf[i] = static_cast<std::uint32_t>(plan.chunks.size());
        PlannedChunk chunk;
        chunk.from = transfer.from;
        chunk.to = transfer.to;
        chunk.isHeldByReceiver = transfer.isHeldByReceiver;
        chunk.label = labelOf(transfer);
        chunk.offsetNs = scaledNs(times.start[i], spanNs);
        chunk.durationNs = scaledNs(times.end[i], spanNs) - chunk.offsetNs;
        chunk.delayNs = times.before[i] == i ? delayNs : 0;
        for (std::uint32_t k = schedule.predOffset[i]; k < schedule.predOffset[i + 1]; ++k)
            chunk.preds.push_back(placeOf[schedule.preds[k]]);
        plan.chunks.push_back(std::move(chunk));
    }
    return plan;
}

ChunkPlanner::ChunkPlanner(const Trace &trace, const LinkModels &links, const LinkChanges &changes,
                           std::size_t mostTransfers)
    : m_models(links, trace)
    , m_changes(changes)
    , m_rates(trace, changes)
    , m_mostTransfers(mostTransfers)
{
}

std::shared_ptr<const ChunkPlan> ChunkPlanner::planOf(const CollectiveNode &node,
                                                      const GroupPlaces &places, DeviceId link)
{
    std::vector<WorkerId> workers;
    for (const std::size_t part : places.parts)
        workers.push_back(node.parts[part].worker);
    const Key key { link, node.name, node.takenAlgorithm(), node.bytes, workers };
    if (const auto known = m_plans.find(key); known != m_plans.end())
        return known->second;
    const LinkModel *model = m_models.of(link, node);
    const CollectiveChoice choice = choiceOf(node);
    ScheduleRequest request;
    request.kind = node.name;
    request.hosts = places.hosts;
    request.bytes = node.bytes;
    request.algorithm = choice.algorithm;
    request.servers = static_cast<std::uint32_t>(choice.servers);
    request.mostTransfers = m_mostTransfers;
    auto plan = std::make_shared<const ChunkPlan>(makePlan(request, workers, model));
    if (m_plans.size() >= MostPlans)
        m_plans.clear();
    m_plans.emplace(key, plan);
    return plan;
}

CollectiveChoice ChunkPlanner::choiceOf(const CollectiveNode &node) const
{
    if (m_changes.collective)
        return *m_changes.collective;
    if (const auto taken = collectiveAlgorithmNamed(node.takenAlgorithm()))
        return { *taken, 1 };
    return {};
}

ChunkPlan ChunkPlanner::makePlan(const ScheduleRequest &request,
                                 const std::vector<WorkerId> &workers, const LinkModel *model) const
{
    ChunkPlan plan;
    plan.schedule = collectiveSchedule(request);
    if (plan.schedule.transfers.empty())
        return plan;
    const ChunkCost cost = costOf(plan.schedule, request.bytes, model);
    std::vector<double> measured(workers.size(), 1), wanted(workers.size(), 1);
    for (std::size_t i = 0; model && i < workers.size(); ++i) {
        measured[i] = m_rates.measuredMbit(workers[i], *model);
        wanted[i] = m_rates.wantedMbit(workers[i], *model);
    }
    const std::size_t members = plan.schedule.members;
    plan.times
        = scheduleTimes(plan.schedule, costsOf(plan.schedule, cost, slownessOf(wanted, members)));
    plan.measuredSpan = wanted == measured
        ? plan.times.makespan
        : scheduleTimes(plan.schedule, costsOf(plan.schedule, cost, slownessOf(measured, members)))
              .makespan;
    return plan;
}

} // namespace core
