#include "ui/views/compare/twins/delta_ribbon.h"

#include "ui/theme/theme.h"
#include "ui/timeline/timeline_widget.h"
#include "ui/views/compare/twins/op_details.h"
#include "ui/widgets/format.h"

#include <QHelpEvent>
#include <QMouseEvent>
#include <QPainter>
#include <QPainterPath>
#include <QToolTip>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

namespace ui {
namespace {

    constexpr int RibbonHeight = 30;
    constexpr int BinPx = 6; ///< of the upper axis: one op each
    constexpr double Slack = 3; ///< pixels beside a ribbon that still hit it

    core::TimeRange fromOrigin(const TimelineBox &box, std::int64_t originNs)
    {
        return { box.startNs - originNs, box.endNs - originNs };
    }

    /// Tracks of the group: where it has an accelerator those of streams and communication, else
    /// all.
    std::vector<std::size_t> tracksOf(const std::vector<TimelineTrack> &tracks,
                                      const QString &group)
    {
        std::vector<std::size_t> all, devices;
        bool hasStream = false;
        for (std::size_t i = 0; i < tracks.size(); ++i) {
            if (tracks[i].group != group)
                continue;
            all.push_back(i);
            hasStream |= tracks[i].kind == core::TrackKind::Stream;
            if (tracks[i].kind == core::TrackKind::Stream
                || tracks[i].kind == core::TrackKind::Communication)
                devices.push_back(i);
        }
        return hasStream ? devices : all;
    }

    /// The part of a ribbon at `height`, from 0 above to 1 below.
    std::pair<double, double> spanAt(double aboveStart, double aboveEnd, double belowStart,
                                     double belowEnd, double height)
    {
        const double eased = height * height * (3 - 2 * height);
        return { aboveStart + (belowStart - aboveStart) * eased,
                 aboveEnd + (belowEnd - aboveEnd) * eased };
    }

} // namespace

std::vector<RibbonPair> ribbonPairs(const TimelineState &above, const TimelineState &below,
                                    const OpTwins &twins, const QString &group)
{
    std::map<int, RibbonPair> longest; // by bin
    const TimeAxis &axis = above.axis();
    const core::TimeRange seen = axis.visible();
    for (const std::size_t track : tracksOf(above.source()->tracks(), group))
        for (const TimelineBox &run : above.source()->boxes(track, seen, axis.resolutionNs())) {
            const double middle = axis.xOf(run.startNs + (run.endNs - run.startNs) / 2);
            const int bin = static_cast<int>(std::clamp(middle, 0.0, double(axis.widthPx))) / BinPx;
            const auto known = longest.find(bin);
            if (known != longest.end() && known->second.above.durationNs() >= run.busyNs)
                continue;
            const auto twin = twins.below(run.id);
            const auto own = twin ? above.source()->find(run.id) : std::nullopt;
            const auto other = own ? below.source()->find(*twin) : std::nullopt;
            if (other)
                longest[bin] = { run.id, track, fromOrigin(own->second, above.originNs()),
                                 fromOrigin(other->second, below.originNs()) };
        }
    std::vector<RibbonPair> pairs;
    pairs.reserve(longest.size());
    for (const auto &[bin, pair] : longest)
        pairs.push_back(pair);
    return pairs;
}

DeltaRibbon::DeltaRibbon(TimelineWidget &above, TimelineWidget &below, QWidget *parent)
    : QWidget(parent)
    , m_above(above)
    , m_below(below)
{
    setFixedHeight(RibbonHeight);
    setAccessibleName(tr("Operations joined with their twins"));
    for (TimelineWidget *const timeline : { &above, &below }) {
        const TimelineState *state = &timeline->state();
        connect(state, &TimelineState::axisChanged, this, &DeltaRibbon::markStale);
        connect(state, &TimelineState::layoutChanged, this, &DeltaRibbon::markStale);
        connect(state, &TimelineState::sourceChanged, this, &DeltaRibbon::markStale);
        connect(state, &TimelineState::selectionChanged, this, &DeltaRibbon::markStale);
    }
    hide();
}

void DeltaRibbon::setTwins(std::shared_ptr<const OpTwins> twins)
{
    m_twins = std::move(twins);
    setVisible(m_twins != nullptr);
    markStale();
}

void DeltaRibbon::markStale()
{
    m_isStale = true;
    update();
}

QString DeltaRibbon::group() const
{
    const TimelineState &state = m_above.state();
    const auto &tracks = state.source()->tracks();
    if (const auto &hit = state.selection(); hit && hit->track < tracks.size())
        return tracks[hit->track].group;
    // The uppermost one that is seen and has operations.
    for (const TimelineRow &row : state.layout().rows)
        if (row.bottom() > state.stickyHeight() + state.scrollY() && !row.isCounter
            && row.firstTrack < tracks.size())
            return tracks[row.firstTrack].group;
    return {};
}

const std::vector<RibbonPair> &DeltaRibbon::pairs()
{
    if (!m_isStale)
        return m_pairs;
    m_isStale = false;
    m_pairs.clear();
    m_group.clear();
    if (m_twins == nullptr || m_above.state().source() == nullptr
        || m_below.state().source() == nullptr)
        return m_pairs;
    m_group = group();
    m_pairs = ribbonPairs(m_above.state(), m_below.state(), *m_twins, m_group);
    return m_pairs;
}

double DeltaRibbon::xOf(std::int64_t ns) const
{
    const TimelineState &state = m_above.state();
    return m_above.columnWidthShown() + state.axis().xOf(state.originNs() + ns);
}

void DeltaRibbon::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    painter.fillRect(rect(), theme.panel);
    const std::vector<RibbonPair> &seen = pairs();
    const int column = m_above.columnWidthShown();
    painter.setFont(uiFont(TextSize::Small));
    painter.setPen(theme.secondaryText);
    painter.drawText(QRect(space::large, 0, column - space::large, height()),
                     Qt::AlignLeft | Qt::AlignVCenter,
                     painter.fontMetrics().elidedText(
                         m_group.isEmpty() ? tr("What moved") : tr("What moved, %1").arg(m_group),
                         Qt::ElideRight, column - space::large - space::tiny));
    painter.setClipRect(column, 0, m_above.state().axis().widthPx, height());
    painter.setRenderHint(QPainter::Antialiasing);
    const double bottom = height(), middle = bottom / 2;
    for (const RibbonPair &pair : seen) {
        const double a = xOf(pair.above.startNs), b = xOf(pair.above.endNs);
        const double c = xOf(pair.below.startNs), d = xOf(pair.below.endNs);
        QPainterPath path(QPointF(a, 0));
        path.cubicTo(a, middle, c, middle, c, bottom);
        path.lineTo(std::max(d, c + 1), bottom);
        path.cubicTo(std::max(d, c + 1), middle, std::max(b, a + 1), middle, std::max(b, a + 1), 0);
        const bool isMoved = std::abs(c - a) >= 1;
        QColor colour = !isMoved ? theme.secondaryText : c < a ? theme.better : theme.worse;
        colour.setAlphaF(isMoved ? 0.5F : 0.18F);
        painter.fillPath(path, colour);
    }
}

