#include "fake_source.h"
#include "ui/timeline/empty_rows_note.h"
#include "ui/timeline/pinned_rows.h"
#include "ui/timeline/ruler_tags.h"
#include "ui/timeline/timeline_filter_bar.h"
#include "ui/timeline/timeline_menu.h"
#include "ui/timeline/timeline_widget.h"

#include <QMenu>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>

using namespace ui;

namespace {

/// Twenty ranks of a stream and a host thread; ids count a stream's slice, then the host's.
std::shared_ptr<tests::FakeSource> manyRanks()
{
    auto source = std::make_shared<tests::FakeSource>();
    for (int rank = 0; rank < 20; ++rank) {
        const QString group = QStringLiteral("rank %1").arg(rank);
        const auto stream = source->addTrack(group, QStringLiteral("GPU 0"),
                                             QStringLiteral("stream 7"), core::TrackKind::Stream);
        const auto host = source->addTrack(group, QStringLiteral("host"), QStringLiteral("main"),
                                           core::TrackKind::HostThread);
        source->add(stream, 0, 1'000'000);
        source->add(host, 0, 1'000'000, core::Role::Host);
    }
    return source;
}

const TrackName Stream9 { QStringLiteral("rank 9"), QStringLiteral("GPU 0"),
                          QStringLiteral("stream 7") };

} // namespace

class TestPinnedRows : public QObject
{
    Q_OBJECT

private slots:
    void aPinnedTrackStandsAboveItsRankAndNoFilterHidesIt()
    {
        TimelineState state;
        state.setSource(manyRanks());
        state.setArrangement(
            { .pinnedTracks = { Stream9 }, .pinned = { QStringLiteral("rank 3") } });
        const auto &rows = state.layout().rows;
        QCOMPARE(rows[0].label, QStringLiteral("rank 9 \u00b7 GPU 0 \u00b7 stream 7"));
        QVERIFY(rows[0].kind == RowKind::Track);
        QCOMPARE(rows[1].label, QStringLiteral("rank 3"));
        QCOMPARE(state.layout().pinnedHeight, rows[3].bottom());
        QCOMPARE(state.source()->tracks().size(), state.givenSource()->tracks().size());
        QCOMPARE(state.source()->find(18)->first, std::size_t(0));

        TrackArrangement filtered = state.arrangement();
        filtered.filters = { *parsedFilter(QStringLiteral("rank 1")) };
        state.setArrangement(filtered);
        const std::vector<TimelineTrack> &shown = state.source()->tracks();
        QCOMPARE(shown.size(), std::size_t(5)); // the track, the pinned rank's two, rank 1's two
        QVERIFY(shown[0].isAlone && !shown[1].isAlone);
        QCOMPARE(shown[1].group, QStringLiteral("rank 3"));
        QCOMPARE(shown[3].group, QStringLiteral("rank 1"));
        filtered.pinnedTracks = withToggled(filtered.pinnedTracks, Stream9);
        QVERIFY(filtered.pinnedTracks.empty());
    }

    /// A folded rank lies between its pinned track and the end of the pin.
    void foldsOfTheRankOutliveAPinOfItsTrack()
    {
        TimelineState state;
        state.setSource(manyRanks());
        state.setFolds({ { 18 }, {}, {} });
        state.setArrangement({ .pinnedTracks = { Stream9 } });
        QVERIFY(!state.folds().foldedGroups.contains(0));
        QCOMPARE(state.folds().foldedGroups.size(), std::size_t(1));
        QCOMPARE(state.givenFolds(), (FoldState { { 18 }, {}, {} }));
        const std::size_t folded = *state.folds().foldedGroups.begin();
        state.toggleFold(state.layout().rows[state.layout().rowOfTrack[folded]]);
        state.setArrangement({});
        QCOMPARE(state.folds(), FoldState());
        state.setArrangement({ .pinnedTracks = { Stream9 } });
        state.toggleAllGroups();
        QVERIFY(areGroupsFolded(state.folds(), state.source()->tracks()));
        QCOMPARE(state.layout().rows.size(), std::size_t(21));
    }

    void onlyWholeRowsInHalfTheHeightStay()
    {
        TimelineState state;
        state.setSource(manyRanks());
        QCOMPARE(stickyHeight(state.layout(), 400), 0);
        state.setArrangement({ .pinned = { QStringLiteral("rank 3"), QStringLiteral("rank 4") } });
        const TimelineLayout &layout = state.layout();
        QCOMPARE(stickyHeight(layout, 4000), layout.pinnedHeight);
        QCOMPARE(stickyHeight(layout, 2 * layout.rows[2].bottom() + 1), layout.rows[2].bottom());
        QCOMPARE(stickyHeight(layout, 10), 0);
    }

