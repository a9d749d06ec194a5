#pragma once

#include "core/base/time_range.h"
#include "core/model/trace.h"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace core {

/// The numbered steps of one worker, in its raw clock, by number.
using StepMarks = std::map<std::int64_t, TimeRange>;

/// n of "ProfilerStep#n", the mark of torch.profiler; absent for any other name.
std::optional<std::int64_t> profilerStepNumber(std::string_view name);

/// The steps that the sources number themselves, by WorkerId: those of trace.iterations that are
/// stated, else the ProfilerStep#n marks on host threads. The same number is the same step on
/// every rank of a job. Empty for workers without such marks.
std::vector<StepMarks> stepMarks(const Trace &trace);

/// False where nothing in the trace tells steps apart, so that `iterations` holds the whole
/// recording of each worker as one.
bool hasKnownIterations(std::span<const Track> tracks, std::span<const Iteration> iterations);
bool hasKnownIterations(const Trace &trace);

} // namespace core
