#pragma once

#include "core/base/time_range.h"
#include "core/project/read/project_reader.h"

#include <array>
#include <bit>
#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <vector>

// Levels of detail of a track. A bin is one slice of any length, or a run of neighbours of one
// depth that together span at most the level's width, a power of two.

namespace core {

constexpr std::size_t TopLevelBins = 2048; ///< no level above one with fewer bins than this

/// How many slices there are of every duration, by powers of two.
class DurationCounts
{
public:
    void add(std::int64_t durationNs)
    {
        ++m_counts[static_cast<std::size_t>(std::bit_width(std::uint64_t(durationNs)))];
    }
    /// A power of two that at least half of the durations reach; 0 where that is less than 1 ns.
    std::int64_t medianAtLeastNs() const;

private:
    std::array<std::uint64_t, 65> m_counts {}; ///< by bit width
};

/// Finds out which levels a track needs, from its slices in order: counts the bins of every width
/// that may serve. Each level has at most half as many bins as the one before (the first: as
/// slices), so all together have fewer bins than the track has slices.
class LevelPlanner
{
public:
    /// range: of all slices. shortestNs: DurationCounts::medianAtLeastNs(); bins that are narrower
    /// than half of the slices cannot halve their number.
    LevelPlanner(TimeRange range, std::int64_t shortestNs);

    void add(std::int64_t startNs, std::int64_t endNs, std::uint8_t depth);
    /// Widths of the levels, finest first.
    std::vector<std::int64_t> widthsNs() const;

private:
    std::size_t m_widths; ///< how many, from m_firstWidthNs on, each twice the one before
    std::int64_t m_firstWidthNs;
    std::uint64_t m_slices = 0;
    std::vector<std::uint64_t> m_bins; ///< [widths]
    std::vector<std::uint64_t> m_binStartNs; ///< [depths x widths]: of the bin that is being filled
};

/// One slice as the levels see it.
struct LevelSlice
{
    std::int64_t startNs, endNs;
    std::uint64_t row; ///< in the track
    Category category;
    Phase phase;
    std::uint8_t depth;
};

/// Makes the bins of one level from the slices of a track in order.
class LevelBuilder
{
public:
    using Take = std::function<void(const LevelBin &)>;

    explicit LevelBuilder(std::int64_t widthNs);

    /// take: gets the bins that are full, by start.
    void add(const LevelSlice &slice, const Take &take);
    void finish(const Take &take);
    std::int64_t widthNs() const { return static_cast<std::int64_t>(m_widthNs); }

private:
    /// The bin that is being filled at one depth.
    struct OpenBin
    {
        LevelBin bin;
        std::int64_t longestNs = 0;
        std::uint64_t number = 0; ///< of all bins, by start
        bool isOpen = false;
    };
    /// A bin that waits for those that began before it.
    struct WaitingBin
    {
        std::int64_t startNs = 0;
        std::uint8_t depth = 0;
        std::optional<LevelBin> full; ///< empty: it still is the open one of its depth
    };
    void close(OpenBin &open);
    void takeFull(std::int64_t nowNs, const Take &take);

    std::uint64_t m_widthNs;
    std::vector<OpenBin> m_open; ///< [depths]
    std::deque<WaitingBin> m_waiting; ///< by start
    std::uint64_t m_taken = 0; ///< bins before those of m_waiting
};

} // namespace core
