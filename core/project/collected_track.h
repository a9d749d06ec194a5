#pragma once

#include "core/model/trace_sink.h"
#include "core/project/record_tables.h"

#include <memory>
#include <span>
#include <vector>

namespace core {

/// One slice as it arrived; argsOrdinal as in LinkColumns.
struct CollectedSlice
{
    std::int64_t startNs, durationNs;
    std::uint64_t correlation, externalId, node, sequence, forwardThread, bytes, argsOrdinal;
    NameId name;
    Category category;
};

/// The slices of one track of the file being read, in order of arrival. Grows in blocks, so that
/// memory never doubles.
class CollectedTrack
{
public:
    CollectedTrack() = default;
    explicit CollectedTrack(const TrackSpec &spec, WorkerId worker);

    bool matches(const TrackSpec &spec, WorkerId worker) const;
    /// `transaction`: the interned text of record.transfer, if there is one.
    void add(const SliceRecord &record, std::uint64_t argsOrdinal, NameId transaction);
    std::size_t size() const { return m_size; }
    /// Moves the slices into columns (unsorted); afterwards the track holds none.
    SliceColumns takeColumns(std::vector<std::uint64_t> &argsOrdinal);
    /// Slice ids of the calls hold rows in order of arrival: turns them into ids of sorted slices
    /// of this worker of the project.
    void resolveCalls(WorkerId worker, SliceId first, std::span<const std::uint32_t> order);

    Track track; ///< id and slice range are set at the end
    std::vector<CollectiveCall> collectives; ///< `slice` is a row until resolveCalls()
    std::vector<SyncCall> syncs; ///< `slice` is a row until resolveCalls()
    std::vector<NamedTransfer> transfers; ///< `slice` is a row until resolveCalls()
    std::vector<TensorUse> tensorUses; ///< `slice` is a row until resolveCalls()

private:
    static constexpr std::size_t BlockRows = 512;
    std::vector<std::unique_ptr<CollectedSlice[]>> m_blocks;
    std::size_t m_size = 0;
};

} // namespace core
