#pragma once

#include "ui/theme/theme.h"
#include "ui/timeline/critical_line.h"
#include "ui/timeline/drawing/counter_curve.h"
#include "ui/timeline/drawing/label_cache.h"
#include "ui/timeline/drawing/pixel_canvas.h"
#include "ui/timeline/timeline_coordinates.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_source.h"
#include "ui/timeline/utilisation.h"

#include <QImage>
#include <QRectF>

#include <array>
#include <cstdint>
#include <map>
#include <vector>

class QPainter;

namespace ui {

/// Everything that one frame of the track area depends on.
struct TimelineFrame
{
    const TimelineSource *source = nullptr;
    const TimelineLayout *layout = nullptr;
    const std::vector<CriticalStep> *criticalPath = nullptr; ///< null: not shown
    std::vector<std::int64_t> iterationBoundsNs;
    TimeAxis axis; ///< logical pixels
    int scrollY = 0; ///< content line at the top
    QSize size; ///< logical pixels
    double pixelRatio = 1;
    Theme theme;
    QFont font;
};

struct PaintStatistics
{
    int boxes = 0; ///< rectangles filled
    int labels = 0;
};

/// Rectangle of a box in the widget (logical pixels), at least a pixel wide.
QRectF boxRect(const TimelineLayout &layout, const TimeAxis &axis, int scrollY, std::size_t track,
               std::uint32_t depth, std::int64_t startNs, std::int64_t endNs);

/// Paints the track area of a timeline into an image. Boxes narrower than a pixel are merged,
/// boxes wider than 4 px leave a gap at their right, those wider than 40 px carry their name. While
/// the critical path is shown, slices that are not on it are dimmed.
/// Keeps its buffers and laid-out labels from frame to frame.
class TimelinePainter
{
public:
    const QImage &paint(const TimelineFrame &frame);
    /// The same as vectors at the painter's origin, for files; boxes are told apart as finely as
    /// the frame's pixelRatio says.
    void paint(const TimelineFrame &frame, QPainter &painter);
    PaintStatistics statistics() const { return m_statistics; }

private:
    struct Label
    {
        QRectF rect; ///< logical
        std::size_t track;
        std::uint64_t id;
        core::Role role;
        bool isOnHatch; ///< lies on the waiting part
        bool isDimmed;
    };
    struct Shades
    {
        QRgb full, stripe, stripeGround;
        QRgb dimmed, dimmedGround; ///< off the critical path, while that is shown
        std::array<QRgb, 4> byUse; ///< of merged boxes that are 25, 50, 75, 100 % busy
    };

    void prepare();
    QSize pixels() const; ///< of the frame
    void paintBoxes(PixelCanvas &canvas);
    void paintTexts(QPainter &painter);
    void paintIterations(PixelCanvas &canvas);
    void paintRowGround(PixelCanvas &canvas, const TimelineRow &row);
    void paintTrack(PixelCanvas &canvas, const TimelineRow &row);
    /// A counter, or the one of a folded group that is highest at each time.
    void paintCounters(PixelCanvas &canvas, const TimelineRow &row);
    void paintPeakOf(QPainter &painter, const TimelineRow &row);
    void paintBox(PixelCanvas &canvas, const TimelineRow &row, const TimelineBox &box,
                  std::vector<int> &paintedTo);
    void paintWait(PixelCanvas &canvas, const TimelineBox &box, const QRect &rect, bool isDimmed);
    void addLabel(const TimelineBox &box, std::size_t track, const QRect &rect, bool isDimmed);
    void trimHiddenLabels(const QRect &rect); ///< of a flat row, device pixels
    void findPath();
    /// Whether it is on the critical path, or none is shown.
    bool isHighlighted(std::size_t track, const TimelineBox &box) const;
    void paintSummary(PixelCanvas &canvas, const TimelineRow &row);
    /// Hatches the columns of a folded row's lane that are mostly waiting; `lane`: top and height.
    void paintSummaryWaits(PixelCanvas &canvas, const std::vector<float> &waits,
                           const std::vector<bool> &isDimmed, const QRect &lane);
    /// Columns in which no track of a folded row is on the path; empty while none is shown.
    std::vector<bool> dimmedColumns(const TimelineRow &row) const;
    void paintLabels(QPainter &painter);
    void paintCriticalPath(QPainter &painter);

    int toDevice(int logical) const;
    const Shades &shadesOf(core::Role role) const
    {
        return m_shades[static_cast<std::size_t>(role)];
    }

    const TimelineFrame *m_frame = nullptr; ///< only while paint() runs
    TimeAxis m_deviceAxis;
    QImage m_image;
    LabelCache m_labels;
    std::array<Shades, core::RoleCount> m_shades {};
    QRgb m_ground = 0;
    std::map<std::size_t, std::vector<CriticalStep>> m_pathOf; ///< by track, of what is visible
    std::vector<Label> m_pendingLabels;
    std::size_t m_firstLabelOfRow = 0; ///< in m_pendingLabels
    PaintStatistics m_statistics;
};

} // namespace ui
