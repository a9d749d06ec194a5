#pragma once

#include "core/optimize/search.h"

#include <cstdint>
#include <optional>
#include <string>

namespace core {

/// A schedule with its sizes; those that are not given are its defaults.
struct ScheduledSizes
{
    std::string schedule; ///< its name
    std::optional<std::uint64_t> partitionBytes = {}, creditBytes = {};
};

/// Why the trace does not support a schedule; empty where it does.
std::optional<std::string> scheduleObstacle(const Search &search, const std::string &schedule);

/// Proposes it on top of `start`, as `text` ("P3 with partitions of 256 KiB"). The predicted
/// iteration, ns; empty where the trace does not support it.
std::optional<std::int64_t> proposeSchedule(Search &search, const Strategy &start,
                                            const ScheduledSizes &sizes, const std::string &text,
                                            const std::string &reason);

/// The reason for sizes of a grid.
inline constexpr const char *EverySize = "every size of a grid is tried";

} // namespace core
