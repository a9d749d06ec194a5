#include "ui/timeline/timeline_widget.h"

#include "ui/theme/measures.h"
#include "ui/theme/theme.h"
#include "ui/timeline/empty_rows_note.h"
#include "ui/timeline/timeline_body.h"
#include "ui/timeline/timeline_commands.h"
#include "ui/timeline/timeline_filter_bar.h"
#include "ui/timeline/timeline_keys.h"
#include "ui/timeline/timeline_menu.h"
#include "ui/timeline/timeline_overview.h"
#include "ui/timeline/timeline_ruler.h"
#include "ui/timeline/timeline_search_bar.h"
#include "ui/timeline/timeline_steps.h"
#include "ui/timeline/timeline_track_column.h"

#include <QContextMenuEvent>
#include <QKeyEvent>
#include <QMenu>
#include <QMetaMethod>
#include <QPainter>
#include <QScrollBar>

#include <algorithm>

namespace ui {
namespace {

    /// All, without a long time in which next to nothing happens.
    core::TimeRange fittedRange(const TimelineState &state)
    {
        const core::TimeRange active
            = state.source() ? activeRange(*state.source()) : core::TimeRange();
        return active.isEmpty() ? state.limits() : clamped(padded(active, 0.02), state.limits());
    }

    /// Shows all rows where filters or hidden ranks hide the slice's. Words for that; empty: its
    /// row was there.
    QString showRowOf(TimelineState &state, std::uint64_t id)
    {
        if (!state.isHiddenByArrangement(id)) {
            return {};
        }
        TrackArrangement arrangement = state.arrangement();
        const bool isFiltered = !arrangement.filters.empty();
        arrangement.filters.clear();
        arrangement.hidden.clear();
        state.setArrangement(std::move(arrangement));
        return isFiltered ? TimelineWidget::tr("A filter hid it: all tracks are shown")
                          : TimelineWidget::tr("Its rank was hidden: all ranks are shown");
    }

} // namespace

TimelineWidget::TimelineWidget(QWidget *parent)
    : QWidget(parent)
    , m_state(new TimelineState(this))
    , m_overview(new TimelineOverview(*m_state, this))
    , m_ruler(new TimelineRuler(*m_state, this))
    , m_filterBar(new TimelineFilterBar(*m_state, this))
    , m_column(new TimelineTrackColumn(*m_state, this))
    , m_body(new TimelineBody(*m_state, this))
    , m_emptyNote(new EmptyRowsNote(*m_state, this))
    , m_scrollBar(new QScrollBar(Qt::Vertical, this))
    , m_searchBar(new TimelineSearchBar(this))
    , m_heldKeys(new TimelineHeldKeys(*m_state, this))
{
    setFocusPolicy(Qt::StrongFocus);
    setProperty("focusFrame", true);
    m_scrollBar->setFocusPolicy(Qt::NoFocus);
    m_scrollBar->setSingleStep(20);
    connect(m_scrollBar, &QScrollBar::valueChanged, m_state, &TimelineState::setScrollY);
    connect(m_state, &TimelineState::layoutChanged, this, &TimelineWidget::updateScrollBar);
    connect(m_state, &TimelineState::layoutChanged, this, &TimelineWidget::placeEmptyNote);
    connect(m_state, &TimelineState::arrangementChanged, this, &TimelineWidget::widenTrackColumn);
    connect(m_body, &TimelineBody::sliceClicked, this, &TimelineWidget::emitSelection);
    connect(m_body, &TimelineBody::gapClicked, this, &TimelineWidget::gapClicked);
    connect(m_column, &TimelineTrackColumn::widthDragged, this, [this](int width) {
        setTrackColumnWidth(width, true);
        emit trackColumnWidthChanged(width, true);
    });
    connect(m_searchBar, &TimelineSearchBar::searchRequested, this,
            &TimelineWidget::searchRequested);
    connect(m_searchBar, &TimelineSearchBar::stepRequested, this, &TimelineWidget::stepSearch);
    connect(m_searchBar, &TimelineSearchBar::listRequested, this,
            &TimelineWidget::searchListRequested);
    connect(m_filterBar, &TimelineFilterBar::left, this, [this] { setFocus(); });
    connect(m_searchBar, &TimelineSearchBar::closed, this, &TimelineWidget::closeSearch);
}

TimelineWidget::~TimelineWidget() = default;

void TimelineWidget::setSource(std::shared_ptr<const TimelineSource> source)
{
    m_state->setSource(std::move(source));
    widenTrackColumn();
    update(); // the tag of what is predicted
}

/// Only ever wider: it does not jump with what is shown next.
void TimelineWidget::widenTrackColumn()
{
    const int fitted = TimelineTrackColumn::fittedWidth(m_state->layout());
    if (m_isColumnWidthChosen || fitted <= m_columnWidth) {
        return;
    }
    setTrackColumnWidth(fitted, false);
    emit trackColumnWidthChanged(fitted, false);
}

void TimelineWidget::setPlaceholder(const QString &text)
{
    m_body->setPlaceholder(text);
}

void TimelineWidget::setOverviewShown(bool shown)
{
    m_overview->setVisible(shown);
    arrange();
}

void TimelineWidget::setTrackColumnWidth(int width, bool isChosen)
{
    m_isColumnWidthChosen = m_isColumnWidthChosen || isChosen;
    m_columnWidth
        = std::clamp(width, TimelineTrackColumn::MinimumWidth, TimelineTrackColumn::MaximumWidth);
    arrange();
}

void TimelineWidget::toggleTrackColumn()
{
    setTrackColumnShown(m_column->isHidden());
    emit trackColumnShownChanged(!m_column->isHidden());
}

void TimelineWidget::setTrackColumnShown(bool shown)
{
    m_column->setVisible(shown);
    arrange();
    update();
}

int TimelineWidget::columnWidthShown() const
{
    return m_column->isHidden() ? 0 : m_columnWidth;
}

void TimelineWidget::resizeEvent(QResizeEvent *)
{
    arrange();
}

void TimelineWidget::arrange()
{
    const int bar = m_scrollBar->sizeHint().width();
    const int left = columnWidthShown();
    const int wide = std::max(1, width() - left - bar);
    const int overview = m_overview->isHidden() ? 0 : TimelineOverview::Height;
    const int top = overview + TimelineRuler::Height;
    const int tall = std::max(1, height() - top);
    // The search lies beside the overview, so that it moves and hides nothing; of a narrow window,
    // over its end.
    constexpr int NarrowestOverview = 100, WidestSearch = 680;
    const QSize least = m_searchBar->minimumSizeHint();
    const int search = m_searchBar->isHidden()
        ? 0
        : std::min(width(),
                   std::clamp(wide + bar - NarrowestOverview, least.width(),
                              std::max(least.width(), WidestSearch)));
    const int beside = std::max(0, search - bar);
    m_overview->setGeometry(left, 0, std::max(wide - beside, std::min(wide, NarrowestOverview)),
                            TimelineOverview::Height);
    m_ruler->setGeometry(left, overview, wide, TimelineRuler::Height);
    m_filterBar->setVisible(!m_overview->isHidden() && !m_column->isHidden());
    m_filterBar->setGeometry(0, 0, left - 1, top - 1);
    m_column->setGeometry(0, top, left, tall);
    m_body->setGeometry(left, top, wide, tall);
    m_scrollBar->setGeometry(left + wide, top, bar, tall);
    m_searchBar->setGeometry(width() - search, std::max(0, (overview - least.height()) / 2), search,
                             least.height());
    m_searchBar->raise();
    updateScrollBar();
    placeEmptyNote();
}

/// Below the rows that are shown all the same.
void TimelineWidget::placeEmptyNote()
{
    const int rows = std::min(m_state->layout().height, m_body->height());
    m_emptyNote->setGeometry(m_body->geometry().adjusted(0, rows, 0, 0));
}

void TimelineWidget::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const Theme &theme = themeOf(palette());
    const int top = m_body->y();
    painter.fillRect(rect(), theme.panel);
    painter.fillRect(0, top - 1, width(), 1, theme.line);
    painter.fillRect(columnWidthShown() - 1, 0, 1, top, theme.line);
    paintPredictedTag(painter);
}

