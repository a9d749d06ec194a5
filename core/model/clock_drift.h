#pragma once

#include "core/model/clocks.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace core {

/// What is said of a clock's drift against the reference's. One that was not proved is applied as
/// 0, or as the middle of what messages allow, which is not known to be the true one.
struct ClockDrift
{
    std::optional<double> ppm = std::nullopt; ///< absent: not known
    /// Where it is not known: no more, either way; else how far it may be off.
    std::optional<double> mostPpm = std::nullopt;
    std::optional<DriftRange> range
        = std::nullopt; ///< that holds the true one, where messages or collectives tell
};

/// A larger bound tells nothing: a crystal keeps within 100 ppm, and a system slews its clock by
/// 500 more.
inline constexpr double LargestToldDriftPpm = 600;

/// By worker of `report`. Known where it was proved (what bounds it does not allow 0), and
/// where two ranks have one clock: one host, one file. Else it moves the ends of the worker's
/// iterations by no more than its offset may be off.
std::vector<ClockDrift> clockDrifts(const AlignmentReport &report,
                                    const std::vector<Worker> &workers, const ClocksByHand &byHand,
                                    std::span<const Iteration> iterations);

/// In ppm: "+34.5"; "+34.5 (+-4)"; "not known"; "not known (+-40)".
std::string driftText(const ClockDrift &drift);

} // namespace core
