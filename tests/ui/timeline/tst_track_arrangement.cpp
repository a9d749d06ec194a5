#include "fake_source.h"
#include "ui/timeline/timeline_filter_bar.h"
#include "ui/timeline/timeline_state.h"
#include "ui/timeline/timeline_steps.h"
#include "ui/timeline/track_arrangement.h"
#include "ui/timeline/utilisation.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QTest>
#include <QToolButton>

using namespace ui;

namespace {

std::shared_ptr<tests::FakeSource> threeRanks()
{
    auto source = std::make_shared<tests::FakeSource>();
    for (const int rank : { 0, 2, 10 }) {
        const QString group = QStringLiteral("rank %1").arg(rank);
        const auto stream = source->addTrack(group, QStringLiteral("GPU 0"),
                                             QStringLiteral("stream 7"), core::TrackKind::Stream);
        const auto host = source->addTrack(group, QStringLiteral("host"), QStringLiteral("main"),
                                           core::TrackKind::HostThread);
        source->add(stream, 0, 100);
        source->add(host, 0, 50, core::Role::Host);
    }
    return source;
}

QStringList shownGroups(const TrackArrangement &arrangement, const GroupKeysByName &keys = {})
{
    const auto source = threeRanks();
    QStringList names;
    for (const std::size_t track : arrangedTracks(source->tracks(), arrangement, keys)) {
        names.append(source->tracks()[track].group + QLatin1Char('/')
                     + source->tracks()[track].name);
    }
    return names;
}

QStringList both(std::initializer_list<int> ranks)
{
    QStringList names;
    for (const int rank : ranks) {
        names.append(QStringLiteral("rank %1/stream 7").arg(rank));
        names.append(QStringLiteral("rank %1/main").arg(rank));
    }
    return names;
}

} // namespace

class TestTrackArrangement : public QObject
{
    Q_OBJECT

private slots:
    void theLatestRankComesFirst()
    {
        const GroupKeysByName keys { { QStringLiteral("rank 2"), { 1, 9 } },
                                     { QStringLiteral("rank 10"), { 5, 2 } } };
        QCOMPARE(shownGroups({ .order = GroupOrder::Lateness }, keys), both({ 2, 10, 0 }));
        QCOMPARE(shownGroups({ .order = GroupOrder::Wait }, keys), both({ 10, 2, 0 }));
        QCOMPARE(shownGroups({ .order = GroupOrder::Name }, keys), both({ 0, 2, 10 }));
    }

    void pinnedRanksAreOnTopAndHiddenOnesAbsent()
    {
        QCOMPARE(shownGroups({ .pinned = { QStringLiteral("rank 10") },
                               .hidden = { QStringLiteral("rank 0") } }),
                 both({ 10, 2 }));
    }

    /// Hidden ranks came back unfolded, and arrows kept the old tracks.
    void aFilterTakesNoFoldsAndLeavesNoArrows()
    {
        TimelineState state;
        state.setSource(threeRanks());
        const FoldState folds { { 0, 4 }, { 1 }, {} };
        state.setFolds(folds);
        state.setArrows({ TimelineArrow {} }, 3);
        TrackArrangement arrangement;
        arrangement.filters = { *parsedFilter(QStringLiteral("rank 2")) };
        state.setArrangement(arrangement);
        QVERIFY(state.arrows().empty());
        QCOMPARE(state.source()->tracks().size(), std::size_t { 2 });
        QCOMPARE(state.givenFolds(), folds); // what is kept in a project
        state.toggleFold(state.layout().rows.front());
        state.setArrangement({});
        QCOMPARE(state.folds(), (FoldState { { 0, 2, 4 }, { 1 }, {} }));
    }

    void filtersOfOneFieldAddUpAndThoseOfSeveralNarrow()
    {
        const auto filters = [](std::initializer_list<const char *> texts) {
            TrackArrangement arrangement;
            for (const char *text : texts) {
                arrangement.filters.push_back(*parsedFilter(QString::fromUtf8(text)));
            }
            return arrangement;
        };
        QCOMPARE(shownGroups(filters({ "rank 2", "rank:10" })), both({ 2, 10 }));
        QCOMPARE(shownGroups(filters({ "rank 2", "kind:stream" })),
                 QStringList { QStringLiteral("rank 2/stream 7") });
        QCOMPARE(shownGroups(filters({ "MAIN", "rank 0" })),
                 QStringList { QStringLiteral("rank 0/main") });
        QCOMPARE(shownGroups(filters({ "nothing" })), QStringList());
    }

