#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace core {

/// One call of a rank in a sequence of interchangeable calls (same group, kind and size). Raw clock
/// of the rank.
struct TimedCall
{
    std::size_t call = 0; ///< index into trace.collectives or trace.transfers
    std::int64_t startNs = 0;
    std::int64_t endNs = 0;
};

/// Calls of one kind and size, in order of their start.
using CallSequence = std::vector<TimedCall>;

/// How far apart two differences of times are; those of a damaged trace exceed 64 bits.
inline double distanceNs(std::int64_t a, std::int64_t b)
{
    return std::abs(static_cast<double>(a) - static_cast<double>(b));
}

/// What is known of the offset between two clocks (other - reference) before calls are matched.
struct OffsetWindow
{
    std::int64_t middleNs = 0;
    std::int64_t reachNs = 0; ///< to both sides

    bool contains(std::int64_t offsetNs) const
    {
        return distanceNs(offsetNs, middleNs) <= static_cast<double>(reachNs);
    }
};

/// Which call of `other` belongs to which of `reference`, for every class of interchangeable calls:
/// result[class][i] is the row in reference[class] of other[class][i], empty where it has none.
///
/// Either rank may have begun recording later, ended earlier, or lost calls in between, and the
/// offset between the clocks is unknown and may be hours. All calls of one rank pair share that
/// offset, so the right matching is the one whose end differences agree: each shift of the
/// sequences against each other proposes an offset, and the offset with which the alignments of all
/// classes cost least wins (a call without partner costs 1, a matched pair its distance from the
/// offset). Steps of equal length look alike to this: where steps are numbered, `window` leaves out
/// the offsets that pair different steps. If then no shift is left, its middle is the offset.
std::vector<std::vector<std::optional<std::size_t>>>
matchSequences(const std::vector<CallSequence> &reference, const std::vector<CallSequence> &other,
               const std::optional<OffsetWindow> &window = {});

} // namespace core
