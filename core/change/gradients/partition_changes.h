#pragma once

#include "core/change/change.h"
#include "core/change/gradients/schedule.h"

#include <cstdint>
#include <optional>

namespace core {

/// How gradients are to be sent; an absent field leaves that open.
struct PartitionChanges
{
    std::optional<Schedule> schedule;
    std::optional<double> partitionBytes; ///< of a partition
    std::optional<double> creditBytes; ///< of partitions under way at once
    std::uint64_t seed = 0; ///< of Schedule::Random

    /// Gradients are sent otherwise than the job does.
    bool isAnySchedule() const { return schedule && *schedule != Schedule::Wfbp; }
    bool isEmpty() const { return !schedule && !partitionBytes && !creditBytes; }
    /// Gradients are sent by themselves, in partitions or whole, not in buckets.
    bool arePartitioned() const { return schedule && traitsOf(*schedule).isByTensor; }
};

PartitionChanges partitionChanges(const Strategy &strategy);

} // namespace core
