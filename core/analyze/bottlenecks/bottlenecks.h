#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/predictor.h"

#include <memory>
#include <vector>

namespace core {

/// What the causes are looked for in: the parts of the diagnosis made so far.
struct BottleneckInput
{
    const Trace &trace;
    std::shared_ptr<const Graph> graph;
    Predictor &predictor; ///< of that graph
    const Diagnosis &diagnosis; ///< all but bottlenecks and verdict are filled
};

/// Bottleneck::kind of rare slow iterations.
inline constexpr std::string_view SlowIterationsKind = "slow-iterations";

/// Causes that cost at least 1 % of an iteration, largest gain first. The gain of each is the
/// difference between the self-replay and the what-if that removes just this cause
/// (Bottleneck::strategy), as Predictor::predict() has both, and of SlowIterationsKind, which no
/// replay of the median iteration has, what they lose in the mean iteration as measured; where the
/// cause cannot be removed altogether in practice, evidence says that it is an upper bound.
std::vector<Bottleneck> findBottlenecks(const BottleneckInput &input, const JobControl &control);

/// What holds everything else up: rare iterations that lose more than all gain (see
/// slowIterationsVerdict()) come first; then the bottleneck with the largest gain, or a rank or its
/// link that clearly makes the others wait, followed by the former. A rank whose lateness is clear
/// and explained, but of which no gain is predicted, is told last.
std::string verdictOf(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks);

} // namespace core
