#include "core/project/read/window.h"

#include <algorithm>

namespace core {

namespace {

    constexpr std::size_t FewRows = 2000; ///< a window with no more slices is read exactly

    /// A slice that lasts no time is where it starts.
    bool overlaps(std::int64_t startNs, std::int64_t endNs, TimeRange range)
    {
        return startNs < range.endNs && (endNs > range.startNs || startNs >= range.startNs);
    }

    /// The chunks whose own rows start in `range`, and before them the last chunk that begins
    /// before it: everything older that reaches into the range is carried over into that one.
    template <class Chunk>
    std::span<const Chunk> chunksAround(std::span<const Chunk> chunks, TimeRange range)
    {
        const auto startsBefore
            = [](const Chunk &chunk, std::int64_t ns) { return chunk.minStartNs < ns; };
        auto from = std::lower_bound(chunks.begin(), chunks.end(), range.startNs, startsBefore);
        const auto to = std::lower_bound(from, chunks.end(), range.endNs, startsBefore);
        if (from != chunks.begin())
            --from;
        return chunks.subspan(static_cast<std::size_t>(from - chunks.begin()),
                              static_cast<std::size_t>(to - from));
    }

    void appendRow(const SliceColumns &from, std::size_t row, SliceId id, TrackWindow &window)
    {
        SliceColumns &to = window.slices;
        window.ids.push_back(id);
        to.startNs.push_back(from.startNs[row]);
        to.durationNs.push_back(from.durationNs[row]);
        to.name.push_back(from.name[row]);
        to.category.push_back(from.category[row]);
        to.phase.push_back(from.phase[row]);
        to.depth.push_back(from.depth[row]);
    }

    void appendCarried(const HotChunk &hot, TimeRange range, TrackWindow &window)
    {
        for (std::size_t row = 0; row < hot.carried.ids.size(); ++row)
            if (overlaps(hot.carried.slices.startNs[row], hot.carried.slices.endNs(row), range))
                appendRow(hot.carried.slices, row, hot.carried.ids[row], window);
    }

    /// Own rows of a chunk that overlap the range.
    void appendOwn(const HotChunk &hot, TimeRange range, TrackWindow &window)
    {
        const SliceColumns &slices = hot.slices;
        const auto end
            = std::lower_bound(slices.startNs.begin(), slices.startNs.end(), range.endNs);
        const auto rows = static_cast<std::size_t>(end - slices.startNs.begin());
        for (std::size_t row = 0; row < rows; ++row)
            if (overlaps(slices.startNs[row], slices.endNs(row), range))
                appendRow(slices, row, SliceId(slices.first.value + row), window);
    }

    TrackWindow exactWindow(SliceStore &store, std::span<const ChunkInfo> all, TimeRange range)
    {
        TrackWindow window;
        window.isExact = true;
        const auto around = chunksAround(all, range);
        if (around.empty())
            return window;
        const auto first = store.hot(around.front());
        if (first->isCarriedKnown)
            appendCarried(*first, range, window);
        else
            for (const ChunkInfo *chunk = all.data(); chunk != around.data(); ++chunk)
                if (chunk->maxEndNs > range.startNs)
                    appendOwn(*store.hot(*chunk), range, window);
        for (const ChunkInfo &chunk : around)
            appendOwn(*store.hot(chunk), range, window);
        if (!window.ids.empty())
            window.slices.first = window.ids.front();
        return window;
    }

    /// Are there so few slices that start in the range that reading them all is quickest?
    bool hasFewRows(SliceStore &store, std::span<const ChunkInfo> all, TimeRange range)
    {
        const auto around = chunksAround(all, range);
        if (around.size() > 2)
            return false;
        std::size_t rows = 0;
        for (const ChunkInfo &chunk : around) {
            const auto hot = store.hot(chunk);
            const auto &starts = hot->slices.startNs;
            rows += static_cast<std::size_t>(
                std::lower_bound(starts.begin(), starts.end(), range.endNs)
                - std::lower_bound(starts.begin(), starts.end(), range.startNs));
        }
        return rows <= FewRows;
    }

    const LevelInfo *coarsestLevel(const std::vector<LevelInfo> &levels, std::int64_t resolutionNs)
    {
        const LevelInfo *best = nullptr;
        for (const LevelInfo &level : levels)
            if (level.widthNs <= resolutionNs)
                best = &level;
        return best;
    }

    void appendBins(std::span<const LevelBin> bins, TimeRange range, TrackWindow &window)
    {
        for (const LevelBin &bin : bins)
            if (overlaps(bin.startNs, bin.endNs, range))
                window.bins.push_back(bin);
    }

    std::span<const LevelBin> ownBins(const std::vector<LevelBin> &bins, const BinChunkInfo &chunk)
    {
        return std::span(bins).subspan(chunk.carriedCount.value_or(0));
    }

    TrackWindow levelWindow(SliceStore &store, const LevelInfo &level, TimeRange range)
    {
        TrackWindow window;
        const std::span<const BinChunkInfo> all = level.chunks;
        const auto around = chunksAround(all, range);
        if (around.empty())
            return window;
        const BinChunkInfo &first = around.front();
        if (first.carriedCount)
            appendBins(std::span(*store.bins(first)).first(*first.carriedCount), range, window);
        else
            for (const BinChunkInfo *chunk = all.data(); chunk != &first; ++chunk)
                if (chunk->maxEndNs > range.startNs)
                    appendBins(ownBins(*store.bins(*chunk), *chunk), range, window);
        for (const BinChunkInfo &chunk : around)
            appendBins(ownBins(*store.bins(chunk), chunk), range, window);
        std::stable_sort(window.bins.begin(), window.bins.end(),
                         [](const LevelBin &a, const LevelBin &b) { return a.depth < b.depth; });
        return window;
    }

} // namespace

TrackWindow readWindow(SliceStore &store, TrackId track, TimeRange range, std::int64_t resolutionNs)
{
    const auto chunks = store.chunksOf(track);
    if (resolutionNs > 0) {
        const LevelInfo *level = coarsestLevel(store.levels(track), resolutionNs);
        if (level && !hasFewRows(store, chunks, range))
            return levelWindow(store, *level, range);
    }
    return exactWindow(store, chunks, range);
}

} // namespace core
