#pragma once

#include "core/align/clock_evidence.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace core {

/// What a fit may find: crystals keep within 1e-4, systems slew their clocks by 5e-4 at most (NTP).
/// What runs away faster is no clock: its drift stays not known.
inline constexpr double LargestDrift = 5e-4;
/// Offsets beyond this (63 years) are damage: the worker counts as untied.
inline constexpr std::int64_t LargestOffsetNs = 2'000'000'000'000'000'000;

/// What is added to a worker's clock to bring it to the reference's: offsetNs + drift * (raw -
/// originNs).
struct ClockOffset
{
    std::int64_t offsetNs = 0;
    double driftPpm = 0;
    std::int64_t originNs = 0; ///< first of the worker's times that take part; raw
    std::int64_t uncertaintyNs = 0; ///< half width of the 95 % interval; 0 for the reference
    bool isAsRecorded = false; ///< the clock agrees with the reference's within the uncertainty
    /// Of the drift, where messages bound it (the uncertainty is then over all that they leave
    /// open), or where the ends of collectives prove it.
    std::optional<DriftRange> driftRange = std::nullopt;
};

struct ClockSolution
{
    /// By worker; empty for those that nothing ties to the reference.
    std::vector<std::optional<ClockOffset>> workers;
    std::vector<ClockContradiction> contradictions; ///< largest first
};

/// dPRO §4.2 and beyond it: an offset for every worker, a drift for every host where the trace is
/// long and exact enough to show one.
/// 1. A first guess from pairs of workers (first_guess.h).
/// 2. Where collectives' ends tie them: offsets and drifts of joint_ends.h. Where only messages do:
///    message_clock.h, as recorded where they allow it.
/// 3. Bounds from cause and effect (clock_bounds.h): the clocks move as little as satisfies them.
/// 4. O2 of the paper: clocks that agree within what the data can tell are one clock. A worker
///    whose 95 % interval holds 0 keeps its times as recorded, and one of the reference's host
///    unless that is impossible; workers of another `host` get one offset if it lies in the
///    intervals of all.
/// `hosts` by worker, empty where unknown.
ClockSolution solveOffsets(const ClockEvidence &evidence, const std::vector<std::string> &hosts,
                           std::size_t reference, const JobControl &control);

/// How many (collective, i, j) have i entering after j has left, and messages that arrive before
/// they were sent, with these clocks (unknown: as recorded).
std::uint64_t countViolations(const ClockEvidence &evidence,
                              const std::vector<std::optional<ClockOffset>> &workers);

} // namespace core
