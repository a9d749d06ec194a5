#pragma once

#include "core/base/job_control.h"
#include "core/fit/links/link_use.h"
#include "core/predict/memory_curve.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline_sources/counter_levels.h"
#include "ui/timeline_sources/matched_rows.h"

#include <QString>

#include <memory>
#include <optional>
#include <vector>

namespace ui {

/// Curves that a timeline shows above its tracks.
struct Counters
{
    std::vector<TimelineTrack> tracks; ///< each with a counter
    std::vector<CounterLevels> levels; ///< same order
};

/// One a link, in a group of their own. Throws core::Cancelled.
Counters linkCounters(const std::vector<core::LinkUse> &uses, const core::JobControl &control);

/// Bytes allocated on a device of a rank.
struct DeviceMemory
{
    QString name; ///< "rank 0 \u00b7 GPU 0"
    core::MemoryCurve curve;
};

/// One a device, in a group of their own, with their peaks marked. Throws core::Cancelled.
Counters memoryCounters(const std::vector<DeviceMemory> &devices, const core::JobControl &control);

/// Appends the one's counters to the other's.
void append(Counters &counters, Counters more);

/// A source with counters behind its own tracks.
class SourceWithCounters : public TimelineSource
{
public:
    explicit SourceWithCounters(std::shared_ptr<const TimelineSource> source,
                                std::shared_ptr<const Counters> counters = nullptr);

    /// Null for none. The timeline must reload its source then.
    void setCounters(std::shared_ptr<const Counters> counters);

    const std::vector<TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return m_source->range(); }
    std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                   std::int64_t resolutionNs) const override;
    std::vector<CounterPoint> counterPoints(std::size_t track, core::TimeRange range,
                                            std::int64_t resolutionNs) const override;
    QString boxName(std::size_t track, std::uint64_t id) const override;
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override
    {
        return m_source->find(id);
    }
    std::vector<std::uint64_t> criticalPath() const override { return m_source->criticalPath(); }
    bool isPredicted() const override { return m_source->isPredicted(); }

private:
    std::size_t ownTracks() const { return m_source->tracks().size(); }

    std::shared_ptr<const TimelineSource> m_source;
    std::shared_ptr<const Counters> m_counters;
    std::vector<TimelineTrack> m_tracks;
};

/// Adds a row for each counter of the one or the other to rows of their sources' tracks, those of
/// one name in one row with one scale. `rows` must be matchRows() of these sources.
void addCounterRows(MatchedRows &rows, const Counters &above, std::size_t aboveTracks,
                    const Counters &below, std::size_t belowTracks);

} // namespace ui
