#include "ui/timeline/timeline_painter.h"

#include <QPainter>

#include <algorithm>
#include <cmath>

namespace ui {
namespace {

    constexpr int GapFromPx = 4; ///< wider boxes leave a pixel free at their right
    constexpr double LabelFromPx = 40;
    constexpr double HatchLabelFromPx = 140; ///< its plate must not hide the hatch
    constexpr int MostLabels = 400;
    constexpr int HatchPeriodPx = 6;

    /// Position in device pixels, kept in a range that int and QRect bear at any zoom.
    int pixelOf(const TimeAxis &axis, std::int64_t ns)
    {
        constexpr double Far = 1e6;
        return static_cast<int>(std::floor(std::clamp(axis.xOf(ns), -Far, Far)));
    }

} // namespace

QRectF boxRect(const TimelineLayout &layout, const TimeAxis &axis, int scrollY, std::size_t track,
               std::uint32_t depth, std::int64_t startNs, std::int64_t endNs)
{
    const auto [top, height] = barSpan(layout, rowOfTrack(layout, track), depth);
    const int left = pixelOf(axis, startNs);
    const int right = std::max(left + 1, pixelOf(axis, endNs));
    return QRectF(left, top - scrollY, right - left, height);
}

const QImage &TimelinePainter::paint(const TimelineFrame &frame)
{
    m_frame = &frame;
    if (m_image.size() != pixels()) {
        m_image = QImage(pixels(), QImage::Format_RGB32);
    }
    m_image.setDevicePixelRatio(frame.pixelRatio);
    prepare();
    m_image.fill(QColor(m_ground));
    PixelCanvas canvas(m_image);
    paintBoxes(canvas);
    QPainter painter(&m_image);
    paintTexts(painter);
    m_frame = nullptr;
    return m_image;
}

void TimelinePainter::paint(const TimelineFrame &frame, QPainter &painter)
{
    m_frame = &frame;
    prepare();
    painter.save();
    painter.scale(1 / frame.pixelRatio, 1 / frame.pixelRatio);
    PixelCanvas canvas(painter, pixels());
    canvas.fill(0, 0, canvas.width(), canvas.height(), m_ground);
    paintBoxes(canvas);
    painter.restore();
    paintTexts(painter);
    m_frame = nullptr;
}

void TimelinePainter::paintBoxes(PixelCanvas &canvas)
{
    const TimelineFrame &frame = *m_frame;
    const auto [first, last]
        = rowsBetween(*frame.layout, frame.scrollY, frame.scrollY + frame.size.height());
    for (std::size_t i = first; i < last; ++i) {
        paintRowGround(canvas, frame.layout->rows[i]);
    }
    paintIterations(canvas);
    for (std::size_t i = first; i < last; ++i) {
        const TimelineRow &row = frame.layout->rows[i];
        if (row.isCounter) {
            paintCounters(canvas, row);
        } else if (row.kind == RowKind::Track) {
            paintTrack(canvas, row);
        } else if (row.isFolded) {
            paintSummary(canvas, row);
        }
    }
}

void TimelinePainter::paintTexts(QPainter &painter)
{
    const TimelineFrame &frame = *m_frame;
    paintLabels(painter);
    const auto [first, last]
        = rowsBetween(*frame.layout, frame.scrollY, frame.scrollY + frame.size.height());
    for (std::size_t i = first; i < last; ++i) {
        paintPeakOf(painter, frame.layout->rows[i]);
    }
    if (frame.criticalPath != nullptr) {
        paintCriticalPath(painter);
    }
}

QSize TimelinePainter::pixels() const
{
    return (QSizeF(m_frame->size) * m_frame->pixelRatio).toSize().expandedTo({ 1, 1 });
}

void TimelinePainter::prepare()
{
    const TimelineFrame &frame = *m_frame;
    m_deviceAxis = frame.axis;
    m_deviceAxis.nsPerPixel /= frame.pixelRatio;
    m_deviceAxis.widthPx = pixels().width();
    m_labels.setFont(frame.font);
    m_pendingLabels.clear();
    m_statistics = {};

    const Theme &theme = frame.theme;
    const QColor ground = frame.source->isPredicted() ? theme.predictedGround : theme.background;
    for (std::size_t i = 0; i < m_shades.size(); ++i) {
        const QColor colour = theme.role(static_cast<core::Role>(i));
        Shades &shades = m_shades[i];
        shades.full = colour.rgb();
        shades.dimmed = blend(ground, colour, 0.28).rgb();
        shades.dimmedGround = blend(ground, colour, 0.08).rgb();
        shades.stripe = blend(ground, colour, 0.9).rgb();
        shades.stripeGround = blend(ground, colour, 0.16).rgb();
        for (std::size_t level = 0; level < shades.byUse.size(); ++level) {
            const double opacity = 0.4 + 0.2 * static_cast<double>(level);
            shades.byUse[level] = blend(ground, colour, opacity).rgb();
        }
    }
    m_ground = ground.rgb();
    findPath();
}

int TimelinePainter::toDevice(int logical) const
{
    return static_cast<int>(std::lround(logical * m_frame->pixelRatio));
}

void TimelinePainter::paintRowGround(PixelCanvas &canvas, const TimelineRow &row)
{
    const Theme &theme = m_frame->theme;
    const int top = toDevice(row.y - m_frame->scrollY);
    if (row.kind == RowKind::Group && !row.isFolded) {
        const QColor ground = m_frame->source->isPredicted()
            ? blend(theme.predictedGround, theme.panel, 0.6)
            : theme.panel;
        canvas.fill(0, top, canvas.width(), toDevice(row.height), ground.rgb());
    }
    if (row.kind == RowKind::Section) {
        canvas.fill(0, top, canvas.width(), toDevice(row.height),
                    blend(theme.panel, theme.line, 0.6).rgb());
    }
    if (row.kind == RowKind::Group) {
        canvas.fill(0, top, canvas.width(), 1, theme.line.rgb());
    }
}

void TimelinePainter::paintIterations(PixelCanvas &canvas)
{
    for (const std::int64_t start : m_frame->iterationBoundsNs) {
        canvas.fill(pixelOf(m_deviceAxis, start), 0, 1, canvas.height(), m_frame->theme.line.rgb());
    }
}

void TimelinePainter::paintTrack(PixelCanvas &canvas, const TimelineRow &row)
{
    const std::vector<TimelineBox> boxes = m_frame->source->boxes(
        row.firstTrack, m_deviceAxis.visible(), m_deviceAxis.resolutionNs());
    std::vector<int> paintedTo(row.depths, -1);
    m_firstLabelOfRow = m_pendingLabels.size();
    for (const TimelineBox &box : boxes) { // by depth: in a flat row the deeper ones over others
        if (row.isFlat ? !isShownFlat(box) : box.depth >= row.depths) {
            continue;
        }
        if (box.depth >= paintedTo.size()) {
            paintedTo.resize(box.depth + 1U, -1);
        }
        paintBox(canvas, row, box, paintedTo);
    }
}

void TimelinePainter::paintCounters(PixelCanvas &canvas, const TimelineRow &row)
{
    if (row.kind == RowKind::Group && !row.isFolded)
        return;
    const auto [logicalTop, logicalHeight] = barSpan(*m_frame->layout, row, 0);
    const int top = toDevice(logicalTop - m_frame->scrollY);
    const CounterArea area { top, toDevice(logicalTop + logicalHeight - m_frame->scrollY) - top };
    const CounterColumns columns
        = counterColumns(*m_frame->source, row.firstTrack, row.endTrack, m_deviceAxis);
    const TimelineTrack &first = m_frame->source->tracks()[row.firstTrack];
    paintCurve(canvas, columns, curveColours(m_frame->theme, m_ground, *first.counter), area);
    if (row.kind == RowKind::Track)
        paintLimit(canvas, *first.counter, m_frame->theme, area);
}

void TimelinePainter::paintPeakOf(QPainter &painter, const TimelineRow &row)
{
    if (!row.isCounter || row.kind != RowKind::Track)
        return;
    const auto [top, height] = barSpan(*m_frame->layout, row, 0);
    painter.setFont(m_frame->font);
    paintPeak(painter, *m_frame->source->tracks()[row.firstTrack].counter, m_frame->theme,
              m_frame->axis, { top - m_frame->scrollY, height });
}

void TimelinePainter::paintBox(PixelCanvas &canvas, const TimelineRow &row, const TimelineBox &box,
                               std::vector<int> &paintedTo)
{
    const int left = std::max(pixelOf(m_deviceAxis, box.startNs), -1);
    const int right = std::min(std::max(left + 1, pixelOf(m_deviceAxis, box.endNs)),
                               canvas.width() + GapFromPx);
    int &done = paintedTo[box.depth];
    if (right <= done) {
        return; // lies within columns that are painted already
    }
    const int from = std::max(left, done);
    done = right;
    const auto [logicalTop, logicalHeight] = barSpan(*m_frame->layout, row, box.depth);
    const int top = toDevice(logicalTop - m_frame->scrollY);
    const int height = toDevice(logicalTop + logicalHeight - m_frame->scrollY) - top;
    const int gap = right - left > GapFromPx ? 1 : 0;
    const QRect rect(from, top, right - from - gap, height);
    const bool isDimmed = !isHighlighted(row.firstTrack, box);
    const Shades &shades = shadesOf(box.role);
    QRgb colour = isDimmed ? shades.dimmed : shades.full;
    if (box.count > 1 && !isDimmed) {
        const double span = static_cast<double>(std::max<std::int64_t>(1, box.endNs - box.startNs));
        const double use = std::clamp(static_cast<double>(box.busyNs) / span, 0.0, 1.0);
        colour = shades.byUse[static_cast<std::size_t>(std::min(3.0, use * 4))];
    }
    if (row.isFlat) {
        canvas.fill(rect.x(), rect.y(), rect.width() + gap, rect.height(), m_ground);
        trimHiddenLabels(rect);
    }
    canvas.fill(rect.x(), rect.y(), rect.width(), rect.height(), colour);
    ++m_statistics.boxes;
    if (box.waitNs > 0 && rect.width() > 1) {
        paintWait(canvas, box, rect, isDimmed);
    }
    if (rect.width() > LabelFromPx * m_frame->pixelRatio) {
        addLabel(box, row.firstTrack, rect, isDimmed);
    }
}

void TimelinePainter::paintWait(PixelCanvas &canvas, const TimelineBox &box, const QRect &rect,
                                bool isDimmed)
{
    const int waitEnd
        = std::min(pixelOf(m_deviceAxis, box.startNs + box.waitNs), rect.x() + rect.width());
    const int width = waitEnd - rect.x();
    const Shades &shades = shadesOf(box.role);
    canvas.hatch(rect.x(), rect.y(), width, rect.height(), isDimmed ? shades.dimmed : shades.stripe,
                 isDimmed ? shades.dimmedGround : shades.stripeGround, toDevice(HatchPeriodPx));
}

/// Each keeps the wider part of its room beside what is drawn over it, if that is still enough.
void TimelinePainter::trimHiddenLabels(const QRect &rect)
{
    const double ratio = m_frame->pixelRatio;
    const QRectF cover(rect.x() / ratio, rect.y() / ratio, rect.width() / ratio,
                       rect.height() / ratio);
    for (std::size_t i = m_firstLabelOfRow; i < m_pendingLabels.size(); ++i) {
        QRectF &room = m_pendingLabels[i].rect;
        if (!room.intersects(cover)) {
            continue;
        }
        if (cover.left() - room.left() > room.right() - cover.right()) {
            room.setRight(cover.left());
        } else {
            room.setLeft(cover.right());
        }
    }
    const auto first = m_pendingLabels.begin() + static_cast<std::ptrdiff_t>(m_firstLabelOfRow);
    m_pendingLabels.erase(
        std::remove_if(first, m_pendingLabels.end(),
                       [](const Label &label) { return label.rect.width() <= LabelFromPx; }),
        m_pendingLabels.end());
}

void TimelinePainter::findPath()
{
    m_pathOf.clear();
    if (m_frame->criticalPath == nullptr) {
        return;
    }
    const std::vector<CriticalStep> &steps = *m_frame->criticalPath;
    const core::TimeRange visible = m_frame->axis.visible();
    auto step = std::ranges::partition_point(
        steps, [&visible](const CriticalStep &s) { return s.startNs < visible.startNs; });
    if (step != steps.begin()) {
        --step;
    }
    std::vector<CriticalStep> *last = nullptr;
    for (; step != steps.end() && step->startNs < visible.endNs; ++step) {
        if (last == nullptr || last->back().track != step->track) {
            last = &m_pathOf[step->track];
        }
        last->push_back(*step);
    }
}

/// By times, so that what a step is made of, and a box that many slices were merged into, stand out
/// as well.
bool TimelinePainter::isHighlighted(std::size_t track, const TimelineBox &box) const
{
    if (m_frame->criticalPath == nullptr || m_frame->criticalPath->empty()) {
        return true;
    }
    const auto found = m_pathOf.find(track);
    if (found == m_pathOf.end()) {
        return false;
    }
    const std::vector<CriticalStep> &steps = found->second;
    auto step = std::ranges::partition_point(
        steps, [&box](const CriticalStep &s) { return s.endNs <= box.startNs; });
    for (; step != steps.end() && step->startNs < box.endNs; ++step) {
        if (step->depth <= box.depth) {
            return true;
        }
    }
    return false;
}

void TimelinePainter::addLabel(const TimelineBox &box, std::size_t track, const QRect &rect,
                               bool isDimmed)
{
    if (m_pendingLabels.size() >= MostLabels) {
        return;
    }
    const double ratio = m_frame->pixelRatio;
    const int left = std::max(rect.left(), 0);
    const int right = std::min(rect.right() + 1, m_deviceAxis.widthPx);
    const int waitEnd = box.waitNs > 0
        ? std::clamp(pixelOf(m_deviceAxis, box.startNs + box.waitNs), left, right)
        : left;
    // On the transfer where that has the room: two slices alike are labelled alike.
    const bool isOnHatch = right - waitEnd <= LabelFromPx * ratio;
    const int from = isOnHatch ? left : waitEnd;
    const int to = isOnHatch ? waitEnd : right;
    if (to - from <= (isOnHatch ? HatchLabelFromPx : LabelFromPx) * ratio) {
        return;
    }
    m_pendingLabels.push_back(
        { QRectF(from / ratio, rect.y() / ratio, (to - from) / ratio, rect.height() / ratio), track,
          box.id, box.role, isOnHatch, isDimmed });
}

void TimelinePainter::paintSummary(PixelCanvas &canvas, const TimelineRow &row)
{
    std::vector<float> waits;
    const RoleUse use
        = utilisation(*m_frame->source, row.firstTrack, row.endTrack, m_deviceAxis, &waits);
    constexpr int ThinRow = 18;
    const int margin = row.height < ThinRow ? 1 : 3;
    const int top = toDevice(row.y - m_frame->scrollY + margin);
    const int height = toDevice(row.height - 2 * margin);
    LaneColours colours = laneColours(m_frame->theme);
    std::ranges::transform(m_shades, colours.dimmed.begin(), &Shades::dimmed);
    colours.isDimmed = dimmedColumns(row);
    const bool isSplit = hasCommunication(use) && hasOtherThanCommunication(use);
    const int upper = isSplit ? height * 3 / 5 : height;
    const int lower = isSplit ? height - upper - 1 : height;
    paintLane(canvas, use, colours, Lane::Work, top, upper);
    paintLane(canvas, use, colours, Lane::Communication, top + height - lower, lower);
    paintSummaryWaits(canvas, waits, colours.isDimmed, QRect(0, top + height - lower, 0, lower));
}

void TimelinePainter::paintSummaryWaits(PixelCanvas &canvas, const std::vector<float> &waits,
                                        const std::vector<bool> &isDimmed, const QRect &lane)
{
    constexpr float MostOfAColumn = 0.5F;
    const Shades &shades = shadesOf(core::Role::Communication);
    const auto isWait = [&](std::size_t column) { return waits[column] > MostOfAColumn; };
    const auto dims
        = [&](std::size_t column) { return column < isDimmed.size() && isDimmed[column]; };
    for (std::size_t from = 0; from < waits.size();) {
        std::size_t to = from + 1;
        while (to < waits.size() && isWait(to) == isWait(from) && dims(to) == dims(from)) {
            ++to;
        }
        if (isWait(from)) {
            canvas.hatch(static_cast<int>(from), lane.y(), static_cast<int>(to - from),
                         lane.height(), dims(from) ? shades.dimmed : shades.stripe,
                         dims(from) ? shades.dimmedGround : shades.stripeGround,
                         toDevice(HatchPeriodPx));
        }
        from = to;
    }
}

std::vector<bool> TimelinePainter::dimmedColumns(const TimelineRow &row) const
{
    if (m_frame->criticalPath == nullptr || m_frame->criticalPath->empty()) {
        return {};
    }
    std::vector<bool> isDimmed(static_cast<std::size_t>(m_deviceAxis.widthPx), true);
    const auto column = [this](std::int64_t ns) {
        return std::clamp(pixelOf(m_deviceAxis, ns), 0, static_cast<int>(m_deviceAxis.widthPx));
    };
    auto ofTrack = m_pathOf.lower_bound(row.firstTrack);
    for (; ofTrack != m_pathOf.end() && ofTrack->first < row.endTrack; ++ofTrack) {
        for (const CriticalStep &step : ofTrack->second) {
            const int from = column(step.startNs);
            std::fill(isDimmed.begin() + from,
                      isDimmed.begin()
                          + std::min(m_deviceAxis.widthPx, std::max(from + 1, column(step.endNs))),
                      false);
        }
    }
    return isDimmed;
}

void TimelinePainter::paintLabels(QPainter &painter)
{
    constexpr double Margin = 4;
    painter.setFont(m_frame->font);
    for (const Label &label : m_pendingLabels) {
        const QString name = m_frame->source->boxName(label.track, label.id);
        const QStaticText &text = m_labels.label(name, label.rect.width() - 2 * Margin);
        if (text.text().isEmpty()) {
            continue;
        }
        const QSizeF size = text.size();
        const QPointF at(label.rect.x() + Margin,
                         std::round(label.rect.center().y() - size.height() / 2));
        if (label.isOnHatch) {
            painter.fillRect(
                QRectF(at.x() - 2, label.rect.y() + 2, size.width() + 4, label.rect.height() - 4),
                m_frame->theme.background);
        }
        painter.setPen(label.isDimmed        ? m_frame->theme.secondaryText
                           : label.isOnHatch ? m_frame->theme.text
                                             : m_frame->theme.onRole(label.role));
        painter.drawStaticText(at, text);
        ++m_statistics.labels;
    }
}

void TimelinePainter::paintCriticalPath(QPainter &painter)
{
    const std::vector<std::vector<QPointF>> pieces = criticalPieces(
        criticalLine(*m_frame->criticalPath, *m_frame->layout, m_frame->axis, m_frame->scrollY));
    const auto draw = [&](const QColor &colour, double width) {
        painter.setPen(QPen(colour, width, Qt::SolidLine, Qt::FlatCap, Qt::BevelJoin));
        for (const std::vector<QPointF> &points : pieces)
            painter.drawPolyline(points.data(), static_cast<int>(points.size()));
    };
    painter.setRenderHint(QPainter::Antialiasing, false);
    draw(m_frame->theme.criticalPathCasing, 4);
    draw(m_frame->theme.criticalPath, 2);
}

} // namespace ui