/// Beside the ruler, where it lies on no slice.
void TimelineWidget::paintPredictedTag(QPainter &painter) const
{
    if (m_state->source() == nullptr || !m_state->source()->isPredicted()) {
        return;
    }
    constexpr int Height = 20, Padding = 8, Radius = 4;
    const Theme &theme = themeOf(palette());
    painter.setFont(uiFont(TextSize::Small, QFont::DemiBold));
    const QString text = tr("predicted");
    const QRect ruler(0, m_ruler->y(), m_columnWidth, m_ruler->height());
    const QRect tag(space::large, ruler.center().y() - Height / 2,
                    painter.fontMetrics().horizontalAdvance(text) + 2 * Padding, Height);
    painter.setRenderHint(QPainter::Antialiasing);
    painter.setPen(QPen(theme.accent, 1));
    painter.setBrush(theme.background);
    painter.drawRoundedRect(QRectF(tag).adjusted(0.5, 0.5, -0.5, -0.5), Radius, Radius);
    painter.setPen(theme.accent);
    painter.drawText(tag, Qt::AlignCenter, text);
}

void TimelineWidget::updateScrollBar()
{
    const QSignalBlocker blocker(m_scrollBar);
    const int most = std::max(0, m_state->layout().height - m_state->viewportHeight());
    m_scrollBar->setRange(0, most);
    m_scrollBar->setPageStep(m_state->viewportHeight());
    m_scrollBar->setValue(m_state->scrollY());
    m_scrollBar->setEnabled(most > 0);
}

