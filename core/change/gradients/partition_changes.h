#pragma once

#include "core/change/change.h"
#include "core/change/gradients/schedule.h"

#include <optional>

namespace core {

/// How gradients are to be sent; an absent field leaves that open.
struct PartitionChanges
{
    std::optional<Schedule> schedule;
    std::optional<double> partitionBytes; ///< of a partition
    std::optional<double> creditBytes; ///< of partitions under way at once

    bool isEmpty() const { return !schedule && !partitionBytes && !creditBytes; }
    /// Gradients are sent in partitions, not in buckets.
    bool arePartitioned() const { return schedule && *schedule != Schedule::Wfbp; }
};

PartitionChanges partitionChanges(const Strategy &strategy);

} // namespace core
