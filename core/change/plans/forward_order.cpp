#include "core/change/plans/forward_order.h"

#include "core/change/gradients/whole_iterations.h"

#include <algorithm>
#include <numeric>
#include <random>

namespace core {

namespace {

    /// Place of each index when sorted by the keys.
    std::vector<std::int32_t> placesOf(const std::vector<std::int64_t> &keys)
    {
        std::vector<std::size_t> order(keys.size());
        std::iota(order.begin(), order.end(), std::size_t { 0 });
        std::stable_sort(order.begin(), order.end(),
                         [&keys](std::size_t a, std::size_t b) { return keys[a] < keys[b]; });
        std::vector<std::int32_t> places(keys.size());
        for (std::size_t i = 0; i < order.size(); ++i)
            places[order[i]] = static_cast<std::int32_t>(i);
        return places;
    }

} // namespace

std::vector<std::int32_t> forwardOrder(const Graph &graph, const GradientStep &step)
{
    const bool isForwardKnown = std::all_of(step.forwards.begin(), step.forwards.end(),
                                            [](OpId op) { return op != NoOp; });
    std::vector<std::int64_t> keys;
    keys.reserve(step.parameterBytes.size());
    for (std::size_t p = 0; p < step.parameterBytes.size(); ++p)
        keys.push_back(isForwardKnown ? graph.measuredStartNs[step.forwards[p].value]
                                      : -static_cast<std::int64_t>(p));
    return placesOf(keys);
}

GradientPlan
tensorsAlone(const PlanRequest &request,
             const std::function<std::vector<std::int32_t>(const GradientStep &)> &prioritiesOf)
{
    const Graph &graph = *request.graph;
    GradientPlan plan;
    plan.creditBytes = request.limits.creditBytes;
    plan.waitsForOwnTensors = true;
    for (const auto &[iteration, ranks] : stepsOf(graph, wholeIterations(graph))) {
        const std::vector<std::int32_t> priorities = prioritiesOf(*ranks.front());
        std::vector<GradientGroup> &groups = plan.iterations[iteration];
        groups.reserve(priorities.size());
        for (std::size_t p = 0; p < priorities.size(); ++p)
            groups.push_back({ p, 1, request.limits.partitionBytes, priorities[p] });
    }
    return plan;
}

GradientPlan forwardPlan(const PlanRequest &request)
{
    GradientPlan plan = tensorsAlone(request, [&request](const GradientStep &step) {
        return forwardOrder(*request.graph, step);
    });
    plan.isByPriority = true;
    return plan;
}

GradientPlan readinessPlan(const PlanRequest &request)
{
    return tensorsAlone(request, [](const GradientStep &step) {
        return std::vector<std::int32_t>(step.parameterBytes.size(), 0);
    });
}

GradientPlan randomPlan(const PlanRequest &request)
{
    GradientPlan plan = tensorsAlone(request, [&request](const GradientStep &step) {
        return shuffledPlaces(step.parameterBytes.size(), request.seed);
    });
    plan.isByPriority = true;
    return plan;
}

std::vector<std::int32_t> shuffledPlaces(std::size_t count, std::uint64_t seed)
{
    std::vector<std::int32_t> places(count);
    std::iota(places.begin(), places.end(), 0);
    std::mt19937_64 random(seed);
    for (std::size_t i = count; i > 1; --i)
        std::swap(places[i - 1], places[random() % i]);
    return places;
}

} // namespace core
