#pragma once

#include "core/graph/graph.h"
#include "core/model/trace.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace core {

/// The iterations that show DDP's reduction on every rank, with all its buckets. Only in these can
/// gradients be reduced another way. The graph has gradient steps.
struct WholeIterations
{
    std::vector<std::int32_t> whole;
    /// The others, but those at whose position in the period the job never reduces: micro-steps,
    /// evaluations.
    std::vector<std::int32_t> unfit;
    std::size_t fitSteps = 0; ///< rank iterations that show it

    /// True: all are whole, or more than half and at least two.
    bool areEnough() const;
    bool contains(std::int32_t iteration) const;
    /// True: some whole iteration follows a whole one, and has its left-over partitions.
    bool hasTwoInARow() const;
};

WholeIterations wholeIterations(const Graph &graph);

/// The first step of a whole iteration, whose tensors and buckets are the usual ones; null where
/// there is none.
const GradientStep *usualStep(const Graph &graph);
/// Numbers of tensors of a step's buckets, in the order in which they are reduced.
std::vector<std::size_t> bucketCountsOf(const GradientStep &step);

/// The steps of all ranks in one iteration, by rank; their parameters have the same order.
using RankSteps = std::vector<const GradientStep *>;
using StepsByIteration = std::map<std::int32_t, RankSteps>;

/// The graph's steps in the whole iterations.
StepsByIteration stepsOf(const Graph &graph, const WholeIterations &iterations);

/// The note on iterations that the prediction leaves out, and why: "1 of 12 iterations (number 7)
/// stays as measured and ...". Empty where all are whole. Numbers are the trace's.
std::string leftOutText(const WholeIterations &iterations, const Graph &graph, const Trace &trace);

/// The note on `kept` iterations that leftOutText() does not name: "Iteration 8 follows one that
/// stays as measured ...". Empty where there are none.
std::string followingText(const std::vector<std::int32_t> &kept, const Graph &graph,
                          const Trace &trace);

} // namespace core
