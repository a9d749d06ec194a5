#pragma once

#include "core/model/ids.h"
#include "ui/timeline/timeline_source.h"

#include <memory>
#include <optional>
#include <vector>

namespace ui {

/// Rows in which two timelines can be shown one above the other, each op at the same height in
/// both.
struct MatchedRows
{
    std::vector<TimelineTrack> tracks; ///< with as many lines as the deeper of both needs
    /// By row: the track of the one, and of the other, that stands there; empty where it has none.
    std::vector<std::optional<std::size_t>> ofMeasured, ofPredicted;

    friend bool operator==(const MatchedRows &, const MatchedRows &) = default;
};

/// `measuredOf` says by predicted track which measured one it stands for. Groups and tracks keep
/// the order that they have in either; a predicted track that stands for none, or for one that
/// another stands for already, comes behind the measured ones of its group that are as much a
/// device's, communication's or host's as it is.
MatchedRows matchRows(const std::vector<TimelineTrack> &measured,
                      const std::vector<TimelineTrack> &predicted,
                      const std::vector<std::optional<std::size_t>> &measuredOf);

/// A source whose tracks stand in rows that another one fills, too.
class SourceInRows : public TimelineSource
{
public:
    /// `trackOf` by row, as in MatchedRows.
    SourceInRows(std::shared_ptr<const TimelineSource> source, std::vector<TimelineTrack> rows,
                 std::vector<std::optional<std::size_t>> trackOf);

    const std::vector<TimelineTrack> &tracks() const override { return m_rows; }
    core::TimeRange range() const override { return m_source->range(); }
    std::vector<TimelineBox> boxes(std::size_t row, core::TimeRange range,
                                   std::int64_t resolutionNs) const override;
    std::vector<CounterPoint> counterPoints(std::size_t row, core::TimeRange range,
                                            std::int64_t resolutionNs) const override;
    QString boxName(std::size_t row, std::uint64_t id) const override;
    std::optional<std::pair<std::size_t, TimelineBox>> find(std::uint64_t id) const override;
    std::vector<std::uint64_t> criticalPath() const override { return m_source->criticalPath(); }
    bool isPredicted() const override { return m_source->isPredicted(); }

private:
    std::shared_ptr<const TimelineSource> m_source;
    std::vector<TimelineTrack> m_rows;
    std::vector<std::optional<std::size_t>> m_trackOf;
    std::vector<std::size_t> m_rowOf; ///< by track
};

} // namespace ui
