#include "ui/timeline/timeline_state.h"

#include "ui/timeline/pinned_rows.h"

#include <algorithm>
#include <tuple>

namespace ui {

bool areAlike(const std::vector<TimelineTrack> &a, const std::vector<TimelineTrack> &b)
{
    const auto names = [](const std::vector<TimelineTrack> &tracks) {
        std::vector<std::tuple<QString, QString, QString, core::TrackKind>> found;
        found.reserve(tracks.size());
        for (const TimelineTrack &track : tracks) {
            if (!track.counter) {
                found.emplace_back(track.group, track.subgroup, track.name, track.kind);
            }
        }
        return found;
    };
    return names(a) == names(b);
}

TimelineState::TimelineState(QObject *parent)
    : QObject(parent)
{
}

void TimelineState::setSource(std::shared_ptr<const TimelineSource> source)
{
    const bool isAlike
        = source != nullptr && m_given != nullptr && areAlike(source->tracks(), m_given->tracks());
    m_given = m_source = std::move(source);
    if (!isAlike) {
        m_arrangement = {};
        m_isRankOverview = false;
    }
    applyArrangement();
    m_selection.reset();
    m_arrows.clear();
    m_moreArrows = 0;
    m_hover.reset();
    m_area.reset();
    m_mark.reset();
    m_keptMarks.clear();
    m_flags.clear();
    m_searchHits.clear();
    m_back.clear();
    m_forward.clear();
    m_folds = m_source ? initialFolds(m_source->tracks()) : FoldState();
    m_foldsBefore = m_folds;
    m_givenFolds = {};
    if (m_isRankOverview) {
        m_folds = withGroupsFolded(m_folds, m_source->tracks(), true);
    }
    m_scrollY = 0;
    const core::TimeRange range = m_source ? m_source->range() : core::TimeRange();
    m_originNs = range.startNs;
    m_limits = padded(range, 0.02);
    m_axis = axisFor(clamped(m_limits, m_limits), m_axis.widthPx);
    m_criticalPath = m_source ? criticalSteps(*m_source) : std::vector<CriticalStep>();
    relayout();
    emit sourceChanged();
    emit axisChanged();
    emit selectionChanged();
    emit areaChanged();
    emit arrangementChanged();
}

std::size_t TimelineState::givenTrack(std::size_t track) const
{
    return m_order.empty() ? track : m_order.at(track);
}

bool TimelineState::isHiddenByArrangement(std::uint64_t id) const
{
    return m_given != m_source && !m_source->find(id) && m_given->find(id);
}

void TimelineState::setArrangement(TrackArrangement arrangement)
{
    if (arrangement == m_arrangement) {
        return;
    }
    m_arrangement = std::move(arrangement);
    arrange();
    emit arrangementChanged();
}

void TimelineState::setGroupKeys(GroupKeysByName keys)
{
    if (keys == m_groupKeys) {
        return;
    }
    m_groupKeys = std::move(keys);
    const bool isSortedByKey
        = m_arrangement.order == GroupOrder::Wait || m_arrangement.order == GroupOrder::Lateness;
    if (isSortedByKey || !m_arrangement.gatheredBy.isEmpty()) {
        arrange();
    }
}

std::set<QString> TimelineState::sectionKinds() const
{
    std::set<QString> kinds;
    for (const auto &[group, keys] : m_groupKeys) {
        for (const auto &[kind, section] : keys.sections) {
            kinds.insert(kind);
        }
    }
    return kinds;
}

void TimelineState::applyArrangement()
{
    if (m_given == nullptr || m_arrangement == TrackArrangement()) {
        m_order.clear();
        m_source = m_given;
    } else {
        m_arrangedTracks = m_given->tracks().size();
        m_order = arrangedTracks(m_given->tracks(), m_arrangement, m_groupKeys);
        m_source = std::make_shared<ArrangedSource>(
            m_given, m_order, placedTracks(m_given->tracks(), m_order, m_arrangement, m_groupKeys));
    }
}

FoldState TimelineState::givenFolds() const
{
    return givenFoldsOf(m_folds);
}

FoldState TimelineState::givenFoldsOpened() const
{
    return givenFoldsOf(m_isRankOverview ? m_foldsBefore : m_folds);
}

void TimelineState::setGivenFolds(const FoldState &folds)
{
    m_givenFolds = folds;
    setFolds(m_source == m_given ? folds
                                 : carriedFolds(folds, m_given->tracks(), m_source->tracks()));
}

FoldState TimelineState::givenFoldsOf(const FoldState &shown) const
{
    if (m_source == m_given) {
        return shown;
    }
    const std::vector<TimelineTrack> &given = m_given->tracks();
    FoldState folds = carriedFolds(shown, m_source->tracks(), given);
    FoldState hidden = foldsBeside(m_givenFolds, given, m_source->tracks());
    folds.foldedGroups.merge(hidden.foldedGroups);
    folds.foldedSubgroups.merge(hidden.foldedSubgroups);
    folds.unfoldedTracks.merge(hidden.unfoldedTracks);
    return folds;
}

/// All that names tracks by their place is found again.
void TimelineState::arrangeAnew()
{
    m_givenFolds = givenFolds();
    const std::vector<TimelineTrack> before = m_source->tracks();
    applyArrangement();
    m_folds = carriedFolds(m_givenFolds, m_given->tracks(), m_source->tracks());
    m_foldsBefore = carriedFolds(m_foldsBefore, before, m_source->tracks());
    m_hover.reset();
    m_area.reset();
    m_arrows.clear();
    m_moreArrows = 0;
    if (m_selection) {
        const auto found = m_source->find(m_selection->box.id);
        m_selection
            = found ? std::optional(TimelineHit { found->first, found->second }) : std::nullopt;
    }
}

void TimelineState::arrange()
{
    if (m_given == nullptr) {
        return;
    }
    arrangeAnew();
    relayout();
    reloadSource();
    emit selectionChanged();
    emit areaChanged();
}

void TimelineState::reloadSource()
{
    std::size_t known = m_layout.rowOfTrack.size();
    if (m_given != m_source && m_given->tracks().size() != m_arrangedTracks) { // counters came
        arrangeAnew();
        known = 0; // they need not be behind the others
    }
    m_criticalPath = m_source ? criticalSteps(*m_source) : std::vector<CriticalStep>();
    if (m_source && m_source->tracks().size() != m_layout.rowOfTrack.size()) {
        const int before = m_layout.height;
        foldManyCounters(m_folds, m_source->tracks(), known);
        relayout();
        if (m_scrollY > 0) // counters come above: what is in sight stays there
            setScrollY(m_scrollY + m_layout.height - before);
    }
    emit sourceChanged();
}

void TimelineState::relayout()
{
    if (m_source == nullptr) {
        m_layout = {};
    } else {
        const auto &tracks = m_source->tracks();
        m_layout = layOut(tracks, m_folds,
                          m_isRankOverview ? overviewMetrics(tracks, m_metrics, m_viewportHeight)
                                           : m_metrics);
    }
    m_stickyHeight = ui::stickyHeight(m_layout, m_viewportHeight);
    m_scrollY = std::clamp(m_scrollY, 0, std::max(0, m_layout.height - m_viewportHeight));
    emit layoutChanged();
}

void TimelineState::setFolds(const FoldState &folds)
{
    m_folds = folds;
    relayout();
}

void TimelineState::toggleAllGroups()
{
    if (m_source != nullptr) {
        const auto &tracks = m_source->tracks();
        setFolds(withGroupsFolded(m_folds, tracks, !areGroupsFolded(m_folds, tracks)));
    }
}

void TimelineState::setRankOverview(bool isOverview)
{
    if (isOverview == m_isRankOverview || m_source == nullptr) {
        return;
    }
    m_isRankOverview = isOverview;
    if (isOverview) {
        m_foldsBefore = m_folds;
        setFolds(withGroupsFolded(m_folds, m_source->tracks(), true));
    } else {
        setFolds(m_foldsBefore);
    }
}

void TimelineState::toggleFold(const TimelineRow &row)
{
    setFolds(toggled(m_folds, row));
}

void TimelineState::setMetrics(const RowMetrics &metrics)
{
    if (metrics != m_metrics) {
        m_metrics = metrics;
        relayout();
    }
}

void TimelineState::setLimits(core::TimeRange limits)
{
    m_limits = limits;
    setVisible(visible());
}

void TimelineState::setOriginNs(std::int64_t ns)
{
    m_originNs = ns;
    emit axisChanged();
}

void TimelineState::setAxis(const TimeAxis &axis)
{
    if (axis.startNs == m_axis.startNs && axis.nsPerPixel == m_axis.nsPerPixel
        && axis.widthPx == m_axis.widthPx) {
        return;
    }
    m_axis = axis;
    emit axisChanged();
}

void TimelineState::setVisible(core::TimeRange range)
{
    setAxis(axisFor(clamped(range, m_limits), m_axis.widthPx));
}

void TimelineState::setWidth(int widthPx)
{
    setAxis(axisFor(m_axis.visible(), widthPx));
}

void TimelineState::zoomAt(double factor, double x)
{
    setAxis(zoomed(m_axis, factor, x, m_limits));
}

void TimelineState::pan(double pixels)
{
    setAxis(panned(m_axis, pixels, m_limits));
}

void TimelineState::pushHistory()
{
    constexpr std::size_t Most = 100;
    if (!m_back.empty() && m_back.back() == visible()) {
        return;
    }
    m_back.push_back(visible());
    if (m_back.size() > Most) {
        m_back.erase(m_back.begin());
    }
    m_forward.clear();
}

void TimelineState::goBack()
{
    if (m_back.empty()) {
        return;
    }
    m_forward.push_back(visible());
    const core::TimeRange range = m_back.back();
    m_back.pop_back();
    setVisible(range);
}

void TimelineState::goForward()
{
    if (m_forward.empty()) {
        return;
    }
    m_back.push_back(visible());
    const core::TimeRange range = m_forward.back();
    m_forward.pop_back();
    setVisible(range);
}

void TimelineState::setScrollY(int y)
{
    const int clampedY = std::clamp(y, 0, std::max(0, m_layout.height - m_viewportHeight));
    if (clampedY != m_scrollY) {
        m_scrollY = clampedY;
        emit layoutChanged();
    }
}

void TimelineState::setViewportHeight(int height)
{
    if (height == m_viewportHeight) {
        return;
    }
    m_viewportHeight = height;
    relayout();
}

void TimelineState::showTrack(std::size_t track, std::uint32_t depth)
{
    for (const TimelineRow &row : TimelineLayout(m_layout).rows) {
        if (row.kind != RowKind::Track && row.isFolded && row.hasTrack(track)) {
            (row.kind == RowKind::Group ? m_folds.foldedGroups : m_folds.foldedSubgroups)
                .erase(row.firstTrack);
            relayout();
            showTrack(track, depth); // a subgroup inside may be folded as well
            return;
        }
    }
    const TimelineRow &row = rowOfTrack(m_layout, track);
    if (row.kind == RowKind::Track && row.isFolded && depth >= row.depths) {
        m_folds.unfoldedTracks.insert(track);
        relayout();
    }
    const auto [top, height] = barSpan(m_layout, rowOfTrack(m_layout, track), depth);
    if (!isInView(top, top + height)) {
        setScrollY(top - m_stickyHeight - (m_viewportHeight - m_stickyHeight) / 3);
    }
}

bool TimelineState::isInView(int top, int bottom) const
{
    return top < m_stickyHeight
        || (top - m_scrollY >= m_stickyHeight && bottom - m_scrollY <= m_viewportHeight);
}

std::array<std::pair<std::size_t, std::size_t>, 2> TimelineState::rowsInView() const
{
    return { rowsBetween(m_layout, 0, m_stickyHeight),
             rowsBetween(m_layout, m_stickyHeight + m_scrollY, m_viewportHeight + m_scrollY) };
}

void TimelineState::select(std::optional<TimelineHit> hit)
{
    m_selection = std::move(hit);
    m_arrows.clear();
    m_moreArrows = 0;
    emit selectionChanged();
}

void TimelineState::setArrows(std::vector<TimelineArrow> arrows, std::size_t more)
{
    m_arrows = std::move(arrows);
    m_moreArrows = more;
    emit selectionChanged();
}

void TimelineState::setHover(std::optional<TimelineHit> hit)
{
    const bool isSame = hit.has_value() == m_hover.has_value()
        && (!hit || (hit->track == m_hover->track && hit->box.id == m_hover->box.id));
    m_hover = std::move(hit);
    if (!isSame) {
        emit hoverChanged();
    }
}

void TimelineState::setCrosshair(std::optional<std::int64_t> ns)
{
    if (ns != m_crosshairNs) {
        m_crosshairNs = ns;
        emit hoverChanged();
    }
}

void TimelineState::setArea(std::optional<TimelineArea> area)
{
    if (area && area->firstTrack >= area->endTrack) {
        area.reset(); // a source without tracks has nothing to choose from
    }
    if (area != m_area) {
        m_area = area;
        emit areaChanged();
    }
}

void TimelineState::setMark(std::optional<core::TimeRange> range)
{
    m_mark = range;
    emit marksChanged();
}

void TimelineState::keepMark(core::TimeRange range)
{
    if (std::ranges::find(m_keptMarks, range) == m_keptMarks.end()) {
        m_keptMarks.push_back(range);
        emit marksChanged();
    }
}

void TimelineState::setKeptMarks(std::vector<core::TimeRange> marks)
{
    m_keptMarks = std::move(marks);
    emit marksChanged();
}

void TimelineState::setFlags(std::vector<TimelineFlag> flags)
{
    m_flags = std::move(flags);
    emit marksChanged();
}

void TimelineState::setIterations(std::vector<TimelineIteration> iterations)
{
    m_iterations = std::move(iterations);
    emit marksChanged();
}

void TimelineState::setSearchHits(std::vector<TimelineSearchHit> hits)
{
    m_searchHits = std::move(hits);
    emit marksChanged();
}

void TimelineState::setCriticalPathShown(bool shown)
{
    if (shown != m_isCriticalPathShown) {
        m_isCriticalPathShown = shown;
        emit marksChanged();
    }
}

std::optional<TimelineHit> hitAt(const TimelineState &state, double x, double y)
{
    const int line = state.contentY(static_cast<int>(y));
    const TimelineRow *row = rowAt(state.layout(), line);
    if (state.source() == nullptr || row == nullptr) {
        return std::nullopt;
    }
    const auto depth = depthAt(state.layout(), *row, line);
    if (!depth) {
        return std::nullopt;
    }
    constexpr double TolerancePx = 3;
    const TimeAxis &axis = state.axis();
    const core::TimeRange around { axis.nsAt(x - TolerancePx), axis.nsAt(x + TolerancePx) + 1 };
    const auto boxes = state.source()->boxes(row->firstTrack, around, axis.resolutionNs());
    const auto tolerance = static_cast<std::int64_t>(TolerancePx * axis.nsPerPixel);
    const TimelineBox *box = row->isFlat ? topmostBoxAt(boxes, axis.nsAt(x), tolerance)
                                         : boxAt(boxes, *depth, axis.nsAt(x), tolerance);
    return box == nullptr ? std::nullopt : std::optional(TimelineHit { row->firstTrack, *box });
}

} // namespace ui
