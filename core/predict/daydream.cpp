#include "core/predict/daydream.h"

#include "core/change/change_list.h"
#include "core/change/rewriting.h"
#include "core/change/transfers/comm_scale.h"
#include "core/change/transfers/link_changes.h"
#include "core/measure/bounded_time.h"
#include "core/measure/iteration_time.h"

#include <algorithm>

namespace core {

namespace {

    /// The rate of a collective's slowest link.
    double rateMbit(const Trace &trace, const CollectiveNode &node, const LinkModel &model,
                    const LinkChanges &changes, const std::vector<double> &stated)
    {
        if (model.isWithinHost)
            return 8e3 / model.pooledBetaNsPerByte;
        double slowest = 0;
        for (const CollectiveNode::Part &part : node.parts) {
            const int rank = trace.workers[part.worker.value].rank;
            const auto index = static_cast<std::size_t>(rank);
            double mbit = model.nominalMbit.value_or(8e3 / model.pooledBetaNsPerByte);
            if (rank >= 0 && index < stated.size())
                mbit = stated[index];
            if (const auto own = changes.bandwidthMbitOf.find(rank);
                own != changes.bandwidthMbitOf.end())
                mbit = own->second;
            else
                mbit = changes.bandwidthMbit.value_or(mbit * changes.bandwidthScale.value_or(1));
            slowest = slowest == 0 ? mbit : std::min(slowest, mbit);
        }
        return slowest;
    }

} // namespace

std::optional<std::int64_t> daydreamIterationNs(const Trace &trace,
                                                std::shared_ptr<const Graph> measured,
                                                const PredictionBase &base, const Models &models,
                                                const Strategy &strategy, const JobControl &control)
{
    constexpr unsigned OfTransfers = effect::Transfers | effect::TransferTime | effect::Shown;
    Graph graph
        = *rewritten(trace, std::move(measured), base.links, Models { models.batch, {}, {} },
                     withoutEffects(strategy, OfTransfers), control);
    const LinkChanges changes = linkChanges(strategy);
    const CommScale scale = commScale(strategy);
    const std::vector<double> &stated = trace.stated.linkMbit;
    bool isAny = false;
    for (const CollectiveNode &node : graph.collectives) {
        const LinkModel *model
            = modelOf(base.links, graph.device[node.transfer.value], node, trace);
        if (!model || model->pooledBetaNsPerByte <= 0)
            continue;
        const auto ranks = static_cast<double>(node.rankCount());
        const bool isOfAll = node.parts.size() == trace.workers.size();
        const double wanted = isOfAll ? changes.worldSize.value_or(ranks) : ranks;
        const double payload
            = static_cast<double>(node.bytes) * payloadGrowth(node.name, ranks, wanted);
        const TransferShape shape
            = shapeOf(node, payload, wanted, trace)
                  .value_or(transferShape(CollectiveAlgorithm::Ring, node.name, payload, wanted));
        graph.durationNs[node.transfer.value]
            = boundedNs(shape.bytes * 8e3 / rateMbit(trace, node, *model, changes, stated)
                        * scale.of(node, trace));
        if (graph.isPredicted(node.transfer))
            graph.delayNs[node.transfer.value] = 0; // a predicted transfer's latency
        isAny = true;
    }
    if (!isAny)
        return std::nullopt;
    for (Device &device : graph.devices)
        if (device.isLink)
            device.discipline = Discipline::Fifo;
    return slowestRankNs(graph, replay(graph, control), base.iterations);
}

} // namespace core
