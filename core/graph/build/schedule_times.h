#pragma once

#include "core/graph/collectives/collective_schedule.h"

#include <cstdint>
#include <span>
#include <vector>

namespace core {

/// One end of a member's link: what it sends, or what it receives from many.
struct LinkEnd
{
    std::uint32_t member = 0;
    bool isReceiving = false;
    friend bool operator==(const LinkEnd &, const LinkEnd &) = default;
    friend auto operator<=>(const LinkEnd &, const LinkEnd &) = default;
};

/// The end that the transfer keeps busy.
LinkEnd linkEndOf(const ChunkTransfer &transfer);

/// When the transfers of a schedule take place if all ranks are ready at 0 and nothing else uses
/// their links.
struct ScheduleTimes
{
    std::vector<double> start, end; ///< by transfer, in the unit of the costs
    std::vector<std::uint32_t> order; ///< transfers as they start
    /// By transfer: the one before it on its end of the link, or its own index if it is the first.
    std::vector<std::uint32_t> before;
    double makespan = 0;
};

/// `cost` by transfer: how long it keeps its end of the link busy. Each end sends one at a time, in
/// the order in which transfers become ready.
ScheduleTimes scheduleTimes(const CollectiveSchedule &schedule, std::span<const double> cost);

} // namespace core
