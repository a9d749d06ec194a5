#pragma once

#include "core/base/job_control.h"
#include "core/project/read/slice_store.h"

#include <cstddef>
#include <functional>
#include <string_view>

namespace core {

/// Reads the slices of collectives and transfers, those whose name is kept, and of every track the
/// first one and one that ends last, chunk by chunk; see ProjectReader::readOutline(). calls and
/// transfers: of the project, by slice; they get the slices' new ids. Slices beyond `mostRows` are
/// only counted.
class OutlineReader
{
public:
    OutlineReader(SliceStore &store, const std::function<bool(std::string_view)> &keepName,
                  std::vector<CollectiveCall> &calls, std::vector<TransferCall> &transfers,
                  std::size_t mostRows);

    /// Slices that are kept so far, or would be.
    std::size_t rows() const { return m_nextSlice; }
    /// Tracks in order. Leaves the range of the track as it is.
    SliceColumns readTrack(Track &track, const JobControl &control);

private:
    void readChunk(const ChunkInfo &chunk, const Track &track, SliceColumns &kept);
    SliceStore &m_store;
    std::vector<bool> m_keepName; ///< by NameId
    std::vector<CollectiveCall> &m_calls;
    std::vector<TransferCall> &m_transfers;
    std::size_t m_mostRows;
    std::size_t m_nextCall = 0, m_nextTransfer = 0; ///< those before have their new ids
    std::uint64_t m_nextSlice = 0; ///< new id of the next kept slice
    bool m_hasLast = false; ///< a slice of the track that ends last is kept
};

/// Uses of tensors by collectives, with the new ids of their slices. Both lists of calls are by
/// slice and go together, uses are by slice.
std::vector<TensorUse> outlinedUses(const std::vector<TensorUse> &uses,
                                    const std::vector<CollectiveCall> &calls,
                                    const std::vector<CollectiveCall> &outlined);

} // namespace core
