#pragma once

#include "core/base/time_range.h"
#include "ui/timeline/export/timeline_picture.h"
#include "ui/timeline/timeline_state.h"

#include <QObject>

#include <optional>
#include <utility>
#include <vector>

namespace ui {

class TimelineWidget;

/// Two timelines that show the same range, each counted from its own origin, and the same rows (see
/// MatchedRows): what one is moved or zoomed to, points at, or folds, the other does as well.
class TiedTimelines : public QObject
{
    Q_OBJECT

public:
    /// The widgets must outlive it.
    TiedTimelines(TimelineWidget &above, TimelineWidget &below, QObject *parent);

    /// Both begin with these ranges: their starts become the origins. While one is set the other
    /// does not follow.
    void align(core::TimeRange above, core::TimeRange below);
    /// For a picture, with a title each; without those that have no source.
    std::vector<PicturedTimeline> pictured(const QString &above, const QString &below) const;
    /// Calls change(), which does not move the other timeline.
    template <class Change>
    void changeOne(Change change)
    {
        const bool wasTying = std::exchange(m_isTying, true);
        change();
        m_isTying = wasTying;
    }

private:
    void tie(TimelineWidget &from, TimelineWidget &to);
    void follow(const TimelineState &from, TimelineState &to);
    /// Rows of the same heights in both, of which as many as possible are seen at once.
    void fitRows();
    void foldAlike(const TimelineState &from, TimelineState &to);
    void pointAlike(const TimelineState &from, TimelineState &to);

    TimelineWidget &m_above;
    TimelineWidget &m_below;
    bool m_isTying = false;
    bool m_isFitting = false;
};

/// The folds of a timeline, where it is to show the same rows again; else none.
std::optional<FoldState> foldsFor(const TimelineState &state,
                                  const std::vector<TimelineTrack> &rows);

} // namespace ui
