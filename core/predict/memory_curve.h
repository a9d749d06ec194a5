#pragma once

#include "core/fit/links/link_use.h"
#include "core/model/trace.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// Sum that stays within what the type holds: a stranger's file may say anything.
std::int64_t cappedSum(std::int64_t a, std::int64_t b);

/// Bytes allocated before the first of one device's events, which are by time; absent where no
/// event says a total. Bytes.
std::optional<std::int64_t> allocatedBefore(const std::vector<MemoryEvent> &events);

/// Bytes allocated on one device of a worker over time.
struct MemoryCurve
{
    std::optional<int> device; ///< absent: the host's memory, of a worker without accelerators
    std::vector<UseStep> steps; ///< bytes, aligned, from the first to the last event
    UseStep peak; ///< the first time at which the most was allocated
};

/// Curves of a worker's devices, in their order. `events`: all of the worker, by time. Devices of
/// which no event says a total have none.
std::vector<MemoryCurve> memoryCurves(const std::vector<MemoryEvent> &events, const Trace &trace,
                                      WorkerId worker);

} // namespace core
