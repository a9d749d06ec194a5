#include "fake_source.h"
#include "ui/timeline/timeline_layout.h"

#include <QTest>

namespace {

/// "rank 0 @0 ..." one word a row: label, position and height.
QString printed(const ui::TimelineLayout &layout)
{
    QStringList rows;
    for (const ui::TimelineRow &row : layout.rows) {
        rows << QStringLiteral("%1%2 @%3+%4%5")
                    .arg(QString(row.indent, QLatin1Char(' ')), row.label)
                    .arg(row.y)
                    .arg(row.height)
                    .arg(row.isFolded ? QStringLiteral(" folded") : QString());
    }
    return rows.join(QLatin1Char('\n'));
}

} // namespace

class TestTimelineLayout : public QObject
{
    Q_OBJECT

private slots:
    void ranksDevicesAndTracksAreNested()
    {
        const auto source = tests::twoRanks();
        QCOMPARE(printed(ui::layOut(source->tracks(), {})),
                 QStringLiteral("rank 0 @0+24\n"
                                " GPU 0 @24+20\n"
                                "  stream 7 @44+22\n"
                                "  stream 20 @66+22\n"
                                " host \u00b7 main @88+76 folded\n"
                                "rank 1 @164+24\n"
                                " GPU 0 @188+20\n"
                                "  stream 7 @208+22\n"
                                "  stream 20 @230+22\n"
                                " host \u00b7 main @252+76 folded"));
    }

    void foldingHidesWhatIsInside()
    {
        const auto source = tests::twoRanks();
        ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        ui::FoldState folds = ui::toggled({}, layout.rows[0]); // rank 0
        folds = ui::toggled(folds, layout.rows[6]); // GPU 0 of rank 1
        folds = ui::toggled(folds, layout.rows[9]); // deep host track of rank 1: unfolds
        layout = ui::layOut(source->tracks(), folds);
        QCOMPARE(printed(layout),
                 QStringLiteral("rank 0 @0+24 folded\n"
                                "rank 1 @24+24\n"
                                " GPU 0 @48+20 folded\n"
                                " host \u00b7 main @68+112"));
        QCOMPARE(ui::rowOfTrack(layout, 1).label, QStringLiteral("rank 0"));
        QCOMPARE(ui::rowOfTrack(layout, 4).label, QStringLiteral("GPU 0"));
        QCOMPARE(
            printed(ui::layOut(source->tracks(), ui::toggled(folds, layout.rows[0]))).count(u'\n'),
            7);
    }

    void onlyVisibleRowsAreFound()
    {
        const auto source = tests::twoRanks();
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        QCOMPARE(ui::rowsBetween(layout, 0, 24), std::pair(std::size_t { 0 }, std::size_t { 1 }));
        QCOMPARE(ui::rowsBetween(layout, 43, 67), std::pair(std::size_t { 1 }, std::size_t { 4 }));
        QCOMPARE(ui::rowsBetween(layout, 5000, 6000).first, layout.rows.size());
        QCOMPARE(ui::rowAt(layout, 88)->label, QStringLiteral("host \u00b7 main"));
        QVERIFY(ui::rowAt(layout, -1) == nullptr);
        QVERIFY(ui::rowAt(layout, layout.height) == nullptr);
    }

    void aBarLiesOnTheLineOfItsDepth()
    {
        const auto source = tests::twoRanks();
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        const ui::TimelineRow &host = ui::rowOfTrack(layout, 2);
        for (std::uint32_t depth = 0; depth < host.depths; ++depth) {
            const auto [top, height] = ui::barSpan(layout, host, depth);
            QVERIFY(top >= host.y && top + height <= host.bottom());
            QCOMPARE(ui::depthAt(layout, host, top + height / 2), std::optional(depth));
        }
        // What a folded track does not show lies on its last line.
        QCOMPARE(ui::barSpan(layout, host, 5), ui::barSpan(layout, host, 3));
        QVERIFY(!ui::depthAt(layout, layout.rows[0], 10));
    }

