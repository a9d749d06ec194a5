#pragma once

#include "core/analyze/diagnosis.h"
#include "core/project/project_reader.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline_sources/clock_map.h"
#include "ui/timeline_sources/track_order.h"

#include <QHash>

#include <filesystem>
#include <memory>
#include <unordered_map>

namespace ui {

/// The measured timeline: slices of a project at aligned times. It has a connection of its own to
/// the project file. Box ids are SliceIds. A file that turns out to be damaged leaves the tracks
/// empty that cannot be read, and error() says why.
class ProjectTimelineSource : public TimelineSource
{
public:
    /// Throws core::Error.
    explicit ProjectTimelineSource(const std::filesystem::path &project);

    /// What waits and the critical path are taken from; null for none.
    void setDiagnosis(std::shared_ptr<const core::Diagnosis> diagnosis);
    /// Keeps only these tracks; call before the source is shown.
    void keepTracks(const std::vector<core::TrackId> &ids);

    const core::ProjectReader &reader() const { return m_reader; }
    const ClockMap &clocks() const { return m_clocks; }
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
    std::int64_t waitOf(std::uint64_t id) const;
    void rebuildIndex();

    core::ProjectReader m_reader;
    OrderedTracks m_order;
    ClockMap m_clocks;
    std::shared_ptr<const core::Diagnosis> m_diagnosis;
    std::unordered_map<std::uint32_t, std::size_t> m_rowOfTrack; ///< TrackId -> index of tracks()
    std::unordered_map<std::uint64_t, std::int64_t> m_waits; ///< SliceId -> ns
    mutable QHash<quint64, quint32> m_nameOfSlice; ///< of wide boxes seen lately
    mutable QHash<quint32, QString> m_names;
    mutable QString m_error;
};

/// Slices that stand for the ops of a graph's critical path, in its order and without repetition.
/// A transfer stands for the part of the rank that came last.
std::vector<std::uint64_t> slicesOf(const core::Graph &graph,
                                    const std::vector<core::OpId> &criticalPath);

} // namespace ui
