#include "core/change/gradients/whole_iterations.h"

#include "core/measure/typical_iteration.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <type_traits>

namespace core {

namespace {

    std::uint64_t reducedBytes(const Graph &graph, const GradientStep &step)
    {
        std::uint64_t bytes = 0;
        for (const GradientStep::Bucket &bucket : step.buckets)
            bytes += graph.collectives[bucket.collective].bytes;
        return bytes;
    }

    /// What `valueOf` gives of most steps.
    template <class ValueOf>
    auto usual(const std::vector<GradientStep> &steps, const ValueOf &valueOf)
    {
        std::map<std::decay_t<decltype(valueOf(steps.front()))>, std::size_t> counts;
        for (const GradientStep &step : steps)
            ++counts[valueOf(step)];
        return std::max_element(counts.begin(), counts.end(),
                                [](const auto &a, const auto &b) { return a.second < b.second; })
            ->first;
    }

    /// By iteration and worker: 1 where the step has all parameters in the usual order, and all
    /// buckets: one that lacks an all-reduce reduces less than most do.
    std::vector<std::vector<char>> fitSteps(const Graph &graph)
    {
        const std::vector<GradientStep> &steps = graph.gradientSteps;
        const auto bytesOf = [&](const GradientStep &step) { return reducedBytes(graph, step); };
        const std::uint64_t usualBytes = usual(steps, bytesOf);
        const std::vector<std::uint64_t> usualParameters
            = usual(steps, [](const GradientStep &step) -> const std::vector<std::uint64_t> & {
                  return step.parameterBytes;
              });
        std::vector<std::vector<char>> isFit(static_cast<std::size_t>(graph.iterationCount),
                                             std::vector<char>(graph.workerCount(), 0));
        for (const GradientStep &step : steps)
            isFit[static_cast<std::size_t>(step.iteration)][step.worker.value]
                = bytesOf(step) >= usualBytes && step.parameterBytes == usualParameters ? 1 : 0;
        for (std::vector<char> &ranks : isFit)
            for (std::size_t worker = 0; worker < ranks.size(); ++worker)
                if (graph.isStoodInFor(worker))
                    ranks[worker] = ranks[graph.standIns[worker].value];
        return isFit;
    }

    std::uint32_t positionOf(const Graph &graph, std::int32_t iteration)
    {
        return graph.positions.empty() ? 0 : graph.positions[static_cast<std::size_t>(iteration)];
    }

    /// Of the period: where gradients are reduced.
    std::set<std::uint32_t> reducingPositions(const Graph &graph)
    {
        std::set<std::uint32_t> positions;
        for (const GradientStep &step : graph.gradientSteps)
            positions.insert(positionOf(graph, step.iteration));
        return positions;
    }

    std::string numbersText(const std::vector<std::int32_t> &unfit,
                            const std::vector<CommonIteration> &measured)
    {
        constexpr std::size_t Shown = 5;
        std::string text;
        for (std::size_t i = 0; i < std::min(Shown, unfit.size()); ++i) {
            const auto index = static_cast<std::size_t>(unfit[i]);
            text += (i > 0 ? ", " : "")
                + std::to_string(index < measured.size() ? measured[index].index : unfit[i]);
        }
        return text + (unfit.size() > Shown ? ", ..." : "");
    }

} // namespace

bool WholeIterations::areEnough() const
{
    constexpr std::size_t FewestOfSeveral = 2;
    return unfit.empty() || (whole.size() >= FewestOfSeveral && whole.size() > unfit.size());
}

bool WholeIterations::contains(std::int32_t iteration) const
{
    return std::binary_search(whole.begin(), whole.end(), iteration);
}

bool WholeIterations::hasTwoInARow() const
{
    return std::adjacent_find(whole.begin(), whole.end(),
                              [](std::int32_t a, std::int32_t b) { return b == a + 1; })
        != whole.end();
}

WholeIterations wholeIterations(const Graph &graph)
{
    const std::vector<std::vector<char>> isFit = fitSteps(graph);
    const std::set<std::uint32_t> reducing = reducingPositions(graph);
    WholeIterations result;
    for (std::int32_t i = 0; i < graph.iterationCount; ++i) {
        if (!reducing.contains(positionOf(graph, i)))
            continue;
        const std::vector<char> &ranks = isFit[static_cast<std::size_t>(i)];
        result.fitSteps += static_cast<std::size_t>(std::count(ranks.begin(), ranks.end(), 1));
        const bool isWhole
            = std::all_of(ranks.begin(), ranks.end(), [](char fit) { return fit != 0; });
        (isWhole ? result.whole : result.unfit).push_back(i);
    }
    return result;
}

StepsByIteration stepsOf(const Graph &graph, const WholeIterations &iterations)
{
    StepsByIteration steps;
    for (const GradientStep &step : graph.gradientSteps)
        if (iterations.contains(step.iteration))
            steps[step.iteration].push_back(&step);
    return steps;
}

std::string leftOutText(const WholeIterations &iterations, const Graph &graph, const Trace &trace)
{
    const std::vector<std::int32_t> &unfit = iterations.unfit;
    if (unfit.empty())
        return {};
    const bool isOne = unfit.size() == 1;
    const auto measured = commonIterations(trace);
    return std::to_string(unfit.size()) + " of " + std::to_string(graph.iterationCount)
        + " iterations (" + (isOne ? "number " : "") + numbersText(unfit, measured) + ") "
        + (isOne ? "stays" : "stay")
        + " as measured, and the predicted time, its interval and the mean leave "
        + (isOne ? "it" : "them")
        + " out: PyTorch DDP's reduction is not recorded there on every rank with all its buckets.";
}

std::string followingText(const std::vector<std::int32_t> &kept, const Graph &graph,
                          const Trace &trace)
{
    const std::vector<std::int32_t> whole = wholeIterations(graph).whole;
    std::vector<std::int32_t> following;
    std::set_intersection(kept.begin(), kept.end(), whole.begin(), whole.end(),
                          std::back_inserter(following));
    if (following.empty())
        return {};
    const bool isOne = following.size() == 1;
    const auto measured = commonIterations(trace);
    return (isOne ? "Iteration " : "Iterations ") + numbersText(following, measured)
        + (isOne ? " follows one that stays as measured and begins"
                 : " follow ones that stay as measured and begin")
        + " without partitions left over from before: the predicted time, its interval and the "
          "mean "
          "leave "
        + (isOne ? "it" : "them") + " out, too.";
}

const GradientStep *usualStep(const Graph &graph)
{
    if (graph.gradientSteps.empty())
        return nullptr;
    const WholeIterations iterations = wholeIterations(graph);
    const auto found = std::find_if(
        graph.gradientSteps.begin(), graph.gradientSteps.end(),
        [&](const GradientStep &step) { return iterations.contains(step.iteration); });
    return found == graph.gradientSteps.end() ? nullptr : &*found;
}

std::vector<std::size_t> bucketCountsOf(const GradientStep &step)
{
    std::vector<std::size_t> counts;
    counts.reserve(step.buckets.size());
    for (const GradientStep::Bucket &bucket : step.buckets)
        counts.push_back(bucket.parameterCount);
    return counts;
}

} // namespace core
