#include "core/project/sql/slice_totals.h"

#include <algorithm>
#include <limits>

namespace core {

namespace {

    /// The sum, or the largest number: durations of a stranger's file may add up to more.
    std::int64_t saturatingSum(std::int64_t a, std::int64_t b)
    {
        constexpr std::int64_t Most = std::numeric_limits<std::int64_t>::max();
        return a > Most - b ? Most : a + b;
    }

    /// Adds slices up. The totals of one name (as a rule there is one) are a chain that begins in
    /// `m_first`.
    class Adder
    {
    public:
        explicit Adder(std::size_t nameCount)
            : m_first(nameCount, None)
        {
        }

        void beginTrack(TrackId track)
        {
            for (std::size_t i = m_begin; i < m_totals.size(); ++i)
                m_first[m_totals[i].name.value] = None;
            m_begin = m_totals.size();
            m_track = track;
        }

        void add(const SliceKinds &slices)
        {
            for (std::size_t row = 0; row < slices.name.size(); ++row) {
                SliceTotal &total = totalOf(slices, row);
                const std::int64_t durationNs = slices.durationNs[row];
                ++total.count;
                total.durationNs = saturatingSum(total.durationNs, durationNs);
                total.shortestNs = std::min(total.shortestNs, durationNs);
                total.longestNs = std::max(total.longestNs, durationNs);
            }
        }

        std::vector<SliceTotal> take() { return std::move(m_totals); }

    private:
        static constexpr std::uint32_t None = std::numeric_limits<std::uint32_t>::max();

        SliceTotal &totalOf(const SliceKinds &slices, std::size_t row)
        {
            std::uint32_t *link = &m_first[slices.name[row].value];
            while (*link != None) {
                SliceTotal &total = m_totals[*link];
                if (total.category == slices.category[row] && total.phase == slices.phase[row])
                    return total;
                link = &m_next[*link];
            }
            *link = static_cast<std::uint32_t>(m_totals.size());
            m_next.push_back(None);
            return m_totals.emplace_back(
                SliceTotal { m_track, slices.name[row], slices.category[row], slices.phase[row], 0,
                             0, std::numeric_limits<std::int64_t>::max(), 0 });
        }

        std::vector<std::uint32_t> m_first; ///< [names]
        std::vector<std::uint32_t> m_next; ///< [totals]
        std::vector<SliceTotal> m_totals;
        std::size_t m_begin = 0; ///< first total of the track
        TrackId m_track;
    };

} // namespace

std::vector<SliceTotal> sliceTotals(SliceStore &store)
{
    Adder adder(store.names().size());
    BlobReader blobs = store.hotBlobs();
    SliceKinds kinds;
    for (const Track &track : store.tables().tracks) {
        adder.beginTrack(track.id);
        for (const ChunkInfo &chunk : store.chunksOf(track.id)) {
            store.readKinds(chunk, blobs, kinds);
            adder.add(kinds);
        }
    }
    return adder.take();
}

} // namespace core
