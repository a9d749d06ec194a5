#include "core/project/read/name_search.h"

#include "core/base/ascii_text.h"

#include <algorithm>

namespace core {

namespace {

    /// By NameId: does the name contain the text?
    std::vector<std::uint8_t> matchingNames(const std::vector<std::string> &names,
                                            std::string_view text)
    {
        const std::string wanted = lowered(text);
        std::vector<std::uint8_t> matches(names.size());
        std::transform(names.begin(), names.end(), matches.begin(), [&](const std::string &name) {
            return lowered(name).find(wanted) != std::string::npos;
        });
        return matches;
    }

    struct Found
    {
        std::int64_t startNs = 0; ///< aligned
        SliceId id;
        friend bool operator<(const Found &a, const Found &b)
        {
            return a.startNs != b.startNs ? a.startNs < b.startNs : a.id < b.id;
        }
    };

    /// Keeps the earliest `limit` of what is offered.
    class Earliest
    {
    public:
        explicit Earliest(std::size_t limit)
            : m_limit(limit)
        {
        }
        bool accepts(std::int64_t startNs) const
        {
            return m_heap.size() < m_limit || (m_limit > 0 && startNs <= m_heap.front().startNs);
        }
        void add(const Found &found)
        {
            if (m_heap.size() == m_limit) {
                if (m_limit == 0 || !(found < m_heap.front()))
                    return;
                std::pop_heap(m_heap.begin(), m_heap.end());
                m_heap.pop_back();
            }
            m_heap.push_back(found);
            std::push_heap(m_heap.begin(), m_heap.end());
        }
        std::vector<SliceId> sorted()
        {
            std::sort_heap(m_heap.begin(), m_heap.end());
            std::vector<SliceId> ids;
            for (const Found &found : m_heap)
                ids.push_back(found.id);
            return ids;
        }

    private:
        std::size_t m_limit;
        std::vector<Found> m_heap; ///< latest first
    };

} // namespace

std::vector<SliceId> findSlices(SliceStore &store, std::string_view text, std::size_t limit)
{
    const std::vector<std::uint8_t> matches = matchingNames(store.names(), text);
    if (std::find(matches.begin(), matches.end(), 1) == matches.end())
        return {};
    Earliest earliest(limit);
    const auto &chunks = store.chunks();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        const ChunkInfo &chunk = chunks[i];
        const WorkerId worker = store.tables().tracks[chunk.track.value].worker;
        if (!earliest.accepts(store.tables().toAligned(worker, chunk.minStartNs))
            || !store.chunkIndex().mayHoldAny(i, matches))
            continue;
        const auto hot = store.hot(chunk);
        for (std::size_t row = 0; row < chunk.rows; ++row)
            if (matches[hot->slices.name[row].value] != 0)
                earliest.add({ store.tables().toAligned(worker, hot->slices.startNs[row]),
                               SliceId(chunk.firstSlice + row) });
    }
    return earliest.sorted();
}

} // namespace core
