#include "ui/timeline/export/timeline_picture.h"

#include "ui/timeline/time_format.h"
#include "ui/timeline/timeline_body.h"
#include "ui/timeline/timeline_ruler.h"
#include "ui/timeline/timeline_track_column.h"
#include "ui/timeline/track_arrangement.h"
#include "ui/widgets/format.h"

#include <QCoreApplication>
#include <QFontMetrics>
#include <QPainter>

#include <algorithm>
#include <utility>

namespace ui {

namespace {

    constexpr int PictureMargin = space::large;
    constexpr int TitleHeight = 24;
    constexpr int LegendLine = 22;
    constexpr int SwatchWidth = 30;
    constexpr int NarrowestAxis = 400; ///< of a window too small for a picture

    struct PictureText
    {
        Q_DECLARE_TR_FUNCTIONS(TimelinePicture)
    };

    /// Owns nothing: a picture is painted at once.
    std::shared_ptr<const TimelineSource> borrowed(const TimelineSource *source)
    {
        return { std::shared_ptr<const TimelineSource>(), source };
    }

    std::optional<TimelineHit> foundIn(const TimelineState &state, const TimelineHit &hit)
    {
        const auto found = state.source()->find(hit.box.id);
        return found ? std::optional(TimelineHit { found->first, found->second }) : std::nullopt;
    }

    void copySelection(const TimelineState &from, TimelineState &to)
    {
        if (!from.selection())
            return;
        to.select(foundIn(to, *from.selection()));
        std::vector<TimelineArrow> arrows;
        for (const TimelineArrow &arrow : from.arrows()) {
            const auto start = foundIn(to, arrow.from);
            const auto end = foundIn(to, arrow.to);
            if (start && end)
                arrows.push_back({ *start, *end, arrow.kind });
        }
        to.setArrows(std::move(arrows), from.moreArrows());
    }

    void copyMarks(const TimelineState &from, TimelineState &to)
    {
        to.setIterations(from.iterations());
        to.setMark(from.mark());
        to.setKeptMarks(from.keptMarks());
        to.setFlags(from.flags());
        to.setCriticalPathShown(from.isCriticalPathShown());
    }

    /// The timeline's rows as they are shown, pins and headings included, of the chosen groups.
    std::shared_ptr<const TimelineSource> sourceOf(const TimelineState &state,
                                                   const std::vector<QString> &groups)
    {
        if (groups.empty())
            return borrowed(state.source());
        const std::vector<TimelineTrack> &all = state.source()->tracks();
        std::vector<std::size_t> order;
        std::vector<TimelineTrack> tracks;
        for (std::size_t i = 0; i < all.size(); ++i)
            if (std::ranges::find(groups, all[i].group) != groups.end()) {
                order.push_back(i);
                tracks.push_back(all[i]);
            }
        return std::make_shared<ArrangedSource>(borrowed(state.source()), std::move(order),
                                                std::move(tracks));
    }