    void blankTextIsNoFilterAndChipsReadBack()
    {
        QVERIFY(!parsedFilter(QStringLiteral("  ")));
        QVERIFY(!parsedFilter(QStringLiteral("kind: ")));
        for (const QString &text : { QStringLiteral("rank 3"), QStringLiteral("kind:host"),
                                     QStringLiteral("stream 7") }) {
            QCOMPARE(filterText(*parsedFilter(text)), text);
            QCOMPARE(*parsedFilter(filterText(*parsedFilter(text))), *parsedFilter(text));
        }
    }

    void gatheredRanksStandUnderTheirHeadings()
    {
        GroupKeysByName keys;
        const QString tensor = QStringLiteral("tensor");
        keys[QStringLiteral("rank 0")].sections[tensor] = QStringLiteral("ranks 0, 10");
        keys[QStringLiteral("rank 10")].sections[tensor] = QStringLiteral("ranks 0, 10");
        const TrackArrangement gathered { .gatheredBy = tensor };
        QCOMPARE(shownGroups(gathered, keys), both({ 0, 10, 2 }));

        TimelineState state;
        state.setSource(threeRanks());
        state.setGroupKeys(keys);
        state.setArrangement(gathered);
        state.toggleAllGroups();
        QStringList labels;
        for (const TimelineRow &row : state.layout().rows) {
            labels.append(row.label);
        }
        QCOMPARE(labels,
                 (QStringList { QStringLiteral("ranks 0, 10"), QStringLiteral("rank 0"),
                                QStringLiteral("rank 10"), QStringLiteral("other ranks"),
                                QStringLiteral("rank 2") }));
        QVERIFY(state.layout().rows[0].kind == RowKind::Section);
        QVERIFY(!state.layout().rows[0].isFoldable);

        TrackArrangement pinned = gathered;
        pinned.pinned = { QStringLiteral("rank 10") };
        state.setArrangement(pinned);
        QCOMPARE(state.layout().rows[0].label, QStringLiteral("rank 10"));
        QCOMPARE(state.layout().rows[1].label, QStringLiteral("ranks 0, 10"));
        QCOMPARE(state.sectionKinds(), std::set<QString> { tensor });
    }

    void foldsFollowTheirRanks()
    {
        const auto source = threeRanks();
        const std::vector<std::size_t> order { 4, 5, 2, 3 };
        const ArrangedSource shown(source, order, placedTracks(source->tracks(), order, {}, {}));
        const FoldState folds { { 0, 4 }, {}, {} };
        const FoldState carried = carriedFolds(folds, source->tracks(), shown.tracks());
        QCOMPARE(carried, (FoldState { { 0 }, {}, {} }));
    }

    void anArrangedSourceShowsTheSameSlices()
    {
        const auto source = threeRanks();
        const std::vector<std::size_t> order { 4, 5 };
        const ArrangedSource shown(source, order, placedTracks(source->tracks(), order, {}, {}));
        QCOMPARE(shown.tracks().front().group, QStringLiteral("rank 10"));
        const auto found = shown.find(4);
        QVERIFY(found.has_value());
        QCOMPARE(found->first, std::size_t(0));
        QCOMPARE(shown.boxes(0, { 0, 100 }, 1).front().id, std::uint64_t(4));
        QVERIFY(!shown.find(0));
    }

    void theSelectionStaysWithItsTrack()
    {
        TimelineState state;
        state.setSource(threeRanks());
        const auto found = state.source()->find(4);
        state.select(TimelineHit { found->first, found->second });
        state.setArrangement({ .pinned = { QStringLiteral("rank 10") } });
        QCOMPARE(state.selection()->track, std::size_t(0));
        QCOMPARE(state.givenTrack(0), std::size_t(4));
        state.setArrangement({ .hidden = { QStringLiteral("rank 10") } });
        QVERIFY(!state.selection());
        state.setArrangement({});
        QCOMPARE(state.source(), state.givenSource());
    }

