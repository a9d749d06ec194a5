#include "core/project/write/sorted_slices.h"

#include "core/model/finish_track.h"

#include <algorithm>

namespace core {

SortedSlices::SortedSlices(const CollectedTrack &track, SpillFile *file)
    : m_track(track)
    , m_left(track.size())
{
    openRuns(file);
    for (std::uint64_t i = 0; i < track.leftOutFirst(); ++i)
        nextOfAll();
}

void SortedSlices::openRuns(SpillFile *file)
{
    if (m_track.runs().empty())
        return;
    m_readers.reserve(m_track.runs().size());
    for (const SpilledRun &run : m_track.runs()) {
        m_readers.emplace_back(*file, run);
        m_heap.push_back({ m_readers.back().head(), m_heap.size() });
    }
    if (const CollectedSlice *first = nextHeld())
        m_heap.push_back({ first, m_heap.size() });
    std::make_heap(m_heap.begin(), m_heap.end(), comesLater);
}

bool SortedSlices::comesLater(const Source &a, const Source &b)
{
    if (isBefore(*a.head, *b.head))
        return false;
    return isBefore(*b.head, *a.head) || a.number > b.number;
}

const CollectedSlice *SortedSlices::nextHeld()
{
    if (m_nextHeld == m_track.heldRows())
        return nullptr;
    return &m_track.held(m_nextHeld++);
}

const CollectedSlice *SortedSlices::advance(std::size_t source)
{
    if (source == m_readers.size())
        return nextHeld();
    m_readers[source].advance();
    return m_readers[source].head();
}

const CollectedSlice *SortedSlices::next()
{
    if (m_left == 0)
        return nullptr;
    --m_left;
    return nextOfAll();
}

const CollectedSlice *SortedSlices::nextOfAll()
{
    if (m_readers.empty())
        return nextHeld();
    if (std::exchange(m_isFirstTaken, true)) {
        std::pop_heap(m_heap.begin(), m_heap.end(), comesLater);
        m_heap.back().head = advance(m_heap.back().number);
        if (m_heap.back().head)
            std::push_heap(m_heap.begin(), m_heap.end(), comesLater);
        else
            m_heap.pop_back();
    }
    return m_heap.empty() ? nullptr : m_heap.front().head;
}

} // namespace core
