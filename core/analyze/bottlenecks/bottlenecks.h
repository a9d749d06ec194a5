#pragma once

#include "core/analyze/diagnosis.h"
#include "core/base/job_control.h"
#include "core/graph/graph.h"
#include "core/model/trace.h"
#include "core/predict/predictor.h"

#include <memory>
#include <string>
#include <vector>

namespace core {

/// The parts of the diagnosis made so far, in which causes are looked for.
struct BottleneckInput
{
    const Trace &trace;
    std::shared_ptr<const Graph> graph;
    Predictor &predictor; ///< of that graph
    const Diagnosis &diagnosis; ///< all but bottlenecks and verdict are filled
};

/// Bottleneck::kind of rare slow iterations.
inline constexpr std::string_view SlowIterationsKind = "slow-iterations";

/// Causes that cost at least 1 % of an iteration, largest gain first. A gain is the self-replay's
/// time minus that of the what-if that removes just this cause (Bottleneck::strategy). The gain of
/// SlowIterationsKind is measured: the loss of the mean iteration. Where a cause cannot be removed
/// altogether in practice, evidence says that the gain is an upper bound.
std::vector<Bottleneck> findBottlenecks(const BottleneckInput &input, const JobControl &control);

struct Verdict
{
    std::string sentence;
    std::vector<std::string> remarks; ///< sentences
    std::string kind; ///< Bottleneck::kind of its cause; empty: none
};

/// The cause that holds everything else up, in this order:
/// - rare slow iterations, if they lose more than any gain;
/// - a rank, link or group that clearly makes the others wait; the largest gain is a remark then;
/// - the bottleneck with the largest gain.
/// A rank that is late for a known reason, but without a predicted gain, is the last remark.
Verdict verdictOf(const BottleneckInput &input, const std::vector<Bottleneck> &bottlenecks);

} // namespace core
