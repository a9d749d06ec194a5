#pragma once

#include "core/analyze/diagnosis.h"
#include "core/measure/own_work.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// Which rank makes the slower ones of `diagnosis.iterationGroups` slow, which has to be known, and
/// what it does in them for longer than in the others: the rank that others wait for by half of the
/// difference or more, by `diagnosis.collectives`; else the one of whose own work a part takes so
/// much longer, or, where the others' do too, what it is (SlowIterationsCause::isOfOneRank). Empty
/// where there is none. `delays` are delayParts() of the graph.
std::optional<SlowIterationsCause> slowIterationsCause(const Trace &trace, const Graph &graph,
                                                       const std::vector<DelayParts> &delays,
                                                       const Diagnosis &diagnosis);

/// "Iteration 4"; "2 of 8 iterations", of several slower ones.
std::string slowIterationsText(const IterationGroups &groups);

/// What slower iterations that are fewer than half lose in the mean iteration: so much longer than
/// a usual one it is. Predictions for the median iteration say nothing of it. 0 where there are no
/// such iterations.
std::int64_t rareSlowIterationsLossNs(const std::optional<IterationGroups> &groups);
/// Of the mean iteration.
double lossFraction(const IterationGroups &groups, std::int64_t lossNs);

/// "the other ranks wait for rank 1 for 400.1 ms in each of them, as its aten::save takes ...".
std::string slowIterationsCauseText(const SlowIterationsCause &cause,
                                    const IterationGroups &groups);

} // namespace core