    void theNearestBoxIsHit()
    {
        std::vector<ui::TimelineBox> boxes(3);
        boxes[0] = { .startNs = 0, .endNs = 100, .id = 1 };
        boxes[1] = { .startNs = 110, .endNs = 111, .id = 2 };
        boxes[2] = { .startNs = 0, .endNs = 500, .id = 3, .depth = 1 };
        const auto idAt = [&](std::uint32_t depth, std::int64_t ns) {
            const ui::TimelineBox *box = ui::boxAt(boxes, depth, ns, 5);
            return box == nullptr ? 0 : static_cast<int>(box->id);
        };
        QCOMPARE(idAt(0, 50), 1);
        QCOMPARE(idAt(0, 102), 1);
        QCOMPARE(idAt(0, 108), 2);
        QCOMPARE(idAt(0, 130), 0);
        QCOMPARE(idAt(1, 130), 3);
        QCOMPARE(idAt(2, 130), 0);
    }

    /// One and a half of four ranks were seen of Compare's halves in a window of 1600x900.
    void rowsAreAsRoomyAsTheViewAllows()
    {
        tests::FakeSource source;
        for (int rank = 0; rank < 4; ++rank) {
            const QString group = QStringLiteral("rank %1").arg(rank);
            for (const char *thread : { "thread 1", "thread 2" })
                source.addTrack(group, QStringLiteral("communication"), QLatin1String(thread),
                                core::TrackKind::Communication);
            source.addTrack(group, QStringLiteral("host"), QStringLiteral("main"),
                            core::TrackKind::HostThread, 6);
        }
        const auto heightIn = [&source](int view) {
            const ui::RowMetrics metrics = ui::fittingMetrics(source.tracks(), {}, view);
            return ui::layOut(source.tracks(), {}, metrics).height;
        };
        QVERIFY(heightIn(235) <= 235);
        QVERIFY(heightIn(300) > heightIn(235));
        QVERIFY(heightIn(300) <= 300);
        QVERIFY(heightIn(1000) > heightIn(300));
        QCOMPARE(heightIn(100), heightIn(235)); // the densest: the rest is scrolled to
        // Without a row of its own the subgroup's name stands with its tracks'.
        const ui::TimelineLayout dense
            = ui::layOut(source.tracks(), {}, ui::fittingMetrics(source.tracks(), {}, 235));
        QCOMPARE(dense.rows.size(), std::size_t(4 * 4));
        QCOMPARE(dense.rows[1].label, QStringLiteral("communication \u00b7 thread 1"));
        QVERIFY(dense.rows[3].isFlat && dense.rows[3].isFoldable);
    }

    void inAFlatRowTheDeepestSliceIsOnTop()
    {
        std::vector<ui::TimelineBox> boxes(3);
        for (std::uint8_t depth = 0; depth < 3; ++depth) {
            boxes[depth].depth = depth;
            boxes[depth].endNs = 100 - 40 * depth;
            boxes[depth].role = depth == 0 ? core::Role::Annotation : core::Role::Forward;
        }
        QCOMPARE(ui::topmostBoxAt(boxes, 10, 0), &boxes[2]);
        QCOMPARE(ui::topmostBoxAt(boxes, 40, 5), &boxes[1]); // though the other one is near
        QVERIFY(ui::topmostBoxAt(boxes, 80, 5) == nullptr); // the annotation is not drawn
        QCOMPARE(ui::topmostBoxAt(boxes, 62, 5), &boxes[1]);
    }

