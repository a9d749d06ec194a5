#include "core/optimize/passes/dpro_pass.h"

#include "core/base/duration_text.h"
#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/reduction_costs.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/optimize/bucket_chain.h"
#include "core/optimize/fusion_theorems.h"
#include "core/optimize/search.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace core {

namespace {

    constexpr PassInfo DproInfo {
        .name = "dpro",
        .title = "Joined operations and tensors",
        .hint = "Parts of the backward pass are compiled and their gradients reduced together",
        .source = "dPRO's Algorithm 1 with theorems 1 to 3 (Hu et al., MLSys 2022)",
        .isAnotherSystem = true
    };

    constexpr std::size_t MostRounds = 30;
    /// Rounds in a row that gain less than a search calls better, after which the walk ends (dPRO:
    /// five).
    constexpr std::size_t IdleRounds = 5;
    constexpr double LeastRoundGain = 0.001;

    using Counts = std::vector<std::size_t>;

    class DproWalk
    {
    public:
        DproWalk(Search &search, const BucketChain &chain)
            : m_search(search)
            , m_start(search.best())
            , m_chain(chain)
            , m_job(search.predictor().job())
            , m_step(*usualStep(m_job.graph))
        {
            const auto saved = savedByJoining(m_job.graph, m_step, opFusionOf(m_start, m_step),
                                              m_search.control());
            for (const auto &ns : saved)
                m_savedNs.push_back(ns ? std::optional(static_cast<double>(*ns)) : std::nullopt);
        }

        void run()
        {
            propose(bucketCountsOf(m_step), "the recorded buckets, each compiled as one part");
            Counts counts = coarsened();
            std::string reason = "each operation's gradients by themselves: where Algorithm 1 "
                                 "begins";
            double bestNs = std::numeric_limits<double>::infinity();
            std::size_t idle = 0;
            for (std::size_t round = 0; round < MostRounds && idle < IdleRounds; ++round) {
                const auto replayed = m_search.replayed(strategyOf(counts));
                if (!replayed)
                    return;
                const auto ns = static_cast<double>(replayed->iterationNs);
                const bool gains = ns < (1 - LeastRoundGain) * bestNs;
                propose(counts, reason);
                idle = gains ? 0 : idle + 1;
                bestNs = std::min(bestNs, ns);
                const FusionChain chain = replayedChain(counts, *replayed);
                FusionRound next = fusionRound(chain, [this](double bytes) {
                    return m_chain.alphaNs + m_chain.nsPerByte * bytes;
                });
                if (next.counts == counts)
                    return;
                counts = std::move(next.counts);
                reason = "theorem 1 joins " + std::to_string(next.byTheorem1)
                    + " pairs on the computing part of the critical path, theorem 2 "
                    + std::to_string(next.byTheorem2) + " on the communicating one";
            }
        }

    private:
        /// dPRO's Coarsened View: tensors that one op computes are one group.
        Counts coarsened() const
        {
            Counts counts;
            for (std::size_t tensor = 0; tensor < m_step.parameterBytes.size(); ++tensor)
                if (tensor > 0 && readyOp(m_step, tensor) == readyOp(m_step, tensor - 1))
                    ++counts.back();
                else
                    counts.push_back(1);
            return counts;
        }

        Strategy strategyOf(const Counts &counts) const
        {
            const std::string text = bucketCountsText(counts);
            return Search::with(
                m_start, { { std::string(CutsKey), text }, { std::string(OpFusionKey), text } });
        }

        std::optional<std::int64_t> propose(const Counts &counts, const std::string &reason)
        {
            return m_search.propose(strategyOf(counts),
                                    countText(counts.size(), "compiled part") + " and bucket"
                                        + (counts.size() == 1 ? "" : "s") + " of "
                                        + bucketCountsText(counts) + " tensors",
                                    reason, static_cast<double>(counts.size()));
        }

        /// The groups at the times of a replay, mean over the iterations, of the latest rank.
        FusionChain replayedChain(const Counts &counts, const Skeleton::Replayed &replayed) const
        {
            FusionChain chain;
            chain.groups.resize(counts.size());
            std::size_t tensor = 0;
            for (std::size_t n = 0; n < counts.size(); ++n) {
                FusionChain::Group &group = chain.groups[n];
                group.tensors = counts[n];
                group.savedNs = m_savedNs[tensor];
                for (std::size_t i = 0; i < counts[n]; ++i)
                    group.bytes += m_chain.bytes[tensor++];
            }
            addTimes(replayed, chain);
            chain.turn = turnOf(chain);
            return chain;
        }

        static void addTimes(const Skeleton::Replayed &replayed, FusionChain &chain)
        {
            const Graph &graph = *replayed.graph;
            const std::vector<std::int64_t> &endNs = replayed.result.endNs;
            const StepsByIteration steps = stepsOf(graph, wholeIterations(graph));
            for (const auto &entry : steps) {
                const double share = 1 / static_cast<double>(steps.size());
                double originNs = 0;
                for (std::size_t n = 0; n < chain.groups.size(); ++n) {
                    double computedNs = std::numeric_limits<double>::lowest(),
                           reducedNs = computedNs;
                    for (const GradientStep *step : entry.second) {
                        if (n >= step->buckets.size())
                            continue;
                        const GradientStep::Bucket &bucket = step->buckets[n];
                        const OpId ready
                            = readyOp(*step, bucket.firstParameter + bucket.parameterCount - 1);
                        const OpId transfer = graph.collectives[bucket.collective].transfer;
                        computedNs = std::max(computedNs, static_cast<double>(endNs[ready.value]));
                        reducedNs = std::max(reducedNs, static_cast<double>(endNs[transfer.value]));
                    }
                    if (n == 0)
                        originNs = computedNs;
                    chain.groups[n].computedNs += share * (computedNs - originNs);
                    chain.groups[n].reducedNs += share * (reducedNs - originNs);
                }
            }
        }

        Search &m_search;
        Strategy m_start;
        const BucketChain &m_chain;
        MeasuredJob m_job;
        const GradientStep &m_step;
        std::vector<std::optional<double>> m_savedNs; ///< [tensors]
    };

    class DproPass : public Pass
    {
    public:
        const PassInfo &info() const override { return DproInfo; }

        std::optional<std::string> obstacle(const Search &search) const override
        {
            if (auto obstacle = search.obstacle(std::string(CutsKey)))
                return obstacle;
            if (usualStep(search.predictor().job().graph)->parameterBytes.size()
                < FewestChainTensors)
                return "the job reduces fewer than three gradients: there is nothing to choose.";
            return search.obstacle(std::string(OpFusionKey));
        }

        void run(Search &search) const override
        {
            if (const auto chain
                = bucketChain(search.predictor(), search.request().environment, search.control()))
                DproWalk(search, *chain).run();
        }
    };

} // namespace

std::unique_ptr<const Pass> dproPass()
{
    return std::make_unique<DproPass>();
}

} // namespace core
