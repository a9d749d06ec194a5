#include "core/model/slice_index.h"

#include <algorithm>
#include <cassert>

namespace core {

SliceIndex::SliceIndex(const Trace &trace)
    : m_trace(trace)
{
    for (std::uint32_t i = 0; i < trace.slices.size(); ++i)
        if (trace.slices[i].size() > 0)
            m_byFirst.push_back(TrackId(i));
    std::sort(m_byFirst.begin(), m_byFirst.end(), [&trace](TrackId a, TrackId b) {
        return trace.slices[a.value].first < trace.slices[b.value].first;
    });
}

std::optional<SliceIndex::Place> SliceIndex::find(SliceId id) const
{
    const auto after = std::upper_bound(m_byFirst.begin(), m_byFirst.end(), id,
                                        [this](SliceId wanted, TrackId track) {
                                            return wanted < m_trace.slices[track.value].first;
                                        });
    if (after == m_byFirst.begin())
        return std::nullopt;
    const TrackId track = *(after - 1);
    const SliceColumns &columns = m_trace.slices[track.value];
    const std::uint64_t row = id.value - columns.first.value;
    if (row >= columns.size())
        return std::nullopt;
    return Place { track, static_cast<std::size_t>(row) };
}

SliceIndex::Place SliceIndex::place(SliceId id) const
{
    const std::optional<Place> found = find(id);
    assert(found);
    return *found;
}

std::int64_t SliceIndex::startNs(SliceId id) const
{
    const Place p = place(id);
    return m_trace.slices[p.track.value].startNs[p.row];
}

std::int64_t SliceIndex::endNs(SliceId id) const
{
    const Place p = place(id);
    return m_trace.slices[p.track.value].endNs(p.row);
}

Category SliceIndex::category(SliceId id) const
{
    const Place p = place(id);
    return m_trace.slices[p.track.value].category[p.row];
}

const std::string &SliceIndex::name(SliceId id) const
{
    const Place p = place(id);
    return m_trace.nameOf(m_trace.slices[p.track.value].name[p.row]);
}

WorkerId SliceIndex::worker(SliceId id) const
{
    return m_trace.tracks[place(id).track.value].worker;
}

} // namespace core