    void minorTracksStartFolded()
    {
        tests::FakeSource source;
        source.addTrack(QStringLiteral("rank 0"), QStringLiteral("GPU 0"),
                        QStringLiteral("stream 7"), core::TrackKind::Stream);
        source.addTrack(QStringLiteral("rank 0"), QStringLiteral("little recorded"),
                        QStringLiteral("PyTorch Profiler"), core::TrackKind::Annotation);
        std::vector<ui::TimelineTrack> tracks = source.tracks();
        QVERIFY(ui::initialFolds(tracks).foldedSubgroups.empty());
        tracks[1].isMinor = true;
        const ui::FoldState folds = ui::initialFolds(tracks);
        QCOMPARE(folds.foldedSubgroups, std::set<std::size_t> { 1 });
        const ui::TimelineLayout layout = ui::layOut(tracks, folds);
        QCOMPARE(layout.rows.size(), std::size_t(3));
        QVERIFY(layout.rows[2].kind == ui::RowKind::Subgroup && layout.rows[2].isFolded);
        QCOMPARE(layout.rows[2].label, QStringLiteral("little recorded"));
    }

    void rowsAlikeAreFoldedTogether()
    {
        const auto source = tests::twoRanks(); // a device of two streams, a deep host thread each
        const auto &tracks = source->tracks();
        const ui::TimelineLayout open = ui::layOut(tracks, {});
        const auto rowOf = [](const ui::TimelineLayout &layout, const QString &label) {
            return *std::ranges::find(layout.rows, label, &ui::TimelineRow::label);
        };
        const ui::TimelineRow device = rowOf(open, QStringLiteral("GPU 0"));
        ui::FoldState folds = ui::toggledAlike({}, tracks, device);
        QCOMPARE(folds.foldedSubgroups, (std::set<std::size_t> { 0, 3 }));
        const ui::TimelineLayout folded = ui::layOut(tracks, folds);
        folds = ui::toggledAlike(folds, tracks, rowOf(folded, QStringLiteral("GPU 0")));
        QCOMPARE(folds, ui::FoldState());

        const ui::TimelineRow host = rowOf(open, QStringLiteral("host \u00b7 main"));
        QVERIFY(host.isFolded);
        folds = ui::toggledAlike({}, tracks, host);
        QCOMPARE(folds.unfoldedTracks, (std::set<std::size_t> { 2, 5 }));
        folds = ui::toggledAlike({}, tracks, rowOf(open, QStringLiteral("rank 1")));
        QCOMPARE(folds.foldedGroups, (std::set<std::size_t> { 0, 3 }));
    }

    void manyRanksStartFolded()
    {
        tests::FakeSource source;
        for (int rank = 0; rank < 128; ++rank) {
            for (int stream = 0; stream < 4; ++stream) {
                source.addTrack(QStringLiteral("rank %1").arg(rank), QStringLiteral("GPU 0"),
                                QStringLiteral("stream %1").arg(stream), core::TrackKind::Stream);
            }
        }
        const ui::FoldState folds = ui::initialFolds(source.tracks());
        QVERIFY(!folds.foldedGroups.contains(0));
        QVERIFY(folds.foldedGroups.contains(127 * 4));
        QVERIFY(ui::layOut(source.tracks(), folds).height < 6000);
    }

    /// A row for every tensor of a Horovod trace once pushed all ranks but the first off the
    /// screen.
    void hundredsOfAnnotationsStartFolded()
    {
        tests::FakeSource source;
        for (int rank = 0; rank < 4; ++rank) {
            const QString group = QStringLiteral("rank %1").arg(rank);
            source.addTrack(group, QStringLiteral("communication"), QStringLiteral("collectives"),
                            core::TrackKind::Communication);
            for (int tensor = 0; tensor < 200; ++tensor) {
                source.addTrack(group, QStringLiteral("annotations"),
                                QStringLiteral("tensor %1").arg(tensor),
                                core::TrackKind::Annotation);
            }
        }
        const ui::TimelineLayout layout
            = ui::layOut(source.tracks(), ui::initialFolds(source.tracks()));
        QCOMPARE(layout.rows.size(), std::size_t(4 * 3));
        QVERIFY(layout.rows[2].isFolded);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineLayout)
#include "tst_timeline_layout.moc"
