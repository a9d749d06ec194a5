#pragma once

#include "core/base/job_control.h"
#include "core/predict/prediction.h"
#include "core/replay/replayed_collectives.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline_sources/level_of_detail.h"
#include "ui/timeline_sources/track_order.h"

#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

namespace ui {

/// The predicted timeline: one track a device of the rewritten graph, one box an op, at the
/// replay's times. A collective is drawn where each rank takes part in it: on the device of its
/// ready op, from there to the end of the transfer. Box ids are OpIds.
class ReplayTimelineSource : public TimelineSource
{
public:
    /// `result` must have graph and replay; `ranks` by WorkerId order the groups, which `measured`
    /// names. Devices that stand for a track of `measured` are called and ordered like it; a
    /// parameter server's ends of links have a group of their own. Throws core::Cancelled.
    ReplayTimelineSource(std::shared_ptr<const core::Prediction> result,
                         const std::vector<core::Worker> &ranks, const OrderedTracks &measured,
                         const core::JobControl &control);

    /// By track: which of the measured ones it stands for.
    const std::vector<std::optional<core::TrackId>> &measuredTracks() const
    {
        return m_measuredTracks;
    }

    const std::vector<TimelineTrack> &tracks() const override { return m_tracks; }
    core::TimeRange range() const override { return m_range; }
    std::vector<TimelineBox> boxes(std::size_t track, core::TimeRange range,
                                   std::int64_t resolutionNs) const override;
    QString boxName(std::size_t track, std::uint64_t id) const override;
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override;
    std::vector<std::uint64_t> criticalPath() const override;
    bool isPredicted() const override { return true; }

private:
    /// `head`: name and place of the track.
    void addTrack(const std::vector<core::OpId> &ops, TimelineTrack head,
                  const core::JobControl &control);
    void findParts(const core::JobControl &control);
    /// Of a backend's threads, which of them takes a collective is not predicted: one whose own is
    /// at another one goes to the one that is free first, be it one that settings left without any.
    /// `opsOf`: by device.
    void useFreeThreads(std::vector<std::vector<core::OpId>> &opsOf,
                        const core::JobControl &control);
    std::size_t trackOf(core::OpId op) const;
    TimelineBox boxOf(core::OpId op) const;

    std::shared_ptr<const core::Prediction> m_result;
    std::vector<TimelineTrack> m_tracks;
    std::vector<std::optional<core::TrackId>> m_measuredTracks;
    std::vector<std::vector<LevelOfDetail>> m_levels; ///< by track, by depth
    std::vector<std::size_t> m_trackOfDevice;
    std::unordered_map<std::uint32_t, core::ReplayedPart> m_parts; ///< by ready op
    std::unordered_map<std::uint32_t, core::OpId>
        m_lastPart; ///< transfer -> the last rank's ready op
    std::vector<std::uint8_t> m_depthOfOp; ///< by op
    std::vector<bool> m_hasDevice; ///< by WorkerId
    std::unordered_map<std::uint32_t, std::uint32_t>
        m_otherDevices; ///< of ops that are drawn on another one than theirs
    std::unordered_map<std::uint32_t, std::int64_t>
        m_laterStarts; ///< of ops that are drawn from then on only; aligned
    core::TimeRange m_range;
};

} // namespace ui
