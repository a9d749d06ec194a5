#pragma once

#include "ui/theme/theme.h"
#include "ui/timeline/export/legend_entries.h"
#include "ui/timeline/timeline_state.h"

#include <QSize>
#include <QString>

#include <cstddef>
#include <memory>
#include <optional>
#include <vector>

class QPainter;

namespace ui {

/// A timeline that can be drawn for itself.
struct PicturedTimeline
{
    const TimelineState *state = nullptr; ///< has a source
    QString title; ///< above its rows; empty: none
};

/// Implemented by a view (beside QWidget) that shows timelines.
class PicturedTimelines
{
public:
    virtual ~PicturedTimelines() = default;
    /// From top to bottom; none without a source. They live until the source changes.
    virtual std::vector<PicturedTimeline> picturedTimelines() const = 0;
};

/// What of the timelines a picture shows.
struct PictureChoice
{
    std::vector<QString> groups = {}; ///< by name, of those that are shown; empty: all
    std::optional<core::TimeRange> time = {}; ///< counted from the origin; empty: what is visible
    Theme theme = lightTheme();
    QString caption = {}; ///< below all
};

/// Names of the groups that a timeline shows, top down, each once.
std::vector<QString> shownGroups(const TimelineState &state);

/// "12.3 ms to 15.3 ms (3.0 ms)"; counted from the origin.
QString timeSpanText(core::TimeRange time);

/// Timelines in full height with their row names, time axis, legend and caption, without bars and
/// buttons: what the user chose, as the window draws it. GUI thread; made and painted at once.
class TimelinePicture
{
public:
    TimelinePicture(const std::vector<PicturedTimeline> &timelines, const PictureChoice &choice);
    ~TimelinePicture();
    TimelinePicture(const TimelinePicture &) = delete;
    TimelinePicture &operator=(const TimelinePicture &) = delete;

    /// In pixels of the window.
    QSize size() const { return m_size; }
    const std::vector<LegendEntry> &legend() const { return m_legend; }
    /// Tracks of a timeline as the picture shows them, top down.
    const std::vector<TimelineTrack> &tracks(std::size_t timeline) const
    {
        return m_parts[timeline].state->source()->tracks();
    }
    /// At the painter's origin; `detail` pixels of an image to one of the window, or vectors.
    void paint(QPainter &painter, double detail, bool isVector) const;

private:
    struct Part
    {
        QString title;
        std::unique_ptr<TimelineState> state;
        int top = 0;
    };

    void addPart(const PicturedTimeline &timeline, const PictureChoice &choice);
    void findLegend();
    void layOut();
    void paintPart(QPainter &painter, const Part &part, double detail, bool isVector) const;
    void paintBody(QPainter &painter, TimelineState &state, QRect place, double detail,
                   bool isVector) const;
    /// Places the entries in lines; draws them with a painter. Returns the height.
    int flowLegend(QPainter *painter, int top) const;
    int captionHeight() const;

    PictureChoice m_choice;
    std::vector<Part> m_parts;
    std::vector<LegendEntry> m_legend;
    int m_columnWidth = 0;
    int m_axisWidth = 0;
    int m_partsHeight = 0;
    QSize m_size;
};

} // namespace ui
