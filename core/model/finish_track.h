#pragma once

#include "core/model/trace.h"

#include <algorithm>
#include <array>

namespace core {

/// Starts and ends of neighbours in a source may disagree by its rounding; overlaps up to this much
/// are not overlaps.
constexpr std::int64_t TouchToleranceNs = 1000;

/// The order of the slices of a track: by start, longest first. For anything with a startNs and a
/// durationNs.
template <class A, class B>
bool isBefore(const A &a, const B &b)
{
    return a.startNs != b.startNs ? a.startNs < b.startNs : a.durationNs > b.durationNs;
}

struct DepthReport
{
    std::uint32_t depthCount = 0; ///< rows needed: largest depth + 1
    std::uint64_t overlapping = 0; ///< slices that overlap another without nesting in it
    std::uint64_t tooDeep = 0; ///< slices put on the last depth (255) for want of more
};

/// Finds the depth of slices that come in their track's order: one more than the innermost slice
/// around it, or the next free depth below where neighbours overlap without nesting.
///
///     |---------- 0 ----------|  |-- 0 --|       touching within TouchToleranceNs is no overlap
///       |-- 1 --||--- 1 ---|         |-- 1 --|   overlaps without nesting: next free depth
///         |-2-|
class DepthAssigner
{
public:
    /// Depth of the next slice.
    std::uint8_t place(std::int64_t startNs, std::int64_t endNs);
    const DepthReport &report() const { return m_report; }

private:
    static constexpr std::size_t MaxDepths = 256;

    void popClosed(std::int64_t startNs, std::int64_t endNs);
    void occupy(std::size_t depth, std::int64_t endNs);

    std::array<std::int64_t, MaxDepths> m_endNs {}; ///< of the last slice of every depth
    std::size_t m_count = 0; ///< depths that may be open
    DepthReport m_report;
};

/// The kind of a finished track: a host thread on which nothing but communication ran is a
/// Communication track.
inline TrackKind finishedKind(TrackKind kind, bool onlyCommunicates)
{
    return kind == TrackKind::HostThread && onlyCommunicates ? TrackKind::Communication : kind;
}

} // namespace core
