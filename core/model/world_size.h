#pragma once

#include "core/model/trace.h"

#include <optional>
#include <span>

namespace core {

/// How many ranks the job has, as most workers state; of equally frequent sizes the smallest.
/// Absent where none states it.
std::optional<int> statedWorldSize(std::span<const Worker> workers);
std::optional<int> statedWorldSize(const Trace &trace);

/// Does the worker state another size than most? Then its trace is of another job.
bool isOfOtherJob(const Worker &worker, std::optional<int> worldSize);

} // namespace core
