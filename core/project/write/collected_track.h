#pragma once

#include "core/model/trace_sink.h"
#include "core/project/schema/record_tables.h"
#include "core/project/write/collected_slice.h"
#include "core/project/write/pyramid.h"
#include "core/project/write/slice_run.h"

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace core {

/// Stands for a tensor that is left out.
constexpr TensorId NoTensor(std::numeric_limits<std::uint32_t>::max());

/// Stands for the id of a slice that is left out.
constexpr SliceId UnwrittenSlice(std::numeric_limits<std::uint64_t>::max());

/// The slices of one track of the file being read, in order of arrival: those in memory, and
/// before them runs in a spill file. Grows in blocks, so that memory never doubles.
class CollectedTrack
{
public:
    CollectedTrack() = default;
    explicit CollectedTrack(const TrackSpec &spec, WorkerId worker);

    bool matches(const TrackSpec &spec, WorkerId worker) const;
    /// `transaction`: the interned text of record.transfer, if there is one.
    void add(const SliceRecord &record, std::uint64_t argsOrdinal, NameId transaction);
    std::uint64_t size() const { return m_spilledRows + m_heldRows - m_leftOut; }
    std::size_t heldRows() const { return m_heldRows; } ///< in memory
    /// Brings the slices in memory into the track's order, equal ones as they arrived.
    void sortHeld();
    /// A slice in memory; after sortHeld().
    const CollectedSlice &held(std::size_t index) const
    {
        const std::size_t row = m_heldOrder.empty() ? index : m_heldOrder[index];
        return at(row);
    }
    const std::vector<SpilledRun> &runs() const { return m_runs; } ///< in order of arrival
    /// Writes the slices in memory as a run.
    void spill(SpillFile &file);
    /// Leaves the first and the last slices of the track's order out; `rest`: range of the others.
    /// After all are added.
    void leaveOut(std::uint64_t first, std::uint64_t last, const TimeRange &rest);
    std::uint64_t leftOutFirst() const { return m_leftOutFirst; }
    /// Forgets the slices.
    void clear();
    const TimeRange &range() const { return m_range; } ///< from the first start to the last end
    const DurationCounts &durations() const { return m_durations; }
    /// Slices with calls so far.
    std::size_t callCount() const { return m_callCount; }
    /// Calls hold ordinals of slices with calls: gives them the ids of the sorted slices, [calls],
    /// and this worker of the project. Those of slices that were left out have no id
    /// (`UnwrittenSlice`) and go, too.
    void resolveCalls(WorkerId worker, std::span<const SliceId> ids);

    Track track; ///< id and slice range are set at the end
    std::vector<CollectiveCall> collectives; ///< `slice` is an ordinal until resolveCalls()
    std::vector<SyncCall> syncs; ///< `slice` is an ordinal until resolveCalls()
    std::vector<NamedTransfer> transfers; ///< `slice` is an ordinal until resolveCalls()
    std::vector<TensorUse> tensorUses; ///< `slice` is an ordinal until resolveCalls()

private:
    static constexpr std::size_t BlockRows = 512;
    /// The slice's callOrdinal.
    std::uint32_t addCalls(const SliceRecord &record, NameId transaction);
    const CollectedSlice &at(std::size_t row) const
    {
        return m_blocks[row / BlockRows][row % BlockRows];
    }

    std::vector<std::vector<CollectedSlice>> m_blocks; ///< all but the last are full
    std::size_t m_heldRows = 0;
    std::vector<std::uint32_t> m_heldOrder; ///< empty where the rows are in order as they are
    std::vector<SpilledRun> m_runs;
    std::uint64_t m_spilledRows = 0;
    std::uint64_t m_leftOut = 0, m_leftOutFirst = 0; ///< of all rows
    std::uint32_t m_callCount = 0;
    TimeRange m_range;
    DurationCounts m_durations;
};

} // namespace core
