#include "ui/timeline_sources/counters.h"

#include <QCoreApplication>
#include <QHash>

#include <algorithm>
#include <iterator>
#include <utility>

namespace ui {
namespace {

    std::vector<CounterPoint> pointsOf(const std::vector<core::UseStep> &steps)
    {
        std::vector<CounterPoint> points;
        points.reserve(steps.size());
        for (std::size_t i = 0; i + 1 < steps.size(); ++i) {
            const double value = steps[i].value;
            if (value > 0)
                points.push_back({ steps[i].startNs, steps[i + 1].startNs, value, value });
        }
        return points;
    }

    TimelineCounter counterOf(const core::LinkUse &use, const std::vector<CounterPoint> &points)
    {
        TimelineCounter counter;
        counter.unit = use.isBusyShare ? CounterUnit::Share : CounterUnit::BytesPerSec;
        for (const CounterPoint &point : points)
            counter.maximum = std::max(counter.maximum, point.maximum);
        counter.limit = use.capacity;
        if (use.capacity)
            counter.limitName = use.isCapacityStated
                ? QCoreApplication::translate("Timeline", "rate stated in the recording")
                : QCoreApplication::translate("Timeline", "rate fitted to the recording");
        counter.top = use.isBusyShare ? 1 : std::max(counter.maximum, counter.limit.value_or(0));
        return counter;
    }

    TimelineTrack trackOf(const core::LinkUse &use, const std::vector<CounterPoint> &points)
    {
        const QString name = QString::fromStdString(use.name);
        TimelineTrack track;
        track.group = QCoreApplication::translate("Timeline", "Links' use");
        track.name = use.isBusyShare
            ? QCoreApplication::translate("Timeline", "%1 (busy share)").arg(name)
            : name;
        track.counter = counterOf(use, points);
        return track;
    }

    /// A scale for both.
    void joinScales(TimelineTrack &row, const TimelineTrack &other)
    {
        row.counter->top = std::max(row.counter->top, other.counter->top);
        row.counter->maximum = std::max(row.counter->maximum, other.counter->maximum);
    }

} // namespace

Counters linkCounters(const std::vector<core::LinkUse> &uses, const core::JobControl &control)
{
    Counters counters;
    counters.tracks.reserve(uses.size());
    counters.levels.reserve(uses.size());
    for (const core::LinkUse &use : uses) {
        core::throwIfCancelled(control);
        std::vector<CounterPoint> points = pointsOf(use.steps);
        counters.tracks.push_back(trackOf(use, points));
        counters.levels.emplace_back(std::move(points), control);
    }
    return counters;
}

Counters memoryCounters(const std::vector<DeviceMemory> &devices, const core::JobControl &control)
{
    constexpr double RoomForMark = 1.3;
    Counters counters;
    counters.tracks.reserve(devices.size());
    counters.levels.reserve(devices.size());
    for (const DeviceMemory &device : devices) {
        core::throwIfCancelled(control);
        TimelineTrack track;
        track.group = QCoreApplication::translate("Timeline", "Memory");
        track.name = device.name;
        track.counter = TimelineCounter { .unit = CounterUnit::Bytes,
                                          .maximum = device.curve.peak.value,
                                          .top = device.curve.peak.value * RoomForMark,
                                          .limit = {},
                                          .limitName = {},
                                          .peakNs = device.curve.peak.startNs };
        counters.tracks.push_back(std::move(track));
        counters.levels.emplace_back(pointsOf(device.curve.steps), control);
    }
    return counters;
}

void append(Counters &counters, Counters more)
{
    std::ranges::move(more.tracks, std::back_inserter(counters.tracks));
    std::ranges::move(more.levels, std::back_inserter(counters.levels));
}

SourceWithCounters::SourceWithCounters(std::shared_ptr<const TimelineSource> source,
                                       std::shared_ptr<const Counters> counters)
    : m_source(std::move(source))
{
    setCounters(std::move(counters));
}

void SourceWithCounters::setCounters(std::shared_ptr<const Counters> counters)
{
    m_counters = std::move(counters);
    m_tracks = m_source->tracks();
    if (m_counters != nullptr)
        m_tracks.insert(m_tracks.end(), m_counters->tracks.begin(), m_counters->tracks.end());
}

std::vector<TimelineBox> SourceWithCounters::boxes(std::size_t track, core::TimeRange range,
                                                   std::int64_t resolutionNs) const
{
    return track < ownTracks() ? m_source->boxes(track, range, resolutionNs)
                               : std::vector<TimelineBox>();
}

std::vector<CounterPoint> SourceWithCounters::counterPoints(std::size_t track,
                                                            core::TimeRange range,
                                                            std::int64_t resolutionNs) const
{
    return track < ownTracks() ? std::vector<CounterPoint>()
                               : m_counters->levels[track - ownTracks()].read(range, resolutionNs);
}

QString SourceWithCounters::boxName(std::size_t track, std::uint64_t id) const
{
    return track < ownTracks() ? m_source->boxName(track, id) : QString();
}

void addCounterRows(MatchedRows &rows, const Counters &above, std::size_t aboveTracks,
                    const Counters &below, std::size_t belowTracks)
{
    QHash<QString, std::size_t> rowOf; // by group and name
    const auto key = [](const TimelineTrack &track) { return track.group + u'\n' + track.name; };
    for (std::size_t i = 0; i < above.tracks.size(); ++i) {
        rowOf.insert(key(above.tracks[i]), rows.tracks.size());
        rows.tracks.push_back(above.tracks[i]);
        rows.ofMeasured.emplace_back(aboveTracks + i);
        rows.ofPredicted.emplace_back();
    }
    for (std::size_t i = 0; i < below.tracks.size(); ++i) {
        const auto found = rowOf.constFind(key(below.tracks[i]));
        if (found != rowOf.constEnd() && !rows.ofPredicted[*found]) {
            rows.ofPredicted[*found] = belowTracks + i;
            joinScales(rows.tracks[*found], below.tracks[i]);
            continue;
        }
        rows.tracks.push_back(below.tracks[i]);
        rows.ofMeasured.emplace_back();
        rows.ofPredicted.emplace_back(belowTracks + i);
    }
}

} // namespace ui
