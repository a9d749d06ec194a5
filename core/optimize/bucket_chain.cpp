#include "core/optimize/bucket_chain.h"

#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/change/rewriting.h"

#include <algorithm>
#include <limits>
#include <numeric>

namespace core {

namespace {

    std::shared_ptr<const Graph> changedGraph(const Predictor &predictor, const Strategy &strategy,
                                              const JobControl &control)
    {
        const PredictionBase &base = predictor.base();
        return tryRewriting(predictor.job().trace, base.graph, base.links, predictor.models(),
                            strategy, control)
            .graph;
    }

    /// Time of a bucket's transfer, ns: on its link and beside it.
    double transferNs(const Graph &graph, std::size_t bucket)
    {
        const GradientStep &step = *usualStep(graph);
        const OpId transfer = graph.collectives[step.buckets[bucket].collective].transfer;
        return static_cast<double>(graph.durationNs[transfer.value])
            + static_cast<double>(graph.delayNs[transfer.value]);
    }

    /// The line through the times of two buckets of different sizes, which hold the tensors up to
    /// `first` and the others. False: there is no such line.
    bool setCosts(const Graph &graph, std::size_t first, BucketChain &chain)
    {
        const auto middle = chain.bytes.begin() + static_cast<std::ptrdiff_t>(first);
        const double bytes = std::accumulate(chain.bytes.begin(), middle, 0.0)
            - std::accumulate(middle, chain.bytes.end(), 0.0);
        chain.nsPerByte = bytes != 0 ? (transferNs(graph, 0) - transferNs(graph, 1)) / bytes : 0;
        const double firstBytes = std::accumulate(chain.bytes.begin(), middle, 0.0);
        chain.alphaNs = std::max(0.0, transferNs(graph, 0) - chain.nsPerByte * firstBytes);
        return chain.nsPerByte > 0;
    }

    /// The tensors of a first bucket with about a tenth of all bytes, beside a second one. Buckets
    /// as recorded would stay as measured: then one more or less. There are three tensors or more.
    std::size_t firstTenth(const std::vector<double> &bytes, const GradientStep &measured)
    {
        const double tenth = std::accumulate(bytes.begin(), bytes.end(), 0.0) / 10;
        double sum = 0;
        std::size_t count = 0;
        while (count + 1 < bytes.size() && (count == 0 || sum < tenth))
            sum += bytes[count++];
        const bool isMeasured
            = measured.buckets.size() == 2 && measured.buckets.front().parameterCount == count;
        if (!isMeasured)
            return count;
        return count + 1 < bytes.size() ? count + 1 : count - 1;
    }

    void addReadyTimes(const RankSteps &ranks, const std::vector<std::int64_t> &endNs, double share,
                       BucketChain &chain)
    {
        const auto readyAt = [&](std::size_t tensor) {
            double latestNs = std::numeric_limits<double>::lowest();
            for (const GradientStep *step : ranks) {
                const OpId ready
                    = step->kernels.empty() ? step->gradients[tensor] : step->kernels[tensor];
                latestNs = std::max(latestNs, static_cast<double>(endNs[ready.value]));
            }
            return latestNs;
        };
        const double firstNs = readyAt(0);
        for (std::size_t tensor = 0; tensor < chain.readyNs.size(); ++tensor)
            chain.readyNs[tensor] += share * (readyAt(tensor) - firstNs);
    }

} // namespace

std::optional<BucketChain> bucketChain(const Predictor &predictor, const Strategy &environment,
                                       const JobControl &control)
{
    const PredictionBase &base = predictor.base();
    if (rebucketObstacle(*base.graph))
        return std::nullopt;
    BucketChain chain;
    for (const std::uint64_t bytes : usualStep(*base.graph)->parameterBytes)
        chain.bytes.push_back(static_cast<double>(bytes));
    const std::size_t tensors = chain.bytes.size();
    if (tensors < FewestChainTensors)
        return std::nullopt;
    const std::size_t first = firstTenth(chain.bytes, *usualStep(*base.graph));
    const auto changed = changedGraph(predictor, environment, control);
    Strategy twoBuckets = environment;
    twoBuckets.set({ std::string(CutsKey), bucketCountsText({ first, tensors - first }) });
    const auto withTwo = changedGraph(predictor, twoBuckets, control);
    if (changed == nullptr || withTwo == nullptr || !setCosts(*withTwo, first, chain))
        return std::nullopt;
    const std::vector<std::int64_t> endNs = changed == base.graph
        ? base.replay->endNs
        : base.replayed->replay(*changed, control).endNs;
    const StepsByIteration steps = stepsOf(*changed, wholeIterations(*changed));
    chain.readyNs.assign(tensors, 0);
    for (const auto &entry : steps)
        addReadyTimes(entry.second, endNs, 1 / static_cast<double>(steps.size()), chain);
    for (std::size_t tensor = 1; tensor < tensors; ++tensor)
        chain.readyNs[tensor] = std::max(chain.readyNs[tensor], chain.readyNs[tensor - 1]);
    return chain;
}

} // namespace core