void TimelineWidget::emitSelection()
{
    if (m_state->selection()) {
        emit sliceSelected(m_state->selection()->box.id);
    } else {
        emit selectionCleared();
    }
}

void TimelineWidget::setSelectedId(std::uint64_t id)
{
    if (m_state->selection() && m_state->selection()->box.id == id) {
        return;
    }
    const auto found = m_state->source() ? m_state->source()->find(id) : std::nullopt;
    m_state->select(found ? std::optional(TimelineHit { found->first, found->second })
                          : std::nullopt);
}

void TimelineWidget::clearSelection()
{
    m_state->select(std::nullopt);
}

void TimelineWidget::revealId(std::uint64_t id, core::TimeRange range)
{
    showRowOf(*m_state, id);
    setSelectedId(id);
    if (!m_state->selection()) {
        return;
    }
    const TimelineHit hit = *m_state->selection();
    m_state->pushHistory();
    const core::TimeRange wanted
        = range.isEmpty() ? padded({ hit.box.startNs, hit.box.endNs }, 2) : padded(range, 0.05);
    m_state->setVisible(movedInto(wanted, m_state->source()->range()));
    m_state->showTrack(hit.track, hit.box.depth);
}

void TimelineWidget::selectByUser(const TimelineHit &hit)
{
    m_state->select(hit);
    m_state->showTrack(hit.track, hit.box.depth);
    const core::TimeRange visible = m_state->visible();
    if (!visible.overlaps({ hit.box.startNs, hit.box.endNs + 1 })) {
        const std::int64_t half = visible.durationNs() / 2;
        const std::int64_t middle = (hit.box.startNs + hit.box.endNs) / 2;
        m_state->setVisible({ middle - half, middle + half });
    }
    emit sliceSelected(hit.box.id);
}

void TimelineWidget::fit()
{
    m_state->pushHistory();
    m_state->setVisible(fittedRange(*m_state));
}

void TimelineWidget::focusSelection()
{
    const core::TimeRange range = spanOfSelection(*m_state);
    const core::TimeRange all = fittedRange(*m_state);
    const core::TimeRange wanted
        = range.isEmpty() ? all : clamped(padded(range, 0.1), m_state->limits());
    const core::TimeRange visible = m_state->visible();
    const std::int64_t tolerance = wanted.durationNs() / 1000 + 2;
    const bool isShown = std::abs(visible.startNs - wanted.startNs) <= tolerance
        && std::abs(visible.endNs - wanted.endNs) <= tolerance;
    m_state->pushHistory();
    m_state->setVisible(isShown ? all : wanted);
}

void TimelineWidget::markSelection(bool isKept)
{
    const core::TimeRange range = spanOfSelection(*m_state);
    if (range.isEmpty()) {
        return;
    }
    if (isKept) {
        m_state->keepMark(range);
    } else {
        m_state->setMark(range);
    }
}

void TimelineWidget::areaFromSelection()
{
    if (const auto &hit = m_state->selection()) {
        m_state->setArea(
            TimelineArea { { hit->box.startNs, hit->box.endNs }, hit->track, hit->track + 1 });
    }
}

void TimelineWidget::areaOfTrack()
{
    const TimelineSource *source = m_state->source();
    if (source == nullptr) {
        return;
    }
    const auto &hit = m_state->selection();
    m_state->setArea(hit ? TimelineArea { source->range(), hit->track, hit->track + 1 }
                         : TimelineArea { source->range(), 0, source->tracks().size() });
}

void TimelineWidget::stepOnTrack(int direction)
{
    if (const auto hit = neighbourOnTrack(*m_state, direction)) {
        selectByUser(*hit);
    }
}

void TimelineWidget::stepOnCriticalPath(int direction)
{
    if (const auto hit = neighbourOnCriticalPath(*m_state, direction)) {
        selectByUser(*hit);
    }
}

void TimelineWidget::showCriticalPath()
{
    const core::TimeRange visible = m_state->visible();
    const CriticalStep *first = nullptr;
    for (const CriticalStep &step : m_state->criticalPath()) {
        if (!visible.overlaps({ step.startNs, step.endNs + 1 })) {
            continue;
        }
        const int bottom = rowOfTrack(m_state->layout(), step.track).bottom();
        if (m_state->isInView(bottom - 1, bottom)) {
            return;
        }
        first = first == nullptr ? &step : first;
    }
    if (first != nullptr) {
        m_state->showTrack(first->track, 0);
    }
}

