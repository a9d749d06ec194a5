#include "fake_source.h"
#include "ui/timeline/critical_line.h"
#include "ui/timeline/drawing/density_image.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/utilisation.h"

#include <QTest>

namespace {

ui::TimelineFrame frameOf(const ui::TimelineSource &source, const ui::TimelineLayout &layout,
                          core::TimeRange range)
{
    ui::TimelineFrame frame;
    frame.source = &source;
    frame.layout = &layout;
    frame.axis = ui::axisFor(range, 1000);
    frame.size = QSize(1000, 400);
    frame.theme = ui::lightTheme();
    frame.font = ui::uiFont(ui::TextSize::Small);
    return frame;
}

} // namespace

class TestTimelinePainter : public QObject
{
    Q_OBJECT

private slots:
    void aBoxHasTheColourOfItsRole()
    {
        const auto source = tests::twoRanks();
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        ui::TimelinePainter painter;
        const QImage image = painter.paint(frameOf(*source, layout, { 0, 1'000'000 }));
        const auto [top, height] = ui::barSpan(layout, ui::rowOfTrack(layout, 0), 0);
        const ui::Theme theme = ui::lightTheme();
        QCOMPARE(image.pixelColor(298, top + 1), theme.role(core::Role::Forward));
        QCOMPARE(image.pixelColor(299, top + 1), theme.background); // the gap
        QCOMPARE(image.pixelColor(300, top + 1), theme.role(core::Role::Backward));
        QCOMPARE(image.pixelColor(800, top + 1), theme.background);
        QCOMPARE(image.pixelColor(950, top + height - 1), theme.role(core::Role::Optimizer));
        QVERIFY(painter.statistics().labels >= 8);
    }

    void waitingIsHatchedAndTransferSolid()
    {
        const auto source = tests::twoRanks();
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        ui::TimelinePainter painter;
        const QImage image = painter.paint(frameOf(*source, layout, { 0, 1'000'000 }));
        const int top = ui::barSpan(layout, ui::rowOfTrack(layout, 1), 0).first;
        QSet<QRgb> waiting, transfer;
        for (int x = 0; x < 30; ++x) {
            waiting.insert(image.pixel(560 + x, top));
            transfer.insert(image.pixel(860 + x, top));
        }
        QCOMPARE(waiting.size(), 2);
        QCOMPARE(transfer, QSet<QRgb> { ui::lightTheme().role(core::Role::Communication).rgb() });
    }

