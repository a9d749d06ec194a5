#include "ui/views/compare/tied_timelines.h"

#include "ui/timeline/timeline_widget.h"

#include <algorithm>
#include <utility>

namespace ui {

TiedTimelines::TiedTimelines(TimelineWidget &above, TimelineWidget &below, QObject *parent)
    : QObject(parent)
    , m_above(above)
    , m_below(below)
{
    tie(above, below);
    tie(below, above);
}

void TiedTimelines::tie(TimelineWidget &from, TimelineWidget &to)
{
    connect(&from.state(), &TimelineState::axisChanged, this,
            [this, &from, &to] { follow(from.state(), to.state()); });
    connect(&from.state(), &TimelineState::layoutChanged, this, [this, &from, &to] {
        fitRows();
        foldAlike(from.state(), to.state());
    });
    connect(&from.state(), &TimelineState::hoverChanged, this,
            [this, &from, &to] { pointAlike(from.state(), to.state()); });
    connect(&from, &TimelineWidget::trackColumnWidthChanged, &to,
            &TimelineWidget::setTrackColumnWidth);
    connect(&from, &TimelineWidget::trackColumnShownChanged, &to,
            &TimelineWidget::setTrackColumnShown);
}

void TiedTimelines::follow(const TimelineState &from, TimelineState &to)
{
    if (m_isTying || from.source() == nullptr || to.source() == nullptr) {
        return;
    }
    const std::int64_t shift = to.originNs() - from.originNs();
    const core::TimeRange range = from.visible();
    changeOne([&] { to.setVisible({ range.startNs + shift, range.endNs + shift }); });
}

void TiedTimelines::fitRows()
{
    TimelineState &above = m_above.state(), &below = m_below.state();
    if (m_isFitting || above.source() == nullptr)
        return;
    const int height = below.source() == nullptr
        ? above.viewportHeight()
        : std::min(above.viewportHeight(), below.viewportHeight());
    const RowMetrics metrics = fittingMetrics(above.source()->tracks(), above.folds(), height);
    m_isFitting = true;
    changeOne([&] {
        above.setMetrics(metrics);
        below.setMetrics(metrics);
    });
    m_isFitting = false;
}

/// Both scroll as far as their own height allows.
void TiedTimelines::foldAlike(const TimelineState &from, TimelineState &to)
{
    if (m_isTying || from.source() == nullptr || to.source() == nullptr
        || from.givenSource()->tracks().size() != to.givenSource()->tracks().size()) {
        return;
    }
    changeOne([&] {
        to.setArrangement(from.arrangement());
        to.setRankOverview(from.isRankOverview());
        if (to.folds() != from.folds()) {
            to.setFolds(from.folds());
        }
        to.setScrollY(from.scrollY());
    });
}

void TiedTimelines::pointAlike(const TimelineState &from, TimelineState &to)
{
    if (m_isTying) {
        return;
    }
    const std::int64_t shift = to.originNs() - from.originNs();
    const auto ns = from.crosshairNs();
    changeOne([&] { to.setCrosshair(ns ? std::optional(*ns + shift) : std::nullopt); });
}

std::vector<PicturedTimeline> TiedTimelines::pictured(const QString &above,
                                                      const QString &below) const
{
    std::vector<PicturedTimeline> all { { &m_above.state(), above }, { &m_below.state(), below } };
    std::erase_if(all, [](const PicturedTimeline &one) { return one.state->source() == nullptr; });
    return all;
}

void TiedTimelines::align(core::TimeRange above, core::TimeRange below)
{
    TimelineState &first = m_above.state(), &second = m_below.state();
    const core::TimeRange all = first.source()->range(), others = second.source()->range();
    const auto before = std::max(above.startNs - all.startNs, below.startNs - others.startNs);
    const auto after = std::max(all.endNs - above.startNs, others.endNs - below.startNs);
    const std::int64_t longest = std::max(above.durationNs(), below.durationNs());
    changeOne([&] {
        for (const auto &[state, start] :
             { std::pair(&first, above.startNs), std::pair(&second, below.startNs) }) {
            state->setLimits({ start - before, start + after + longest / 20 });
            state->setOriginNs(start);
            state->setVisible({ start - longest / 40, start + longest + longest / 40 });
        }
    });
}

std::optional<FoldState> foldsFor(const TimelineState &state,
                                  const std::vector<TimelineTrack> &rows)
{
    return state.givenSource() != nullptr && areAlike(state.givenSource()->tracks(), rows)
        ? std::optional(state.folds())
        : std::nullopt;
}

} // namespace ui