void TimelineWidget::escape()
{
    if (m_searchBar->isVisible()) {
        closeSearch();
    } else if (m_state->area()) {
        m_state->setArea(std::nullopt);
    } else if (m_state->mark()) {
        m_state->setMark(std::nullopt);
    } else if (m_state->selection()) {
        m_state->select(std::nullopt);
        emit selectionCleared();
    }
}

void TimelineWidget::openSearch()
{
    if (!isSignalConnected(QMetaMethod::fromSignal(&TimelineWidget::searchRequested))) {
        return; // nobody would answer
    }
    m_searchBar->open();
    arrange();
}

bool TimelineWidget::isSearchOpen() const
{
    return !m_searchBar->isHidden();
}

void TimelineWidget::searchFor(const QString &text)
{
    openSearch();
    m_searchBar->setText(text);
}

void TimelineWidget::closeSearch()
{
    m_searchBar->hide();
    arrange();
    m_state->setSearchHits({});
    emit searchRequested(QString(), false);
    setFocus();
}

void TimelineWidget::setSearchHits(std::vector<TimelineSearchHit> hits, bool isLimited)
{
    if (m_currentHit > 0 && m_currentHit <= m_state->searchHits().size()) {
        const std::uint64_t id = m_state->searchHits()[m_currentHit - 1].id;
        const auto same = std::ranges::find(hits, id, &TimelineSearchHit::id);
        m_currentHit = same == hits.end() ? 0 : static_cast<std::size_t>(same - hits.begin()) + 1;
    } else {
        m_currentHit = 0; // of another source
    }
    m_areHitsLimited = isLimited;
    m_totalHits.reset();
    m_state->setSearchHits(std::move(hits));
    m_searchBar->showHits(m_currentHit, m_state->searchHits().size(), isLimited);
}

void TimelineWidget::setSearchTotal(std::uint64_t total)
{
    m_totalHits = total;
    m_searchBar->showHits(m_currentHit, m_state->searchHits().size(), m_areHitsLimited, total);
}

void TimelineWidget::setSearchMessage(const QString &message)
{
    m_searchBar->showMessage(message);
}

void TimelineWidget::stepSearch(int direction)
{
    const std::size_t count = m_state->searchHits().size();
    if (count == 0) {
        return;
    }
    m_currentHit
        = direction > 0 ? m_currentHit % count + 1 : (m_currentHit <= 1 ? count : m_currentHit - 1);
    showCurrentHit();
}

void TimelineWidget::selectSearchHit(std::uint64_t id)
{
    const auto &hits = m_state->searchHits();
    const auto found = std::ranges::find(hits, id, &TimelineSearchHit::id);
    if (found == hits.end()) {
        return;
    }
    m_currentHit = static_cast<std::size_t>(found - hits.begin()) + 1;
    showCurrentHit();
}

void TimelineWidget::showCurrentHit()
{
    const auto &hits = m_state->searchHits();
    const std::uint64_t id = hits[m_currentHit - 1].id;
    m_searchBar->showHits(m_currentHit, hits.size(), m_areHitsLimited, m_totalHits);
    if (const QString message = showRowOf(*m_state, id); !message.isEmpty()) {
        m_searchBar->showMessage(message);
    }
    if (const auto found = m_state->source()->find(id)) {
        selectByUser({ found->first, found->second });
    }
}

void TimelineWidget::mousePressEvent(QMouseEvent *)
{
    setFocus();
}

void TimelineWidget::contextMenuEvent(QContextMenuEvent *event)
{
    const bool isOnColumn = m_column->geometry().contains(event->pos());
    if (m_state->source() == nullptr
        || !(isOnColumn || m_body->geometry().contains(event->pos()))) {
        return QWidget::contextMenuEvent(event);
    }
    const QPoint at = event->pos() - m_body->pos();
    const TimelineRow *row = rowAt(m_state->layout(), m_state->contentY(at.y()));
    const auto slice = isOnColumn ? std::nullopt : hitAt(*m_state, at.x(), at.y());
    QMenu menu(this);
    fillTimelineMenu(menu, *this, row, slice);
    menu.exec(event->globalPos());
}

void TimelineWidget::keyPressEvent(QKeyEvent *event)
{
    if (m_state->source() == nullptr
        || !(runTimelineCommand(*this, *event) || m_heldKeys->press(*event))) {
        QWidget::keyPressEvent(event);
    }
}

void TimelineWidget::keyReleaseEvent(QKeyEvent *event)
{
    if (!m_heldKeys->release(*event)) {
        QWidget::keyReleaseEvent(event);
    }
}

void TimelineWidget::focusOutEvent(QFocusEvent *)
{
    m_heldKeys->releaseAll();
}

} // namespace ui
