#pragma once

#include "core/base/time_range.h"
#include "core/model/category.h"
#include "core/model/ids.h"
#include "core/model/trace.h"

#include <QString>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace ui {

/// Meaning of the values of a counter.
enum class CounterUnit : std::uint8_t { Share, BytesPerSec, Bytes };

/// A track that is a curve over time.
struct TimelineCounter
{
    CounterUnit unit = CounterUnit::Share;
    double maximum = 0; ///< of the whole curve
    double top = 0; ///< the value at the row's upper edge, at least the maximum
    std::optional<double> limit; ///< drawn as a line: what the link can carry
    QString limitName; ///< "stated rate"
    std::optional<std::int64_t> peakNs = {}; ///< aligned; the maximum has a mark there

    friend bool operator==(const TimelineCounter &, const TimelineCounter &) = default;
};

/// A piece of a counter's curve: one value, or a run of them shorter than the resolution.
struct CounterPoint
{
    std::int64_t startNs = 0; ///< aligned
    std::int64_t endNs = 0;
    double mean = 0;
    double maximum = 0;
};

/// A row group that the timeline can draw: one track with its nesting depth.
struct TimelineTrack
{
    QString name;
    QString group; ///< "rank 0"; consecutive tracks of one group are drawn under one header
    QString subgroup; ///< "GPU 0", "host", "comm"
    std::uint32_t depthCount = 1;
    core::TrackKind kind = core::TrackKind::Other;
    std::optional<TimelineCounter> counter = {}; ///< it has points instead of boxes
    bool isMinor = false; ///< next to nothing happens on it: folded at first
    QString section = {}; ///< heading over consecutive groups: "ranks 0-7"; empty: none
    std::uint64_t sliceCount = 0; ///< 0: not known
    bool isPinned = false; ///< stands on top; the pinned tracks are the first ones
    bool isAlone = false; ///< pinned without its group: its row has all of its names

    friend bool operator==(const TimelineTrack &, const TimelineTrack &) = default;
};

/// A box to draw: one slice, or a merged run of slices narrower than the resolution.
struct TimelineBox
{
    std::int64_t startNs = 0; ///< aligned
    std::int64_t endNs = 0;
    std::int64_t busyNs = 0; ///< of a merged run: how much of it is occupied
    std::uint64_t id = 0; ///< source's own id of the slice, or of the longest slice of the run
    std::uint32_t count = 1; ///< slices merged
    std::uint8_t depth = 0;
    core::Role role = core::Role::Host;
    std::int64_t waitNs = 0; ///< communication: leading part in which it only waited (hatched)
};

/// What the timeline draws, whoever made it: the measured project or a predicted replay. GUI
/// thread; every call must answer within a fraction of a millisecond for one screen.
class TimelineSource
{
public:
    virtual ~TimelineSource() = default;
    virtual const std::vector<TimelineTrack> &tracks() const = 0;
    virtual core::TimeRange range() const = 0; ///< aligned
    /// Boxes of a track that overlap `range`, sorted by (depth, start); runs narrower than
    /// `resolutionNs` are merged.
    virtual std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                           std::int64_t resolutionNs) const = 0;
    /// Pieces of a counter's curve that overlap `range`, by time; what lies between them is 0.
    virtual std::vector<CounterPoint> counterPoints(std::size_t /*track*/,
                                                    core::TimeRange /*range*/,
                                                    std::int64_t /*resolutionNs*/) const
    {
        return {};
    }
    /// Name for a label or tooltip.
    virtual QString boxName(std::size_t track, std::uint64_t id) const = 0;
    /// Track of a slice and its box at full resolution; empty if this source does not show it.
    virtual std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const = 0;
    /// Ids of the slices along the critical path, in order of time; empty when unknown.
    virtual std::vector<std::uint64_t> criticalPath() const = 0;
    virtual bool isPredicted() const = 0;
};

} // namespace ui
