#include "core/project/read/args_search.h"

#include "core/base/ascii_text.h"
#include "core/project/read/args_filter.h"

#include <algorithm>
#include <cstring>

namespace core {

namespace {

    /// Which texts of a block contain the pattern: ordinals from the block's first, ascending.
    std::vector<std::uint64_t> matchesIn(const ArgsBlock &block, const std::string &pattern,
                                         std::string &buffer)
    {
        std::vector<std::uint64_t> matches;
        buffer.assign(block.allTexts());
        makeLower(buffer);
        for (std::size_t from = 0; from < buffer.size();) {
            const void *found = memmem(buffer.data() + from, buffer.size() - from, pattern.data(),
                                       pattern.size());
            if (found == nullptr)
                break;
            const auto at
                = static_cast<std::size_t>(static_cast<const char *>(found) - buffer.data());
            const ArgsBlock::Place place = block.placeOf(at);
            if (at + pattern.size() > place.end) { // begins in one text and ends in the next
                from = at + 1;
                continue;
            }
            matches.push_back(place.ordinal);
            from = place.end;
        }
        return matches;
    }

    using OnFound = std::function<void(std::span<const FoundSlice>)>;

    /// Looks for one of the texts; what it finds fits all terms.
    class ArgsSearch
    {
    public:
        ArgsSearch(SliceStore &store, const SearchFilter &filter, std::string_view text,
                   std::size_t limit)
            : m_store(store)
            , m_filter(filter)
            , m_pattern(text)
            , m_limit(limit)
        {
        }

        std::vector<FoundSlice> run(const JobControl &control, const OnFound &onFound)
        {
            Statement blocks(m_store.database(),
                             "SELECT b.first_ordinal, f.data FROM args_block b LEFT JOIN "
                             "args_filter f ON f.first_ordinal = b.first_ordinal "
                             "ORDER BY b.first_ordinal");
            while (m_found.size() < m_limit && blocks.step()) {
                throwIfCancelled(control);
                if (!m_pattern.mayBeIn(blocks.bytes(1)))
                    continue;
                const std::size_t before = m_found.size();
                searchBlock(blocks.natural(0));
                if (onFound && m_found.size() > before)
                    onFound(std::span(m_found).subspan(before));
            }
            return std::move(m_found);
        }

    private:
        void searchBlock(std::uint64_t firstOrdinal)
        {
            const auto block = m_store.argsBlock(firstOrdinal);
            const auto matches = matchesIn(*block, m_pattern.lowered(), m_buffer);
            if (matches.empty())
                return;
            const auto &chunks = m_store.chunks();
            for (std::size_t i = 0; i < chunks.size(); ++i)
                if (m_filter.fitsTrack(chunks[i].track)
                    && m_store.chunkIndex().mayHoldArgs(i, matches.front(), matches.back() + 1))
                    addSlices(chunks[i], *block, matches);
        }

        void addSlices(const ChunkInfo &chunk, const ArgsBlock &block,
                       const std::vector<std::uint64_t> &ordinals)
        {
            const auto stored = m_store.argsOrdinals(chunk);
            std::shared_ptr<const HotChunk> hot;
            for (std::size_t row = 0; row < stored->size() && m_found.size() < m_limit; ++row) {
                const std::uint64_t ordinal = (*stored)[row] - 1; // 0, none, becomes the largest
                if (ordinal < ordinals.front() || ordinal > ordinals.back()
                    || !std::binary_search(ordinals.begin(), ordinals.end(), ordinal))
                    continue;
                if (hot == nullptr)
                    hot = m_store.hot(chunk);
                if (m_filter.fitsByArgs(hot->slices, row, core::lowered(block.text(ordinal))))
                    m_found.push_back(foundSlice(chunk, hot->slices, row));
            }
        }

        SliceStore &m_store;
        const SearchFilter &m_filter;
        ArgsPattern m_pattern;
        std::size_t m_limit;
        std::string m_buffer;
        std::vector<FoundSlice> m_found;
    };

    void removeDoubles(std::vector<FoundSlice> &found)
    {
        std::ranges::sort(found, {}, &FoundSlice::id);
        const auto doubles
            = std::unique(found.begin(), found.end(),
                          [](const FoundSlice &a, const FoundSlice &b) { return a.id == b.id; });
        found.erase(doubles, found.end());
    }

} // namespace

std::vector<FoundSlice> findSlicesByArgs(SliceStore &store, const SearchTerms &terms,
                                         std::size_t limit, const JobControl &control,
                                         const OnFound &onFound)
{
    const SearchFilter filter(store, terms, control);
    std::vector<FoundSlice> found;
    for (const std::string &text : terms.texts) {
        if (text.empty())
            continue;
        const auto byText = ArgsSearch(store, filter, text, limit).run(control, onFound);
        found.insert(found.end(), byText.begin(), byText.end());
    }
    if (terms.texts.size() > 1)
        removeDoubles(found);
    found.resize(std::min(found.size(), limit));
    return found;
}

} // namespace core
