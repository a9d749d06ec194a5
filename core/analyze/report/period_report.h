#pragma once

#include "core/analyze/diagnosis.h"
#include "core/measure/typical_iteration.h"
#include "core/model/trace.h"

#include <optional>
#include <string>
#include <vector>

namespace core {

/// Times of the kinds of iterations that repeat (Trace::compared); empty where none do.
std::optional<PeriodReport> periodReport(const Trace &trace, std::int64_t measuredNs);

/// Whether the slower iterations are those of some kinds of the period, and such that follow them,
/// in which the other ranks wait for one that was busy.
bool areKinds(const IterationGroups &groups, const PeriodReport &period);

/// "Iterations repeat with a period of 4: 9 take 30.00 ms, 3 take 55.00 ms (medians). Figures are
/// the mean over a period: 36.25 ms."
std::string periodText(const PeriodReport &period);

/// "Every 4th iteration has all_reduce (20.00 ms) and optimizer (5.000 ms).", one sentence for each
/// kind but the usual one.
std::vector<std::string> kindTexts(const PeriodReport &period);

/// "mean over a period of 4 iterations", of periods of one "median iteration".
std::string typicalWords(std::size_t periodLength);

} // namespace core
