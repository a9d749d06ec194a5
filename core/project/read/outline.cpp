#include "core/project/read/outline.h"

namespace core {

namespace {

    /// Whether the next call is the slice's; then it gets the new id and is the next no more.
    template <class Call>
    bool takeNext(std::vector<Call> &calls, std::size_t &next, SliceId slice, SliceId newId)
    {
        if (next == calls.size() || calls[next].slice != slice)
            return false;
        calls[next++].slice = newId;
        return true;
    }

} // namespace

OutlineReader::OutlineReader(SliceStore &store,
                             const std::function<bool(std::string_view)> &keepName,
                             std::vector<CollectiveCall> &calls,
                             std::vector<TransferCall> &transfers, std::size_t mostRows)
    : m_store(store)
    , m_calls(calls)
    , m_transfers(transfers)
    , m_mostRows(mostRows)
{
    m_keepName.reserve(store.names().size());
    for (const std::string &name : store.names())
        m_keepName.push_back(keepName(name));
}

SliceColumns OutlineReader::readTrack(Track &track, const JobControl &control)
{
    SliceColumns kept;
    kept.first = SliceId(m_nextSlice);
    m_hasLast = false;
    for (const ChunkInfo &chunk : m_store.chunksOf(track.id)) {
        throwIfCancelled(control);
        readChunk(chunk, track, kept);
    }
    track.firstSlice = kept.first;
    track.sliceCount = kept.size();
    return kept;
}

void OutlineReader::readChunk(const ChunkInfo &chunk, const Track &track, SliceColumns &kept)
{
    const auto hot = m_store.hot(chunk);
    const SliceColumns &slices = hot->slices;
    for (std::size_t row = 0; row < slices.size(); ++row) {
        const SliceId id(chunk.firstSlice + row);
        const bool isLast = !m_hasLast && slices.endNs(row) == track.range.endNs;
        m_hasLast |= isLast;
        const SliceId newId(m_nextSlice);
        const bool isCall = takeNext(m_calls, m_nextCall, id, newId);
        const bool isTransfer = takeNext(m_transfers, m_nextTransfer, id, newId);
        const bool isKept = isCall || isTransfer || m_keepName[slices.name[row].value] || isLast
            || id == track.firstSlice;
        if (!isKept || m_nextSlice++ >= m_mostRows)
            continue;
        kept.startNs.push_back(slices.startNs[row]);
        kept.durationNs.push_back(slices.durationNs[row]);
        kept.name.push_back(slices.name[row]);
        kept.category.push_back(slices.category[row]);
        kept.phase.push_back(slices.phase[row]);
        kept.depth.push_back(slices.depth[row]);
    }
}

std::vector<TensorUse> outlinedUses(const std::vector<TensorUse> &uses,
                                    const std::vector<CollectiveCall> &calls,
                                    const std::vector<CollectiveCall> &outlined)
{
    std::vector<TensorUse> kept;
    std::size_t call = 0;
    for (const TensorUse &use : uses) {
        while (call < calls.size() && calls[call].slice < use.slice)
            ++call;
        if (call < calls.size() && calls[call].slice == use.slice)
            kept.push_back({ outlined[call].slice, use.tensor });
    }
    return kept;
}

} // namespace core