    void anotherSourceWithTheSameTracksStaysArranged()
    {
        TimelineState state;
        state.setSource(threeRanks());
        state.setArrangement({ .hidden = { QStringLiteral("rank 0") } });
        state.setSource(threeRanks());
        QCOMPARE(state.source()->tracks().size(), std::size_t(4));
        state.setSource(tests::twoRanks());
        QCOMPARE(state.arrangement(), TrackArrangement());
    }

    void theOverviewFoldsAllAndGivesTheFoldsBack()
    {
        TimelineState state;
        state.setViewportHeight(36);
        state.setSource(threeRanks());
        const FoldState before = state.folds();
        state.setRankOverview(true);
        QCOMPARE(state.layout().rows.size(), std::size_t(3));
        QCOMPARE(state.layout().height, 36);
        state.setRankOverview(false);
        QCOMPARE(state.folds(), before);
    }

    void allRanksAreFoldedAndOpenedTogether()
    {
        TimelineState state;
        state.setSource(threeRanks());
        state.toggleAllGroups();
        QVERIFY(areGroupsFolded(state.folds(), state.source()->tracks()));
        state.toggleAllGroups();
        QVERIFY(state.folds().foldedGroups.empty());
    }

    /// A folded row hatches these columns.
    void waitingIsToldByColumn()
    {
        std::vector<float> waits;
        const auto source = tests::twoRanks(); // waits from 400 to 600 us of 1 ms
        utilisation(*source, 0, 3, axisFor({ 0, 1'000'000 }, 10), &waits);
        QCOMPARE(waits, (std::vector<float> { 0, 0, 0, 0, 1, 1, 0, 0, 0, 0 }));
    }

    void anEnteredFilterIsAChipThatAClickRemoves()
    {
        TimelineState state;
        state.setSource(threeRanks());
        TimelineFilterBar bar(state);
        bar.resize(220, 84);
        auto *edit = bar.findChild<QLineEdit *>();
        QTest::keyClicks(edit, QStringLiteral("rank 2 "));
        QTest::keyClick(edit, Qt::Key_Return);
        QCOMPARE(state.source()->tracks().size(), std::size_t(2));
        QVERIFY(edit->text().isEmpty());
        // Ctrl+Z is the window's: it takes the filter back, not the typing.
        QVERIFY(!edit->isUndoAvailable());
        QKeyEvent undo(QEvent::ShortcutOverride, Qt::Key_Z, Qt::ControlModifier);
        undo.ignore();
        QCoreApplication::sendEvent(edit, &undo);
        QVERIFY(!undo.isAccepted());
        auto chips = bar.findChildren<QToolButton *>(QString(), Qt::FindDirectChildrenOnly);
        QCOMPARE(chips.size(), 1);
        QCOMPARE(chips.front()->text(), QStringLiteral("rank 2 \u00d7"));
        chips.front()->click();
        QCOMPARE(state.arrangement(), TrackArrangement());
    }

    void aFewSlicesFarBeforeTheOthersAreNotWhereThingsHappen()
    {
        tests::FakeSource source;
        const auto track = source.addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("channel"),
                                           core::TrackKind::Communication);
        source.add(track, 0, 10);
        for (int i = 0; i < 20; ++i) {
            source.add(track, 980'000 + i * 1000, 980'500 + i * 1000);
        }
        const core::TimeRange active = activeRange(source);
        QVERIFY(active.startNs > 900'000 && active.startNs <= 980'000);
        QCOMPARE(active.endNs, source.range().endNs);
        QVERIFY(activeRange(*threeRanks()).isEmpty());
    }

    void fittingReadsFewTracks()
    {
        tests::FakeSource always, idle;
        for (int rank = 0; rank < 100; ++rank) {
            const QString group = QStringLiteral("rank %1").arg(rank);
            const auto stream
                = always.addTrack(group, {}, QStringLiteral("stream 7"), core::TrackKind::Stream);
            always.add(stream, 0, 1'000'000);
            idle.addTrack(group, {}, QStringLiteral("stream 7"), core::TrackKind::Stream);
            idle.add(stream, 0, 10);
            for (int i = 0; i < 20; ++i) {
                idle.add(stream, 980'000 + i * 1000, 980'500 + i * 1000);
            }
        }
        QVERIFY(activeRange(always).isEmpty());
        QCOMPARE(always.reads(), 1);
        QVERIFY(!activeRange(idle).isEmpty());
        QCOMPARE(idle.reads(), 16);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTrackArrangement)
#include "tst_track_arrangement.moc"
