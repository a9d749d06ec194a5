#include "core/project/write/pyramid.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::int64_t FirstWidthNs = 256;
    constexpr std::int64_t LastWidthNs = std::int64_t(1) << 50; // 13 days
    constexpr std::size_t Depths = 256;
    /// Bins that wait for an earlier one; only slices that all begin at once can be more.
    constexpr std::size_t MostWaiting = 1 << 16;
    /// Later than any time by more than the last width, modulo 2^64: no slice fits into that bin.
    constexpr std::uint64_t NeverNs = std::uint64_t(1) << 63;

    /// Times may lie further apart than a signed number can say.
    std::uint64_t distanceNs(std::int64_t fromNs, std::int64_t toNs)
    {
        return static_cast<std::uint64_t>(toNs) - static_cast<std::uint64_t>(fromNs);
    }

    void mergeInto(LevelBin &bin, const LevelSlice &next)
    {
        // Neighbours of one depth may overlap by rounding; a bin is never busy for longer than it
        // is.
        const std::int64_t sharedNs = std::max<std::int64_t>(0, bin.endNs - next.startNs);
        bin.busyNs += std::max<std::int64_t>(0, next.endNs - next.startNs - sharedNs);
        bin.endNs = std::max(bin.endNs, next.endNs);
        ++bin.count;
    }

} // namespace

std::int64_t DurationCounts::medianAtLeastNs() const
{
    std::uint64_t all = 0, shorter = 0;
    for (const std::uint64_t count : m_counts)
        all += count;
    for (std::size_t width = 0; width < m_counts.size(); ++width) {
        shorter += m_counts[width];
        if (shorter * 2 >= all)
            return width == 0 ? 0 : std::int64_t(1) << std::min<std::size_t>(width - 1, 62);
    }
    return 0;
}

LevelPlanner::LevelPlanner(TimeRange range, std::int64_t shortestNs)
    : m_firstWidthNs(std::clamp(shortestNs, FirstWidthNs, LastWidthNs))
{
    m_widths = 1;
    const std::uint64_t allNs = distanceNs(range.startNs, range.endNs);
    for (std::int64_t widthNs = m_firstWidthNs; widthNs < LastWidthNs; widthNs *= 2)
        if (static_cast<std::uint64_t>(widthNs) < allNs)
            ++m_widths;
    m_bins.assign(m_widths, 0);
    m_binStartNs.assign(m_widths * Depths, NeverNs);
}

void LevelPlanner::add(std::int64_t startNs, std::int64_t endNs, std::uint8_t depth)
{
    ++m_slices;
    std::uint64_t *binStartNs = m_binStartNs.data() + depth * m_widths;
    std::uint64_t *bins = m_bins.data();
    auto widthNs = static_cast<std::uint64_t>(m_firstWidthNs);
    const std::uint64_t durationNs = distanceNs(startNs, endNs);
    for (std::size_t i = 0; i < m_widths; ++i, widthNs *= 2) {
        const bool isNew = static_cast<std::uint64_t>(endNs) - binStartNs[i] > widthNs;
        // A slice that is longer than the width has a bin of its own.
        const std::uint64_t newStartNs
            = durationNs > widthNs ? NeverNs : static_cast<std::uint64_t>(startNs);
        bins[i] += isNew ? 1 : 0;
        binStartNs[i] = isNew ? newStartNs : binStartNs[i];
    }
}

std::vector<std::int64_t> LevelPlanner::widthsNs() const
{
    std::vector<std::int64_t> widths;
    std::uint64_t below = m_slices;
    for (std::size_t i = 0; i < m_widths && below > TopLevelBins; ++i) {
        if (m_bins[i] > below / 2)
            continue;
        widths.push_back(m_firstWidthNs << i);
        below = m_bins[i];
    }
    return widths;
}

LevelBuilder::LevelBuilder(std::int64_t widthNs)
    : m_widthNs(static_cast<std::uint64_t>(widthNs))
    , m_open(Depths)
{
}

void LevelBuilder::add(const LevelSlice &slice, const Take &take)
{
    const std::int64_t durationNs = slice.endNs - slice.startNs;
    OpenBin &open = m_open[slice.depth];
    // Slices of one depth overlap where they nest deeper than depths are told apart.
    if (open.isOpen
        && distanceNs(open.bin.startNs, std::max(open.bin.endNs, slice.endNs)) <= m_widthNs) {
        mergeInto(open.bin, slice);
        if (durationNs > open.longestNs) {
            open.longestNs = durationNs;
            open.bin.longest = slice.row;
            open.bin.category = slice.category;
            open.bin.phase = slice.phase;
        }
        return;
    }
    if (open.isOpen)
        close(open);
    takeFull(slice.startNs, take);
    open.bin = { slice.startNs, slice.endNs,    durationNs,  1,
                 slice.row,     slice.category, slice.phase, slice.depth };
    open.longestNs = durationNs;
    open.number = m_taken + m_waiting.size();
    open.isOpen = true;
    m_waiting.push_back({ slice.startNs, slice.depth, {} });
}

void LevelBuilder::close(OpenBin &open)
{
    m_waiting[open.number - m_taken].full = open.bin;
    open.isOpen = false;
}

void LevelBuilder::takeFull(std::int64_t nowNs, const Take &take)
{
    while (!m_waiting.empty()) {
        const WaitingBin &first = m_waiting.front();
        const bool isOver = distanceNs(first.startNs, nowNs) > m_widthNs; // nothing fits any more
        if (!first.full && !isOver && m_waiting.size() < MostWaiting)
            return;
        if (!first.full)
            close(m_open[first.depth]);
        take(*first.full);
        m_waiting.pop_front();
        ++m_taken;
    }
}

void LevelBuilder::finish(const Take &take)
{
    for (OpenBin &open : m_open)
        if (open.isOpen)
            close(open);
    for (const WaitingBin &waiting : m_waiting)
        take(*waiting.full);
    m_taken += m_waiting.size();
    m_waiting.clear();
}

} // namespace core
