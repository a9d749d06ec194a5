#include "core/optimize/bucket_chain.h"

#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/fit/links/collective_cost.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// Alpha and the time of a payload's byte, by the model of the first bucket's link.
    bool setCosts(const Predictor &predictor, BucketChain &chain)
    {
        const MeasuredJob job = predictor.job();
        const GradientStep &step = *usualStep(job.graph);
        const CollectiveNode &node = job.graph.collectives[step.buckets.front().collective];
        const LinkModel *model
            = modelOf(job.links, job.graph.device[node.transfer.value], node, job.trace);
        if (model == nullptr || model->betaNsPerByte <= 0)
            return false;
        const TransferShape shape = transferShape(CollectiveAlgorithm::Ring, node.name, 1,
                                                  static_cast<double>(node.rankCount()));
        chain.alphaNs = model->alphaNs;
        chain.nsPerByte = model->betaNsPerByte * shape.bytes;
        return true;
    }

} // namespace

std::optional<BucketChain> bucketChain(const Predictor &predictor)
{
    const Graph &graph = *predictor.base().graph;
    if (rebucketObstacle(graph))
        return std::nullopt;
    BucketChain chain;
    if (!setCosts(predictor, chain))
        return std::nullopt;
    const std::vector<std::int64_t> &endNs = predictor.base().replay->endNs;
    const StepsByIteration steps = stepsOf(graph, wholeIterations(graph));
    const std::size_t tensors = steps.begin()->second.front()->parameterBytes.size();
    chain.readyNs.assign(tensors, 0);
    for (const std::uint64_t bytes : steps.begin()->second.front()->parameterBytes)
        chain.bytes.push_back(static_cast<double>(bytes));
    for (const auto &entry : steps) {
        const auto readyAt = [&](std::size_t tensor) {
            double latestNs = std::numeric_limits<double>::lowest();
            for (const GradientStep *step : entry.second) {
                const OpId ready
                    = step->kernels.empty() ? step->gradients[tensor] : step->kernels[tensor];
                latestNs = std::max(latestNs, static_cast<double>(endNs[ready.value]));
            }
            return latestNs;
        };
        const double firstNs = readyAt(0);
        for (std::size_t tensor = 0; tensor < tensors; ++tensor)
            chain.readyNs[tensor]
                += (readyAt(tensor) - firstNs) / static_cast<double>(steps.size());
    }
    for (std::size_t tensor = 1; tensor < tensors; ++tensor)
        chain.readyNs[tensor] = std::max(chain.readyNs[tensor], chain.readyNs[tensor - 1]);
    return chain;
}

double chainEndNs(const BucketChain &chain, const std::vector<std::size_t> &counts)
{
    double endNs = std::numeric_limits<double>::lowest();
    std::size_t next = 0;
    for (const std::size_t count : counts) {
        double bytes = 0;
        for (std::size_t i = next; i < next + count; ++i)
            bytes += chain.bytes[i];
        next += count;
        endNs = std::max(endNs, chain.readyNs[next - 1]) + chain.alphaNs + chain.nsPerByte * bytes;
    }
    return endNs;
}

std::vector<std::size_t> bestCuts(const BucketChain &chain)
{
    struct Prefix
    {
        double endNs = std::numeric_limits<double>::lowest();
        std::size_t buckets = 0, lastCount = 0;
    };
    std::vector<Prefix> best(chain.bytes.size() + 1);
    for (std::size_t end = 1; end < best.size(); ++end) {
        Prefix &prefix = best[end];
        prefix.endNs = std::numeric_limits<double>::max();
        double bytes = 0;
        for (std::size_t begin = end; begin-- > 0;) {
            bytes += chain.bytes[begin];
            const double endNs = std::max(best[begin].endNs, chain.readyNs[end - 1]) + chain.alphaNs
                + chain.nsPerByte * bytes;
            const std::size_t buckets = best[begin].buckets + 1;
            if (endNs < prefix.endNs || (endNs == prefix.endNs && buckets < prefix.buckets))
                prefix = { endNs, buckets, end - begin };
        }
    }
    std::vector<std::size_t> counts;
    for (std::size_t end = chain.bytes.size(); end > 0; end -= best[end].lastCount)
        counts.push_back(best[end].lastCount);
    std::reverse(counts.begin(), counts.end());
    return counts;
}

std::vector<std::size_t> mergedCuts(const BucketChain &chain)
{
    std::vector<std::size_t> counts;
    double freeNs = std::numeric_limits<double>::lowest(), bytes = 0;
    std::size_t count = 0;
    for (std::size_t tensor = 0; tensor < chain.bytes.size(); ++tensor) {
        ++count;
        bytes += chain.bytes[tensor];
        const double startNs = std::max(freeNs, chain.readyNs[tensor]);
        const bool isLast = tensor + 1 == chain.bytes.size();
        if (!isLast && chain.readyNs[tensor + 1] < startNs + chain.alphaNs)
            continue;
        counts.push_back(count);
        freeNs = startNs + chain.alphaNs + chain.nsPerByte * bytes;
        count = 0;
        bytes = 0;
    }
    return counts;
}

} // namespace core
