#include "core/project/pyramid.h"

#include <algorithm>
#include <array>

namespace core {

namespace {

    constexpr std::int64_t FirstWidthNs = 256;
    constexpr std::int64_t LastWidthNs = std::int64_t(1) << 50; // 13 days
    constexpr std::size_t Depths = 256;

    /// Bins of single slices.
    class SliceSource
    {
    public:
        explicit SliceSource(const SliceColumns &slices)
            : m_slices(slices)
        {
        }
        std::size_t size() const { return m_slices.size(); }
        std::int64_t startNs(std::size_t i) const { return m_slices.startNs[i]; }
        std::int64_t endNs(std::size_t i) const { return m_slices.endNs(i); }
        std::uint8_t depth(std::size_t i) const { return m_slices.depth[i]; }
        LevelBin bin(std::size_t i) const
        {
            return {
                startNs(i),        endNs(i), m_slices.durationNs[i], 1, i, m_slices.category[i],
                m_slices.phase[i], depth(i)
            };
        }

    private:
        const SliceColumns &m_slices;
    };

    /// Bins of the level below.
    class BinSource
    {
    public:
        explicit BinSource(const std::vector<LevelBin> &bins)
            : m_bins(bins)
        {
        }
        std::size_t size() const { return m_bins.size(); }
        std::int64_t startNs(std::size_t i) const { return m_bins[i].startNs; }
        std::int64_t endNs(std::size_t i) const { return m_bins[i].endNs; }
        std::uint8_t depth(std::size_t i) const { return m_bins[i].depth; }
        const LevelBin &bin(std::size_t i) const { return m_bins[i]; }

    private:
        const std::vector<LevelBin> &m_bins;
    };

    /// The bin being filled at every depth.
    struct OpenBins
    {
        std::array<std::int64_t, Depths> startNs {};
        std::array<bool, Depths> isOpen {};

        /// Does [.., endNs) at this depth still fit in its bin? If not, begins a new bin.
        bool fits(std::uint8_t depth, std::int64_t fromNs, std::int64_t endNs, std::int64_t widthNs)
        {
            if (isOpen[depth] && endNs - startNs[depth] <= widthNs)
                return true;
            isOpen[depth] = true;
            startNs[depth] = fromNs;
            return false;
        }
    };

    template <class Source>
    std::size_t countBins(const Source &source, std::int64_t widthNs)
    {
        OpenBins open;
        std::size_t bins = 0;
        for (std::size_t i = 0; i < source.size(); ++i)
            bins += open.fits(source.depth(i), source.startNs(i), source.endNs(i), widthNs) ? 0 : 1;
        return bins;
    }

    void mergeInto(LevelBin &bin, const LevelBin &next, const SliceColumns &slices)
    {
        // Neighbours of one depth may overlap by rounding; a bin is never busy for longer than it
        // is.
        const std::int64_t sharedNs = std::max<std::int64_t>(0, bin.endNs - next.startNs);
        bin.busyNs += std::max<std::int64_t>(0, next.busyNs - sharedNs);
        bin.endNs = std::max(bin.endNs, next.endNs);
        bin.count += next.count;
        if (slices.durationNs[next.longest] > slices.durationNs[bin.longest]) {
            bin.longest = next.longest;
            bin.category = next.category;
            bin.phase = next.phase;
        }
    }

    template <class Source>
    std::vector<LevelBin> mergeBins(const Source &source, std::int64_t widthNs, std::size_t count,
                                    const SliceColumns &slices)
    {
        OpenBins open;
        std::array<std::size_t, Depths> current {};
        std::vector<LevelBin> bins;
        bins.reserve(count);
        for (std::size_t i = 0; i < source.size(); ++i) {
            const std::uint8_t depth = source.depth(i);
            if (open.fits(depth, source.startNs(i), source.endNs(i), widthNs)) {
                mergeInto(bins[current[depth]], source.bin(i), slices);
            } else {
                current[depth] = bins.size();
                bins.push_back(source.bin(i));
            }
        }
        return bins;
    }

    /// The next level that has at most half the bins of the source; no bins if there is none.
    template <class Source>
    Level nextLevel(const Source &source, std::int64_t fromWidthNs, const SliceColumns &slices)
    {
        for (std::int64_t widthNs = fromWidthNs; widthNs <= LastWidthNs; widthNs *= 2) {
            const std::size_t count = countBins(source, widthNs);
            if (count <= source.size() / 2)
                return { widthNs, mergeBins(source, widthNs, count, slices) };
        }
        return {};
    }

} // namespace

std::vector<Level> buildPyramid(const SliceColumns &slices)
{
    std::vector<Level> levels;
    if (slices.size() <= TopLevelBins)
        return levels;
    levels.push_back(nextLevel(SliceSource(slices), FirstWidthNs, slices));
    while (levels.back().bins.size() > TopLevelBins) {
        const Level &below = levels.back();
        Level level = nextLevel(BinSource(below.bins), below.widthNs * 2, slices);
        levels.push_back(std::move(level));
    }
    if (levels.back().bins.empty())
        levels.pop_back();
    return levels;
}

} // namespace core