    void whatIsPinnedDoesNotScroll()
    {
        TimelineState state;
        state.setViewportHeight(300);
        state.setSource(manyRanks());
        state.setArrangement({ .pinnedTracks = { Stream9 } });
        const int sticky = state.stickyHeight();
        QCOMPARE(sticky, state.layout().rows[0].bottom());
        state.setScrollY(1'000'000);
        QCOMPARE(state.contentY(299), state.layout().height - 1); // the last row is reached
        QCOMPARE(state.contentY(sticky - 1), sticky - 1);
        QCOMPARE(state.contentY(sticky), sticky + state.scrollY());
        QVERIFY(state.isInView(0, sticky) && !state.isInView(sticky, sticky + 1));
        state.showTrack(1, 0);
        const TimelineRow &row = rowOfTrack(state.layout(), 1);
        QVERIFY(row.y - state.scrollY() >= sticky);
        const auto [pinned, scrolled] = state.rowsInView();
        QCOMPARE(pinned, (std::pair<std::size_t, std::size_t>(0, 1)));
        QVERIFY(scrolled.first >= 1);
    }

    void theMenuOfARowPinsAndUnpinsItsTrack()
    {
        TimelineWidget widget;
        widget.setSource(manyRanks());
        TimelineState &state = widget.state();
        const auto choose = [&](const TimelineRow &row, const QString &text) {
            QMenu menu;
            fillTimelineMenu(menu, widget, &row, std::nullopt);
            for (QAction *action : menu.actions()) {
                if (action->text() == text) {
                    action->trigger();
                    return true;
                }
            }
            return false;
        };
        const TimelineRow stream = rowOfTrack(state.layout(), 18);
        QVERIFY(choose(stream, QStringLiteral("Pin stream 7 on top")));
        QVERIFY((state.arrangement().pinnedTracks == std::vector { Stream9 }));
        const TimelineRow pinned = state.layout().rows.front();
        QVERIFY(choose(pinned, QStringLiteral("Unpin stream 7")));
        QCOMPARE(state.arrangement(), TrackArrangement());
        const TimelineRow rank = state.layout().rows.front();
        QVERIFY(!choose(rank, QStringLiteral("Pin stream 7 on top")));
        QVERIFY(choose(rank, QStringLiteral("Show only rank 0")));
        QCOMPARE(state.source()->tracks().size(), std::size_t(2));
    }

