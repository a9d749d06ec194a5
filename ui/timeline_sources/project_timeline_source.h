#pragma once

#include "core/project/read/project_reader.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline_sources/clock_map.h"
#include "ui/timeline_sources/diagnosis_marks.h"
#include "ui/timeline_sources/track_order.h"

#include <QHash>

#include <filesystem>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ui {

/// The measured timeline: slices of a project at aligned times. It has a connection of its own to
/// the project file. Box ids are SliceIds. A file that turns out to be damaged leaves the tracks
/// empty that cannot be read, and error() says why.
class ProjectTimelineSource : public TimelineSource
{
public:
    /// Throws core::Error.
    explicit ProjectTimelineSource(const std::filesystem::path &project);

    /// Waits and the critical path, of the same project; null for none.
    void setMarks(std::shared_ptr<const DiagnosisMarks> marks);
    /// Keeps only these tracks; call before the source is shown.
    void keepTracks(const std::vector<core::TrackId> &ids);

    const core::ProjectReader &reader() const { return m_reader; }
    const ClockMap &clocks() const { return m_clocks; }
    const OrderedTracks &order() const { return m_order; } ///< of tracks()
    core::TrackId trackId(std::size_t track) const { return m_order.ids[track]; }
    QString error() const { return m_error; } ///< of the last failed read; empty: none

    const std::vector<TimelineTrack> &tracks() const override { return m_order.tracks; }
    core::TimeRange range() const override { return m_reader.info().alignedRange; }
    std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                   std::int64_t resolutionNs) const override;
    QString boxName(std::size_t track, std::uint64_t id) const override;
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override;
    std::vector<std::uint64_t> criticalPath() const override;
    bool isPredicted() const override { return false; }

private:
    const core::Track &trackOf(std::size_t track) const;
    std::vector<TimelineBox> exactBoxes(const core::Track &track, const core::TrackWindow &window,
                                        std::int64_t resolutionNs) const;
    std::vector<TimelineBox> mergedBoxes(const core::Track &track,
                                         const core::TrackWindow &window) const;
    core::Role shownRole(const core::Track &track, core::Role role) const;
    std::int64_t waitOf(std::uint64_t id) const;
    /// With its row; empty for a track that is not kept.
    std::optional<std::pair<std::size_t, TimelineBox>> shown(core::TrackId track,
                                                             const TimelineBox &box) const;
    void rebuildIndex();

    core::ProjectReader m_reader;
    OrderedTracks m_order;
    ClockMap m_clocks;
    std::vector<bool> m_hasDevice; ///< by WorkerId
    std::shared_ptr<const DiagnosisMarks> m_marks;
    std::unordered_map<std::uint32_t, std::size_t> m_rowOfTrack; ///< TrackId -> index of tracks()
    mutable QHash<quint64, quint32> m_nameOfSlice; ///< of wide boxes seen lately
    mutable QHash<quint32, QString> m_names;
    mutable QString m_error;
};

} // namespace ui
