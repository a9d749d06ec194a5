#pragma once

#include "core/base/job_control.h"
#include "core/project/read/found_slice.h"
#include "core/project/read/search_terms.h"
#include "core/project/read/slice_store.h"

#include <cstdint>
#include <vector>

namespace core {

/// Terms of a search against one project: what they say of names and tracks, taken once.
class SearchFilter
{
public:
    /// Throws Cancelled.
    SearchFilter(SliceStore &store, const SearchTerms &terms, const JobControl &control);

    /// False: no slice of the chunk fits by name.
    bool mayFitInChunk(std::size_t chunk) const;
    /// All terms hold, every text in the name.
    bool fitsByName(const SliceColumns &slices, std::size_t row) const
    {
        return m_byName[slices.name[row].value] != 0 && fitsKind(slices, row);
    }
    bool fitsTrack(TrackId track) const { return m_tracks[track.value] != 0; }
    /// All terms hold but those of tracks, every text in the name or in the arguments, which are
    /// in lower case.
    bool fitsByArgs(const SliceColumns &slices, std::size_t row, std::string_view args) const;

private:
    bool fitsKind(const SliceColumns &slices, std::size_t row) const
    {
        const std::int64_t ns = slices.durationNs[row];
        return ns >= m_minDurationNs && ns <= m_maxDurationNs
            && m_kinds[static_cast<std::size_t>(slices.category[row])] != 0;
    }

    SliceStore &m_store;
    std::int64_t m_minDurationNs, m_maxDurationNs;
    std::vector<std::string> m_texts;
    std::vector<std::uint8_t> m_tracks; ///< by track: not 0 for one that fits
    std::vector<std::uint8_t> m_kinds; ///< by category, likewise
    std::vector<std::uint8_t> m_byExpression; ///< by name, likewise
    std::vector<std::vector<std::uint8_t>> m_byText; ///< by text, by name, likewise
    std::vector<std::uint8_t> m_byName; ///< by name: all of these
    bool m_isAnyName = false;
};

/// A row of a chunk. slices: the chunk's own.
FoundSlice foundSlice(const ChunkInfo &chunk, const SliceColumns &slices, std::size_t row);

} // namespace core