    /// A line alone was hardly seen among the slices of a dark window.
    void whatIsNotOnTheCriticalPathIsDimmed()
    {
        tests::FakeSource source;
        const auto track = source.addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("stream"),
                                           core::TrackKind::Stream);
        const auto other = source.addTrack(QStringLiteral("rank 1"), {}, QStringLiteral("stream"),
                                           core::TrackKind::Stream);
        source.add(track, 0, 500);
        source.add(track, 500, 1000);
        source.add(other, 0, 1000);
        const std::vector<ui::CriticalStep> path { { 0, track, 0, 0, 500 } };
        const ui::TimelineLayout layout = ui::layOut(source.tracks(), {});
        for (const double ratio : { 1.0, 2.0 }) {
            ui::TimelineFrame frame = frameOf(source, layout, { 0, 1000 });
            frame.pixelRatio = ratio;
            ui::TimelinePainter painter;
            const QImage plain = painter.paint(frame).copy();
            frame.criticalPath = &path;
            const QImage shown = painter.paint(frame).copy();
            const auto isSame = [&](std::size_t row, int x) {
                const int y = ui::barSpan(layout, ui::rowOfTrack(layout, row), 0).first + 1;
                const QPoint at = (QPointF(x, y) * ratio).toPoint();
                return plain.pixel(at) == shown.pixel(at);
            };
            QVERIFY(isSame(track, 450));
            QVERIFY(!isSame(track, 950));
            QVERIFY(!isSame(other, 450));
        }
    }

    /// The utilisation of a folded rank drew the eye from the path.
    void aFoldedRowIsDimmedWhereThePathIsElsewhere()
    {
        const auto source = tests::twoRanks();
        ui::FoldState folds;
        folds.foldedGroups = { 0, 3 };
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), folds);
        ui::TimelineFrame frame = frameOf(*source, layout, { 0, 1'000'000 });
        ui::TimelinePainter painter;
        const QImage plain = painter.paint(frame).copy();
        const std::vector<ui::CriticalStep> path { { 0, 0, 0, 0, 300'000 } };
        frame.criticalPath = &path;
        const QImage shown = painter.paint(frame).copy();
        const auto changed = [&](const ui::TimelineRow &row, int from, int to) {
            int pixels = 0;
            for (int x = from; x < to; ++x) {
                pixels += plain.pixel(x, row.y + row.height - 5)
                    != shown.pixel(x, row.y + row.height - 5);
            }
            return pixels;
        };
        QCOMPARE(layout.rows.size(), std::size_t { 2 });
        QCOMPARE(changed(layout.rows[0], 20, 280), 0);
        QVERIFY(changed(layout.rows[0], 320, 780) > 100);
        QVERIFY(changed(layout.rows[1], 20, 780) > 100);
        // A step that is shorter than a pixel has one.
        const std::vector<ui::CriticalStep> brief { { 0, 0, 0, 400'000, 400'010 } };
        frame.criticalPath = &brief;
        const int y = layout.rows[0].y + layout.rows[0].height - 5;
        QCOMPARE(painter.paint(frame).pixel(400, y), plain.pixel(400, y));
    }

    /// Of slices as long some had no label: those that had waited longer than they transferred.
    void aTransferWithTheRoomHasItsLabelHoweverLongItWaited()
    {
        for (const int waitNs : { 0, 45, 60 }) {
            tests::FakeSource source;
            const auto track = source.addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("gloo"),
                                               core::TrackKind::Communication);
            source.add(track, 100, 210, core::Role::Communication, 0, waitNs);
            const ui::TimelineLayout layout = ui::layOut(source.tracks(), {});
            ui::TimelinePainter painter;
            painter.paint(frameOf(source, layout, { 0, 1000 }));
            QCOMPARE(painter.statistics().labels, 1);
        }
    }

    void aFlatRowShowsTheDeepestSlices()
    {
        tests::FakeSource source;
        const auto track = source.addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("main"),
                                           core::TrackKind::HostThread, 3);
        source.add(track, 0, 1000, core::Role::Backward);
        source.add(track, 200, 400, core::Role::Forward, 1);
        ui::RowMetrics metrics;
        metrics.foldedHostDepths = 1;
        const ui::TimelineLayout layout = ui::layOut(source.tracks(), {}, metrics);
        ui::TimelinePainter painter;
        const QImage image = painter.paint(frameOf(source, layout, { 0, 1000 }));
        const int y = ui::barSpan(layout, ui::rowOfTrack(layout, 0), 1).first + 1;
        const ui::Theme theme = ui::lightTheme();
        QCOMPARE(image.pixelColor(100, y), theme.role(core::Role::Backward));
        QCOMPARE(image.pixelColor(390, y), theme.role(core::Role::Forward));
        QCOMPARE(image.pixelColor(800, y), theme.role(core::Role::Backward));
        QCOMPARE(painter.statistics().labels, 2); // the lower one's in the wider part that is seen
        source.add(track, 300, 301, core::Role::Forward, 2);
        painter.paint(frameOf(source, layout, { 0, 1000 }));
        QCOMPARE(painter.statistics().labels, 2); // a tiny one takes no name away
    }

    void extremeZoomsDoNotCrash_data()
    {
        QTest::addColumn<qint64>("start");
        QTest::addColumn<qint64>("duration");
        QTest::newRow("100 ns") << qint64 { 500'000 } << qint64 { 100 };
        QTest::newRow("everything in a pixel")
            << qint64 { -4'000'000'000'000'000'000 } << qint64 { 8'000'000'000'000'000'000 };
        QTest::newRow("before the first slice") << qint64 { -1'000'000'000 } << qint64 { 1000 };
        QTest::newRow("an hour") << qint64 { 0 } << qint64 { 3'600'000'000'000 };
    }
    void extremeZoomsDoNotCrash()
    {
        QFETCH(qint64, start);
        QFETCH(qint64, duration);
        const auto source = tests::twoRanks();
        ui::FoldState folds;
        for (int pass = 0; pass < 2; ++pass) {
            const ui::TimelineLayout layout = ui::layOut(source->tracks(), folds);
            const std::vector<ui::CriticalStep> path = ui::criticalSteps(*source);
            ui::TimelineFrame frame = frameOf(*source, layout, { start, start + duration });
            frame.criticalPath = &path;
            frame.scrollY = 30;
            frame.pixelRatio = pass == 0 ? 1 : 1.5;
            ui::TimelinePainter painter;
            QVERIFY(!painter.paint(frame).isNull());
            folds.foldedGroups = { 0, 3 };
        }
    }

    void aSmallWidgetIsPainted()
    {
        const auto source = tests::twoRanks();
        const ui::TimelineLayout layout = ui::layOut(source->tracks(), {});
        ui::TimelineFrame frame = frameOf(*source, layout, { 0, 1'000'000 });
        frame.size = QSize(0, 0);
        ui::TimelinePainter painter;
        QCOMPARE(painter.paint(frame).size(), QSize(1, 1));
    }

    void narrowSlicesAreMergedAColumn()
    {
        tests::FakeSource source;
        const auto track = source.addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("stream"),
                                           core::TrackKind::Stream);
        for (int i = 0; i < 100'000; ++i) {
            source.add(track, i * 100, i * 100 + 50);
        }
        const ui::TimelineLayout layout = ui::layOut(source.tracks(), {});
        ui::TimelinePainter painter;
        painter.paint(frameOf(source, layout, { 0, 10'000'000 }));
        QVERIFY2(painter.statistics().boxes <= 1000, "one rectangle a pixel column");
    }

    void theCriticalLineIsContinuousAndBounded()
    {
        tests::FakeSource source;
        std::vector<std::uint64_t> path;
        for (int track = 0; track < 2; ++track) {
            source.addTrack(QStringLiteral("rank %1").arg(track), {}, QStringLiteral("stream"),
                            core::TrackKind::Stream);
        }
        for (int i = 0; i < 50'000; ++i) {
            path.push_back(source.add(static_cast<std::size_t>(i % 2), i * 100, i * 100 + 100));
        }
        std::vector<ui::CriticalStep> steps;
        for (const std::uint64_t id : path) {
            const auto start = static_cast<std::int64_t>(id) * 100;
            steps.push_back({ id, static_cast<std::size_t>(id % 2), 0, start, start + 100 });
        }
        const ui::TimelineLayout layout = ui::layOut(source.tracks(), {});
        const auto line = ui::criticalLine(steps, layout, ui::axisFor({ 0, 5'000'000 }, 1000), 0);
        QVERIFY(line.size() <= 5 * 1001);
        QVERIFY(line.size() >= 2000);
        for (std::size_t i = 1; i < line.size(); ++i) {
            QVERIFY(line[i].x() >= line[i - 1].x() - 1);
        }
        QVERIFY(ui::criticalLine({}, layout, ui::axisFor({ 0, 1 }, 10), 0).empty());
    }

    /// Between a thread and the stream that it launches on, the line was a block that hid both.
    void aCriticalPathToAndFroHidesNoSlices()
    {
        std::vector<QPointF> line;
        for (int x = 0; x < 1000; ++x) {
            line.emplace_back(x, 10);
            line.emplace_back(x, 50);
        }
        int ways = 0;
        double upper = 0, lower = 0;
        for (const std::vector<QPointF> &piece : ui::criticalPieces(line)) {
            QVERIFY(piece.size() >= 2);
            for (std::size_t i = 1; i < piece.size(); ++i) {
                ways += piece[i].y() == piece[i - 1].y() ? 0 : 1;
                if (piece[i].y() == piece[i - 1].y())
                    (piece[i].y() < 30 ? upper : lower) += piece[i].x() - piece[i - 1].x();
            }
        }
        QVERIFY2(ways > 50 && ways < 100, qPrintable(QString::number(ways)));
        QVERIFY(upper > 900 && lower > 900); // but where it is on the path is seen in both
        const std::vector<QPointF> seldom { { 0, 10 },   { 100, 10 }, { 100, 50 },
                                            { 103, 50 }, { 103, 10 }, { 300, 10 } };
        const auto whole = ui::criticalPieces(seldom);
        QCOMPARE(whole.size(), std::size_t { 1 });
        QCOMPARE(whole.front(), seldom);
        QVERIFY(ui::criticalPieces({}).empty());
    }

    /// "PUS...ght" told nothing of "PUSH classifier.0.weight".
    void narrowBoxesShowTheBeginningOfTheOwnName()
    {
        const auto inBox = [](const char *name, double widthPx) {
            return ui::nameInBox(QString::fromLatin1(name), widthPx, [](QChar) { return 10.0; });
        };
        QCOMPARE(inBox("PUSH fc.weight", 140), QStringLiteral("PUSH fc.weight"));
        QCOMPARE(inBox("PUSH fc.weight", 90), QStringLiteral("PUSH fc.\u2026"));
        QCOMPARE(inBox("PUSH fc.weight", 40), QString());
        QCOMPARE(inBox("aten::conv2d", 60), QStringLiteral("conv2d"));
        QCOMPARE(inBox("engine::evaluate: MulBackward0", 120), QStringLiteral("MulBackward0"));
        QCOMPARE(inBox("engine::evaluate: MulBackward0", 60), QStringLiteral("MulBa\u2026"));
        QCOMPARE(inBox("ends::", 50), QStringLiteral("ends\u2026"));
    }

    /// Collapsed rows of annotations were empty.
    void whatIsOnlyAnnotatedIsShownAsThat()
    {
        tests::FakeSource source;
        const auto annotated
            = source.addTrack(QStringLiteral("rank 0"), QStringLiteral("annotations"),
                              QStringLiteral("a"), core::TrackKind::Annotation);
        const auto thread = source.addTrack(QStringLiteral("rank 0"), QStringLiteral("host"),
                                            QStringLiteral("t"), core::TrackKind::HostThread);
        source.add(annotated, 0, 50, core::Role::Annotation);
        source.add(thread, 80, 90, core::Role::Forward);
        const ui::TimeAxis axis { 0, 1, 100 };
        constexpr auto Annotation = static_cast<std::size_t>(core::Role::Annotation);
        const ui::RoleUse alone = ui::utilisation(source, annotated, annotated + 1, axis);
        QCOMPARE(alone[20][Annotation], 1.0F);
        QCOMPARE(alone[60][Annotation], 0.0F);
        const ui::RoleUse beside = ui::utilisation(source, annotated, thread + 1, axis);
        QCOMPARE(beside[20][Annotation], 0.0F); // they also cover waiting
        QVERIFY(ui::hasOtherThanCommunication(beside));
    }

    void theDensityImageShowsWorkAboveCommunication()
    {
        const auto source = tests::twoRanks();
        const ui::Theme theme = ui::darkTheme();
        const QImage image = ui::densityImage(*source, ui::axisFor({ 0, 1'000'000 }, 100), 40,
                                              theme, theme.background.rgb());
        QCOMPARE(image.pixelColor(10, 20), theme.role(core::Role::Forward));
        QCOMPARE(image.pixelColor(50, 34), theme.role(core::Role::Communication));
        QCOMPARE(image.pixelColor(10, 34), theme.background);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelinePainter)
#include "tst_timeline_painter.moc"
