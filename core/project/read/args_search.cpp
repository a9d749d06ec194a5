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

    class ArgsSearch
    {
    public:
        ArgsSearch(SliceStore &store, std::string_view text, std::size_t limit)
            : m_store(store)
            , m_pattern(text)
            , m_limit(limit)
        {
        }

        std::vector<SliceId> run(const JobControl &control,
                                 const std::function<void(std::span<const SliceId>)> &onFound)
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
                if (m_store.chunkIndex().mayHoldArgs(i, matches.front(), matches.back() + 1))
                    addSlices(chunks[i], matches);
        }

        void addSlices(const ChunkInfo &chunk, const std::vector<std::uint64_t> &ordinals)
        {
            const auto stored = m_store.argsOrdinals(chunk);
            for (std::size_t row = 0; row < stored->size() && m_found.size() < m_limit; ++row) {
                const std::uint64_t ordinal = (*stored)[row] - 1; // 0, none, becomes the largest
                if (ordinal >= ordinals.front() && ordinal <= ordinals.back()
                    && std::binary_search(ordinals.begin(), ordinals.end(), ordinal))
                    m_found.push_back(SliceId(chunk.firstSlice + row));
            }
        }

        SliceStore &m_store;
        ArgsPattern m_pattern;
        std::size_t m_limit;
        std::string m_buffer;
        std::vector<SliceId> m_found;
    };

} // namespace

std::vector<SliceId> findSlicesByArgs(SliceStore &store, std::string_view text, std::size_t limit,
                                      const JobControl &control,
                                      const std::function<void(std::span<const SliceId>)> &onFound)
{
    if (text.empty())
        return {};
    return ArgsSearch(store, text, limit).run(control, onFound);
}

} // namespace core