    /// A widget of the timeline, drawn for itself.
    void paintWidget(QPainter &painter, QWidget &widget, const Theme &theme, QRect place)
    {
        widget.setPalette(paletteOf(theme));
        widget.setFixedSize(place.size());
        painter.save();
        painter.setClipRect(place); // a PDF does not clip widgets by itself
        widget.render(&painter, place.topLeft(), {}, QWidget::DrawChildren);
        painter.restore();
    }

} // namespace

std::vector<QString> shownGroups(const TimelineState &state)
{
    std::vector<QString> groups;
    for (const TimelineTrack &track : state.source()->tracks())
        if (std::ranges::find(groups, track.group) == groups.end())
            groups.push_back(track.group);
    return groups;
}

QString timeSpanText(core::TimeRange time)
{
    const std::int64_t step = std::max<std::int64_t>(1, time.durationNs() / 1000);
    return PictureText::tr("%1 to %2 (%3)")
        .arg(formatInstant(time.startNs, step, time.endNs), formatInstant(time.endNs, step),
             formatDuration(time.durationNs()));
}

TimelinePicture::TimelinePicture(const std::vector<PicturedTimeline> &timelines,
                                 const PictureChoice &choice)
    : m_choice(choice)
{
    m_parts.reserve(timelines.size());
    for (const PicturedTimeline &timeline : timelines)
        addPart(timeline, choice);
    layOut();
    findLegend();
    m_size.setHeight(m_partsHeight + flowLegend(nullptr, m_partsHeight) + captionHeight()
                     + PictureMargin);
}

TimelinePicture::~TimelinePicture() = default;

void TimelinePicture::addPart(const PicturedTimeline &timeline, const PictureChoice &choice)
{
    const TimelineState &shown = *timeline.state;
    Part part { timeline.title, std::make_unique<TimelineState>() };
    TimelineState &state = *part.state;
    state.setMetrics(shown.layout().metrics);
    state.setSource(sourceOf(shown, choice.groups));
    state.setFolds(carriedFolds(shown.folds(), shown.source()->tracks(), state.source()->tracks()));
    state.setOriginNs(shown.originNs());
    core::TimeRange time = shown.visible();
    if (choice.time)
        time = { choice.time->startNs + shown.originNs(), choice.time->endNs + shown.originNs() };
    state.setLimits({ std::min(shown.limits().startNs, time.startNs),
                      std::max(shown.limits().endNs, time.endNs) });
    m_axisWidth = std::max({ m_axisWidth, shown.axis().widthPx, NarrowestAxis });
    copyMarks(shown, state);
    copySelection(shown, state);
    state.setVisible(time);
    m_columnWidth = std::max(m_columnWidth, TimelineTrackColumn::fittedWidth(state.layout()));
    m_parts.push_back(std::move(part));
}

void TimelinePicture::findLegend()
{
    for (const LegendEntry &entry : legendEntries()) {
        const auto isSame = [&entry](const LegendEntry &other) { return other.text == entry.text; };
        const bool occurs = std::ranges::any_of(m_parts, [&isSame](const Part &part) {
            return std::ranges::any_of(legendEntries(*part.state), isSame);
        });
        if (occurs)
            m_legend.push_back(entry);
    }
}

void TimelinePicture::layOut()
{
    int y = PictureMargin;
    for (Part &part : m_parts) {
        const core::TimeRange time = part.state->visible();
        part.state->setWidth(m_axisWidth);
        part.state->setVisible(time);
        part.state->setViewportHeight(part.state->layout().height);
        part.top = y;
        y += (part.title.isEmpty() ? 0 : TitleHeight) + TimelineRuler::Height
            + part.state->layout().height + PictureMargin;
    }
    m_partsHeight = y;
    m_size = QSize(m_columnWidth + m_axisWidth + 2 * PictureMargin, 0);
}

int TimelinePicture::flowLegend(QPainter *painter, int top) const
{
    const QFontMetrics metrics(uiFont(TextSize::Small));
    int x = PictureMargin, y = top;
    for (const LegendEntry &entry : m_legend) {
        const int text = metrics.horizontalAdvance(entry.text) + 1;
        if (x > PictureMargin
            && x + SwatchWidth + space::small + text > m_size.width() - PictureMargin) {
            x = PictureMargin;
            y += LegendLine;
        }
        if (painter != nullptr) {
            painter->setFont(uiFont(TextSize::Small));
            paintLegendMark(*painter, { x, y + 4, SwatchWidth, LegendLine - 8 }, entry,
                            m_choice.theme);
            painter->setPen(m_choice.theme.text);
            painter->drawText(QRect(x + SwatchWidth + space::small, y, text, LegendLine),
                              Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        }
        x += SwatchWidth + space::small + text + space::large;
    }
    return m_legend.empty() ? 0 : y + LegendLine - top;
}

int TimelinePicture::captionHeight() const
{
    if (m_choice.caption.isEmpty())
        return 0;
    const QFontMetrics metrics(uiFont(TextSize::Small));
    return space::small
        + metrics
              .boundingRect(QRect(0, 0, m_size.width() - 2 * PictureMargin, 1000), Qt::TextWordWrap,
                            m_choice.caption)
              .height();
}

void TimelinePicture::paint(QPainter &painter, double detail, bool isVector) const
{
    painter.fillRect(QRect(QPoint(), m_size), m_choice.theme.background);
    for (const Part &part : m_parts)
        paintPart(painter, part, detail, isVector);
    const int below = m_partsHeight + flowLegend(&painter, m_partsHeight) + space::small;
    painter.setFont(uiFont(TextSize::Small));
    painter.setPen(m_choice.theme.secondaryText);
    painter.drawText(
        QRect(PictureMargin, below, m_size.width() - 2 * PictureMargin, m_size.height() - below),
        Qt::TextWordWrap | Qt::AlignLeft | Qt::AlignTop, m_choice.caption);
}

void TimelinePicture::paintPart(QPainter &painter, const Part &part, double detail,
                                bool isVector) const
{
    const Theme &theme = m_choice.theme;
    int y = part.top;
    if (!part.title.isEmpty()) {
        painter.setFont(uiFont(TextSize::Normal, QFont::DemiBold));
        painter.setPen(theme.text);
        painter.drawText(QRect(PictureMargin, y, m_size.width() - 2 * PictureMargin, TitleHeight),
                         Qt::AlignLeft | Qt::AlignTop, part.title);
        y += TitleHeight;
    }
    const int left = PictureMargin + m_columnWidth;
    const int height = part.state->layout().height;
    const int body = y + TimelineRuler::Height;
    TimelineRuler ruler(*part.state);
    paintWidget(painter, ruler, theme, { left, y, m_axisWidth, TimelineRuler::Height });
    paintBody(painter, *part.state, { left, body, m_axisWidth, height }, detail, isVector);
    // A drawing in SVG is not clipped: what reaches beyond the axis is covered.
    painter.fillRect(0, y, left, TimelineRuler::Height + height, theme.background);
    painter.fillRect(left + m_axisWidth, y, PictureMargin, TimelineRuler::Height + height,
                     theme.background);
    painter.fillRect(PictureMargin, y, m_columnWidth, TimelineRuler::Height, theme.panel);
    TimelineTrackColumn column(*part.state);
    paintWidget(painter, column, theme, { PictureMargin, body, m_columnWidth, height });
}

void TimelinePicture::paintBody(QPainter &painter, TimelineState &state, QRect place, double detail,
                                bool isVector) const
{
    TimelineBody body(state);
    body.setPalette(paletteOf(m_choice.theme));
    body.setFixedSize(place.size());
    painter.save();
    painter.translate(place.topLeft());
    body.paintOnto(painter, detail, isVector);
    painter.restore();
}

} // namespace ui
