#include "ui/timeline/timeline_menu.h"

#include "ui/timeline/timeline_widget.h"

#include <QActionGroup>
#include <QClipboard>
#include <QCoreApplication>
#include <QGuiApplication>
#include <QMenu>

#include <algorithm>

namespace ui {
namespace {

    struct MenuWords
    {
        Q_DECLARE_TR_FUNCTIONS(TimelineMenu)
    };

    template <class Change>
    void addChange(QMenu &menu, TimelineState &state, const QString &text, Change change)
    {
        menu.addAction(text, &state, [&state, change] {
            TrackArrangement arrangement = state.arrangement();
            change(arrangement);
            state.setArrangement(std::move(arrangement));
        });
    }

    void addSliceActions(QMenu &menu, TimelineWidget &timeline, const TimelineHit &slice)
    {
        const QString name = timeline.state().source()->boxName(slice.track, slice.box.id);
        menu.addAction(MenuWords::tr("Zoom to slice"), &timeline, [&timeline, slice] {
            timeline.state().pushHistory();
            timeline.state().setVisible(padded({ slice.box.startNs, slice.box.endNs }, 0.1));
        });
        menu.addAction(MenuWords::tr("Copy slice name"), &timeline,
                       [name] { QGuiApplication::clipboard()->setText(name); });
        menu.addSeparator();
    }

    QString menuText(QString text)
    {
        return text.replace(QLatin1Char('&'), QStringLiteral("&&"));
    }

    void addTrackPin(QMenu &menu, TimelineState &state, const TrackName &track)
    {
        const auto &pinned = state.arrangement().pinnedTracks;
        const bool isPinned = std::ranges::find(pinned, track) != pinned.end();
        const QString shown = menuText(track.name);
        addChange(
            menu, state,
            isPinned ? MenuWords::tr("Unpin %1").arg(shown)
                     : MenuWords::tr("Pin %1 on top").arg(shown),
            [track](TrackArrangement &a) { a.pinnedTracks = withToggled(a.pinnedTracks, track); });
    }

    void addRowActions(QMenu &menu, TimelineState &state, const TimelineRow &row)
    {
        const QString group = state.source()->tracks()[row.firstTrack].group;
        const QString shown = menuText(group);
        if (row.isFoldable) {
            menu.addAction(row.isFolded ? MenuWords::tr("Unfold") : MenuWords::tr("Fold"), &state,
                           [&state, row] { state.toggleFold(row); });
        }
        if (row.kind == RowKind::Track) {
            addTrackPin(menu, state, nameOf(state.source()->tracks()[row.firstTrack]));
        }
        const auto &pinned = state.arrangement().pinned;
        const bool isPinned = std::ranges::find(pinned, group) != pinned.end();
        addChange(menu, state,
                  isPinned ? MenuWords::tr("Unpin %1").arg(shown)
                           : MenuWords::tr("Pin %1 on top").arg(shown),
                  [group](TrackArrangement &a) { a.pinned = withToggled(a.pinned, group); });
        addChange(menu, state, MenuWords::tr("Hide %1").arg(shown),
                  [group](TrackArrangement &a) { a.hidden = withToggled(a.hidden, group); });
        addChange(menu, state, MenuWords::tr("Show only %1").arg(shown),
                  [group](TrackArrangement &a) {
                      // Behind the rank may stand its host and clock, which change.
                      const QString rank = group.section(QStringLiteral(" \u00b7 "), 0, 0);
                      a.filters = { { TrackField::Group, rank } };
                      a.hidden.clear();
                  });
        menu.addAction(MenuWords::tr("Copy track name"), &state,
                       [label = row.label] { QGuiApplication::clipboard()->setText(label); });
        menu.addSeparator();
    }

    void addSortMenu(QMenu &menu, TimelineState &state)
    {
        struct Order
        {
            GroupOrder order;
            QString text;
            bool needsKeys;
        };
        const Order orders[] {
            { GroupOrder::Source, MenuWords::tr("By rank"), false },
            { GroupOrder::Name, MenuWords::tr("By name"), false },
            { GroupOrder::Wait, MenuWords::tr("Longest wait first"), true },
            { GroupOrder::Lateness, MenuWords::tr("Latest first"), true },
        };
        QMenu *sort = menu.addMenu(MenuWords::tr("Sort ranks"));
        auto *choice = new QActionGroup(sort);
        for (const Order &order : orders) {
            addChange(*sort, state, order.text,
                      [order = order.order](TrackArrangement &a) { a.order = order; });
            QAction *action = sort->actions().constLast();
            action->setCheckable(true);
            action->setChecked(state.arrangement().order == order.order);
            action->setEnabled(!order.needsKeys || state.hasGroupKeys());
            choice->addAction(action);
        }
    }

    QString sectionKindText(const QString &kind)
    {
        return kind == QLatin1String("host") ? MenuWords::tr("By host")
                                             : MenuWords::tr("By %1-parallel group").arg(kind);
    }

    /// Only what tells ranks apart is offered.
    void addGatherMenu(QMenu &menu, TimelineState &state)
    {
        const std::set<QString> kinds = state.sectionKinds();
        if (kinds.empty()) {
            return;
        }
        QMenu *gather = menu.addMenu(MenuWords::tr("Group ranks"));
        auto *choice = new QActionGroup(gather);
        const auto add = [&](const QString &kind, const QString &text) {
            addChange(*gather, state, text, [kind](TrackArrangement &a) { a.gatheredBy = kind; });
            QAction *action = gather->actions().constLast();
            action->setCheckable(true);
            action->setChecked(state.arrangement().gatheredBy == kind);
            choice->addAction(action);
        };
        add({}, MenuWords::tr("Not grouped"));
        for (const QString &kind : kinds) {
            add(kind, sectionKindText(kind));
        }
    }

} // namespace

void fillTimelineMenu(QMenu &menu, TimelineWidget &timeline, const TimelineRow *row,
                      const std::optional<TimelineHit> &slice)
{
    TimelineState &state = timeline.state();
    if (state.source() == nullptr) {
        return;
    }
    if (slice) {
        addSliceActions(menu, timeline, *slice);
    }
    if (row != nullptr && row->kind != RowKind::Section) {
        addRowActions(menu, state, *row);
    }
    const bool areFolded = areGroupsFolded(state.folds(), state.source()->tracks());
    menu.addAction(areFolded ? MenuWords::tr("Unfold all ranks") : MenuWords::tr("Fold all ranks"),
                   &state, &TimelineState::toggleAllGroups);
    QAction *overview = menu.addAction(MenuWords::tr("Overview: one thin row a rank"), &state,
                                       &TimelineState::setRankOverview);
    overview->setCheckable(true);
    overview->setChecked(state.isRankOverview());
    addSortMenu(menu, state);
    addGatherMenu(menu, state);
    if (state.arrangement() != TrackArrangement()) {
        addChange(menu, state, MenuWords::tr("Show all tracks by rank"),
                  [](TrackArrangement &a) { a = {}; });
    }
}

} // namespace ui