const RibbonPair *DeltaRibbon::pairAt(QPointF point)
{
    const double at = std::clamp(point.y() / height(), 0.0, 1.0);
    const RibbonPair *best = nullptr;
    for (const RibbonPair &pair : pairs()) {
        const auto [from, to] = spanAt(xOf(pair.above.startNs), xOf(pair.above.endNs),
                                       xOf(pair.below.startNs), xOf(pair.below.endNs), at);
        const bool isShorter
            = best == nullptr || pair.above.durationNs() < best->above.durationNs();
        if (point.x() >= from - Slack && point.x() <= to + Slack && isShorter)
            best = &pair;
    }
    return best;
}

void DeltaRibbon::mousePressEvent(QMouseEvent *event)
{
    if (const RibbonPair *pair = pairAt(event->position()))
        emit chosen(pair->aboveId);
}

bool DeltaRibbon::event(QEvent *event)
{
    if (event->type() != QEvent::ToolTip)
        return QWidget::event(event);
    const auto *help = static_cast<QHelpEvent *>(event);
    QString text = tr("Each ribbon joins an operation above with the same one below: what leans to "
                      "the left starts earlier, what leans to the right later.");
    if (const RibbonPair *pair = pairAt(help->pos())) {
        const QString name = m_above.state().source()->boxName(pair->track, pair->aboveId);
        TimelineBox above, below;
        above.startNs = pair->above.startNs;
        above.endNs = pair->above.endNs;
        below.startNs = pair->below.startNs;
        below.endNs = pair->below.endNs;
        text
            = tr("%1 %2").arg(name, twinDifference({ name, {}, above, 0 }, { name, {}, below, 0 }));
    }
    QToolTip::showText(help->globalPos(), toolTipParagraphs(text), this);
    return true;
}

} // namespace ui
