#include "core/project/read/name_search.h"

#include <algorithm>

namespace core {

namespace {

    struct Found
    {
        std::int64_t startNs = 0; ///< aligned
        FoundSlice slice;
        friend bool operator<(const Found &a, const Found &b)
        {
            return a.startNs != b.startNs ? a.startNs < b.startNs : a.slice.id < b.slice.id;
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
        std::vector<FoundSlice> sorted()
        {
            std::sort_heap(m_heap.begin(), m_heap.end());
            std::vector<FoundSlice> slices;
            slices.reserve(m_heap.size());
            for (const Found &found : m_heap)
                slices.push_back(found.slice);
            return slices;
        }

    private:
        std::size_t m_limit;
        std::vector<Found> m_heap; ///< latest first
    };

} // namespace

std::vector<FoundSlice> findSlices(SliceStore &store, const SearchTerms &terms, std::size_t limit,
                                   const JobControl &control)
{
    const SearchFilter filter(store, terms, control);
    Earliest earliest(limit);
    const auto &chunks = store.chunks();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        throwIfCancelled(control);
        const ChunkInfo &chunk = chunks[i];
        const WorkerId worker = store.tables().tracks[chunk.track.value].worker;
        if (!earliest.accepts(store.tables().toAligned(worker, chunk.minStartNs))
            || !filter.mayFitInChunk(i))
            continue;
        const auto hot = store.hot(chunk);
        for (std::size_t row = 0; row < chunk.rows; ++row)
            if (filter.fitsByName(hot->slices, row))
                earliest.add({ store.tables().toAligned(worker, hot->slices.startNs[row]),
                               foundSlice(chunk, hot->slices, row) });
    }
    return earliest.sorted();
}

std::uint64_t countSlices(SliceStore &store, const SearchTerms &terms, const JobControl &control)
{
    const SearchFilter filter(store, terms, control);
    std::uint64_t count = 0;
    const auto &chunks = store.chunks();
    for (std::size_t i = 0; i < chunks.size(); ++i) {
        throwIfCancelled(control);
        if (!filter.mayFitInChunk(i))
            continue;
        const auto hot = store.hot(chunks[i]);
        for (std::size_t row = 0; row < chunks[i].rows; ++row)
            count += filter.fitsByName(hot->slices, row) ? 1 : 0;
    }
    return count;
}

} // namespace core
