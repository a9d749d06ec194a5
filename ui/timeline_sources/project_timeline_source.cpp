#include "ui/timeline_sources/project_timeline_source.h"

#include "core/base/error.h"

#include <algorithm>
#include <unordered_set>

namespace ui {
namespace {

    /// Narrower boxes carry no label, so their names are not worth remembering.
    constexpr std::int64_t NamedFromPixels = 20;

} // namespace

ProjectTimelineSource::ProjectTimelineSource(const std::filesystem::path &project)
    : m_reader(project)
    , m_order(orderTracks(m_reader.info()))
    , m_clocks(m_reader.info().alignment)
{
    m_hasDevice.resize(m_reader.info().workers.size());
    for (const core::Track &track : m_reader.info().tracks) {
        if (track.kind == core::TrackKind::Stream) {
            m_hasDevice[track.worker.value] = true;
        }
    }
    rebuildIndex();
}

core::Role ProjectTimelineSource::shownRole(const core::Track &track, core::Role role) const
{
    return roleOnTrack(track.kind, m_hasDevice[track.worker.value], role);
}

void ProjectTimelineSource::rebuildIndex()
{
    m_rowOfTrack.clear();
    for (std::size_t i = 0; i < m_order.ids.size(); ++i) {
        m_rowOfTrack[m_order.ids[i].value] = i;
    }
}

void ProjectTimelineSource::setMarks(std::shared_ptr<const DiagnosisMarks> marks)
{
    m_marks = std::move(marks);
}

void ProjectTimelineSource::keepTracks(const std::vector<core::TrackId> &ids)
{
    std::unordered_set<std::uint32_t> wanted; // thousands of ranks have as many tracks
    for (const core::TrackId id : ids) {
        wanted.insert(id.value);
    }
    OrderedTracks kept;
    kept.groups = m_order.groups;
    kept.hosts = m_order.hosts;
    kept.accelerators = m_order.accelerators;
    for (std::size_t i = 0; i < m_order.ids.size(); ++i) {
        if (wanted.contains(m_order.ids[i].value)) {
            kept.ids.push_back(m_order.ids[i]);
            kept.tracks.push_back(m_order.tracks[i]);
        }
    }
    m_order = std::move(kept);
    rebuildIndex();
}

const core::Track &ProjectTimelineSource::trackOf(std::size_t track) const
{
    return m_reader.info().tracks[m_order.ids[track].value];
}

std::int64_t ProjectTimelineSource::waitOf(std::uint64_t id) const
{
    if (m_marks == nullptr) {
        return 0;
    }
    const auto wait = m_marks->waitNs.find(id);
    return wait == m_marks->waitNs.end() ? 0 : wait->second;
}

std::vector<TimelineBox> ProjectTimelineSource::boxes(std::size_t track, core::TimeRange range,
                                                      std::int64_t resolutionNs) const
{
    const core::Track &source = trackOf(track);
    const core::TimeRange raw = m_clocks.toRaw(source.worker, range);
    try {
        // A resolution of a nanosecond asks for what there is, not for the finest level of bins.
        const core::TrackWindow window
            = m_reader.readWindow(source.id, raw, resolutionNs <= 1 ? 0 : resolutionNs);
        return window.isExact ? exactBoxes(source, window, resolutionNs)
                              : mergedBoxes(source, window);
    } catch (const core::Error &error) {
        m_error = QString::fromUtf8(error.what()); // nothing may be thrown through a paint event
        return {};
    }
}

std::vector<TimelineBox> ProjectTimelineSource::exactBoxes(const core::Track &track,
                                                           const core::TrackWindow &window,
                                                           std::int64_t resolutionNs) const
{
    constexpr qsizetype MostNames = 200'000;
    if (m_nameOfSlice.size() > MostNames) {
        m_nameOfSlice.clear();
    }
    const core::SliceColumns &slices = window.slices;
    std::vector<TimelineBox> boxes(slices.size());
    bool isSorted = true;
    for (std::size_t row = 0; row < slices.size(); ++row) {
        TimelineBox &box = boxes[row];
        box.startNs = m_clocks.toAligned(track.worker, slices.startNs[row]);
        box.endNs = box.startNs + slices.durationNs[row];
        box.busyNs = slices.durationNs[row];
        box.id = window.ids[row].value;
        box.depth = slices.depth[row];
        box.role = shownRole(track, core::roleOf(slices.category[row], slices.phase[row]));
        box.waitNs = waitOf(box.id);
        if (box.busyNs / NamedFromPixels > resolutionNs) {
            m_nameOfSlice.insert(box.id, slices.name[row].value);
        }
        isSorted = isSorted
            && (row == 0 || boxes[row - 1].depth < box.depth
                || (boxes[row - 1].depth == box.depth && boxes[row - 1].startNs <= box.startNs));
    }
    if (!isSorted) {
        std::ranges::sort(boxes, {},
                          [](const TimelineBox &box) { return std::pair(box.depth, box.startNs); });
    }
    return boxes;
}

std::vector<TimelineBox> ProjectTimelineSource::mergedBoxes(const core::Track &track,
                                                            const core::TrackWindow &window) const
{
    std::vector<TimelineBox> boxes;
    boxes.reserve(window.bins.size());
    for (const core::LevelBin &bin : window.bins) {
        TimelineBox box;
        box.startNs = m_clocks.toAligned(track.worker, bin.startNs);
        box.endNs = box.startNs + (bin.endNs - bin.startNs);
        box.busyNs = bin.busyNs;
        box.id = track.firstSlice.value + bin.longest;
        box.count = bin.count;
        box.depth = bin.depth;
        box.role = shownRole(track, core::roleOf(bin.category, bin.phase));
        box.waitNs = bin.count == 1 ? waitOf(box.id) : 0;
        boxes.push_back(box);
    }
    return boxes;
}

QString ProjectTimelineSource::boxName(std::size_t, std::uint64_t id) const
{
    try {
        const auto known = m_nameOfSlice.constFind(id);
        if (known == m_nameOfSlice.constEnd()) {
            const auto slice = m_reader.slice(core::SliceId(id));
            return slice ? QString::fromStdString(slice->name) : QString();
        }
        auto name = m_names.find(*known);
        if (name == m_names.end()) {
            name = m_names.insert(*known,
                                  QString::fromStdString(m_reader.nameOf(core::NameId(*known))));
        }
        return *name;
    } catch (const core::Error &error) {
        m_error = QString::fromUtf8(error.what());
        return {};
    }
}

std::optional<std::pair<std::size_t, TimelineBox>>
ProjectTimelineSource::shown(core::TrackId track, const TimelineBox &box) const
{
    const auto row = m_rowOfTrack.find(track.value);
    if (row == m_rowOfTrack.end()) {
        return std::nullopt;
    }
    TimelineBox coloured = box;
    coloured.role = shownRole(trackOf(row->second), box.role);
    return std::pair(row->second, coloured);
}

std::optional<std::pair<std::size_t, TimelineBox>>
ProjectTimelineSource::find(std::uint64_t id) const
{
    if (m_marks != nullptr) {
        if (const auto step = m_marks->steps.find(id); step != m_marks->steps.end()) {
            return shown(step->second.first, step->second.second);
        }
    }
    try {
        const auto slice = m_reader.slice(core::SliceId(id));
        if (!slice) {
            return std::nullopt;
        }
        TimelineBox box = boxOf(*slice, m_clocks);
        box.waitNs = waitOf(id);
        return shown(slice->track, box);
    } catch (const core::Error &error) {
        m_error = QString::fromUtf8(error.what());
        return std::nullopt;
    }
}

std::vector<std::uint64_t> ProjectTimelineSource::criticalPath() const
{
    return m_marks == nullptr ? std::vector<std::uint64_t>() : m_marks->criticalPath;
}

} // namespace ui