    void aClickOnAPinnedRowMeansItWhereverOthersAre()
    {
        TimelineWidget widget;
        widget.resize(900, 420);
        widget.setSource(manyRanks());
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget));
        widget.state().setArrangement({ .pinnedTracks = { Stream9 } });
        widget.state().setScrollY(400);
        QSignalSpy selected(&widget, &TimelineWidget::sliceSelected);
        QWidget *tracks = widget.childAt(600, 300);
        QTest::mouseClick(tracks, Qt::LeftButton, {}, QPoint(300, 10));
        QCOMPARE(selected.size(), 1);
        QCOMPARE(selected[0][0].toULongLong(), 18ULL);
        const QImage before = tracks->grab(QRect(0, 0, tracks->width(), 20)).toImage();
        widget.state().setScrollY(600);
        QCOMPARE(tracks->grab(QRect(0, 0, tracks->width(), 20)).toImage(), before);
    }

    void aFilterThatMatchesNothingSaysSoAndIsCleared()
    {
        TimelineWidget widget;
        widget.resize(900, 420);
        widget.setSource(manyRanks());
        widget.show();
        QVERIFY(QTest::qWaitForWindowExposed(&widget));
        TimelineState &state = widget.state();
        auto *note = widget.findChild<EmptyRowsNote *>();
        QVERIFY(!note->isVisible());
        TrackArrangement arrangement { .pinnedTracks = { Stream9 } };
        arrangement.filters = { *parsedFilter(QStringLiteral("rank 99")) };
        state.setArrangement(arrangement);
        QVERIFY(note->isVisible());
        QCOMPARE(emptyRowsText(state), QStringLiteral("No rank matches \"rank 99\"."));
        arrangement.filters = { *parsedFilter(QStringLiteral("no such")) };
        state.setArrangement(arrangement);
        QCOMPARE(emptyRowsText(state), QStringLiteral("No track matches \"no such\"."));
        QTest::mouseClick(note->findChild<QPushButton *>(), Qt::LeftButton);
        QVERIFY(state.arrangement().filters.empty() && !note->isVisible());
        QCOMPARE(state.arrangement().pinnedTracks.size(), std::size_t(1));
    }

    void chipsAreAsWideAsTheirTextsAndTheRestIsListed()
    {
        QCOMPARE(fittingChips({}, 100, 4, 40), std::size_t(0));
        QCOMPARE(fittingChips({ 60, 36 }, 100, 4, 40), std::size_t(2));
        QCOMPARE(fittingChips({ 60, 37 }, 100, 4, 40), std::size_t(1));
        QCOMPARE(fittingChips({ 30, 30, 60 }, 112, 4, 40), std::size_t(2));
        QCOMPARE(fittingChips({ 200, 30 }, 100, 4, 40), std::size_t(1)); // cut

        TimelineState state;
        state.setSource(manyRanks());
        TimelineFilterBar bar(state);
        bar.resize(220, 84);
        TrackArrangement arrangement;
        for (int rank = 0; rank < 8; ++rank) {
            arrangement.filters.push_back(*parsedFilter(QStringLiteral("rank %1").arg(rank)));
        }
        state.setArrangement(arrangement);
        QList<QToolButton *> chips;
        for (auto *chip : bar.findChildren<QToolButton *>(QString(), Qt::FindDirectChildrenOnly)) {
            if (!chip->isHidden()) {
                chips.append(chip);
            }
        }
        QVERIFY(chips.size() >= 3 && chips.size() < 8);
        QCOMPARE(chips.front()->text(), QStringLiteral("rank 0 \u00d7"));
        const qsizetype left = 8 - (chips.size() - 1);
        QCOMPARE(chips.back()->text(), QStringLiteral("+%1").arg(left));
        QCOMPARE(chips.back()->menu()->actions().size(), left);
        chips.back()->menu()->actions().constLast()->trigger();
        QCOMPARE(state.arrangement().filters.size(), std::size_t(7));
        QCOMPARE(state.arrangement().filters.back().text, QStringLiteral("rank 6"));
    }

    void thePointersTimeLiesBesideNotesAndTheseBesideEachOther()
    {
        const std::vector<QRectF> note { QRectF(100, 20, 60, 16) };
        QCOMPARE(pointerTagLeft(50, 40, 400, note), 30.0);
        QCOMPARE(pointerTagLeft(0, 40, 400, {}), 0.0);
        QCOMPARE(pointerTagLeft(165, 40, 400, note), 168.0); // right of the line
        QCOMPARE(pointerTagLeft(95, 40, 400, note), 52.0); // left of it
        QVERIFY(pointerTagLeft(130, 40, 400, note) < 0);
        QCOMPARE(flagLabelLength(100, 60, 400), 60.0);
        QCOMPARE(flagLabelLength(100, 60, 142), 40.0);
        QCOMPARE(flagLabelLength(100, 60, 120), 0.0);
    }

    /// Lengths of marks lay over the times of the ruler, which then lacked them.
    void aMarksLabelCoversNeitherTimesNorNames()
    {
        const std::vector<QRectF> times { QRectF(100, 18, 40, 20), QRectF(200, 18, 40, 20) };
        QCOMPARE(*freeTagLeft({ 20, 0, 400, 50 }, times), 20.0);
        QCOMPARE(*freeTagLeft({ 120, 0, 400, 50 }, times), 142.0); // nearer than left of 100
        QCOMPARE(*freeTagLeft({ 90, 0, 400, 50 }, times), 48.0);
        QVERIFY(!freeTagLeft({ 90, 80, 120, 50 }, times)); // it has to stay at its mark
        const QRectF lower(0, 20, 0, 16), upper(0, 2, 0, 16);
        TagPlaces places(times, { QRectF(0, 0, 60, 18) }, lower, upper);
        QCOMPARE(places.place({ 120, 0, 400, 50 }), QRectF(142, 20, 50, 16));
        // Between the times is no room left: it goes beside the names of iterations.
        QCOMPARE(places.place({ 150, 130, 160, 50 }), QRectF(150, 2, 50, 16));
        QCOMPARE(places.place({ 90, 90, 90, 30 }), QRectF(90, 2, 30, 16));
        // Nothing is free: times are covered rather than the mark's length left out.
        QCOMPARE(places.place({ 10, 10, 10, 100 }), QRectF(10, 20, 100, 16));
        QVERIFY(places.place({ 10, 10, 10, 100 }).isEmpty()); // over another tag never
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPinnedRows)
#include "tst_pinned_rows.moc"
