#include "fake_source.h"
#include "ui/timeline/drawing/counter_curve.h"
#include "ui/timeline/timeline_body.h"
#include "ui/timeline/timeline_layout.h"
#include "ui/timeline/timeline_painter.h"
#include "ui/timeline/timeline_state.h"

#include <QPainter>
#include <QTest>

#include <memory>

namespace {

/// Two ranks and a link: 10 until 500 us, then 5 in the last tenth, of at most 20.
class WithLink : public tests::FakeSource
{
public:
    WithLink()
    {
        const auto rank = addTrack(QStringLiteral("rank 0"), {}, QStringLiteral("stream 7"),
                                   core::TrackKind::Stream);
        add(rank, 0, 1'000'000);
        const auto link = addTrack(QStringLiteral("links"), {}, QStringLiteral("network"),
                                   core::TrackKind::Other);
        m_tracks = FakeSource::tracks();
        m_tracks[link].counter = ui::TimelineCounter { ui::CounterUnit::BytesPerSec, 10, 20, 20,
                                                       QStringLiteral("stated rate") };
    }
    const std::vector<ui::TimelineTrack> &tracks() const override { return m_tracks; }
    std::vector<ui::CounterPoint> counterPoints(std::size_t track, core::TimeRange range,
                                                std::int64_t) const override
    {
        std::vector<ui::CounterPoint> found;
        for (const ui::CounterPoint &point : { ui::CounterPoint { 0, 500'000, 10, 10 },
                                               ui::CounterPoint { 900'000, 1'000'000, 5, 5 } }) {
            if (track == 1 && point.startNs < range.endNs && point.endNs > range.startNs)
                found.push_back(point);
        }
        return found;
    }

private:
    std::vector<ui::TimelineTrack> m_tracks;
};

} // namespace

class TestCounterCurve : public QObject
{
    Q_OBJECT

private slots:
    void aColumnHasItsShareOfTheScale()
    {
        const WithLink source;
        const auto columns = ui::counterColumns(source, 1, 2, ui::axisFor({ 0, 1'000'000 }, 100));
        QCOMPARE(columns.size(), std::size_t { 100 });
        QVERIFY(qFuzzyCompare(columns[10].mean, 0.5F));
        QCOMPARE(columns[60].mean, 0.0F);
        QVERIFY(qFuzzyCompare(columns[95].maximum, 0.25F));
    }

    void countersStandAboveTheRanks()
    {
        const WithLink source;
        const ui::TimelineLayout layout = ui::layOut(source.tracks(), {});
        QCOMPARE(layout.rows.at(0).label, QStringLiteral("links"));
        QVERIFY(layout.rows.at(1).isCounter);
        QCOMPARE(layout.rows.at(2).label, QStringLiteral("rank 0"));
        QVERIFY(!ui::depthAt(layout, layout.rows[1], layout.rows[1].y + 10));
    }

    void manyCountersAreFolded()
    {
        std::vector<ui::TimelineTrack> tracks(5, WithLink().tracks().at(1));
        QVERIFY(ui::initialFolds(tracks).foldedGroups.contains(0));
        tracks.resize(4);
        QVERIFY(ui::initialFolds(tracks).foldedGroups.empty());
    }

    /// The curve fills half of the row where it is half of the scale, folded or not.
    void theCurveIsDrawnFromTheLineOfZero()
    {
        const WithLink source;
        for (const bool isFolded : { false, true }) {
            ui::FoldState folds;
            if (isFolded)
                folds.foldedGroups.insert(1);
            const ui::TimelineLayout layout = ui::layOut(source.tracks(), folds);
            ui::TimelineFrame frame;
            frame.source = &source;
            frame.layout = &layout;
            frame.axis = ui::axisFor({ 0, 1'000'000 }, 1000);
            frame.size = QSize(1000, 200);
            frame.theme = ui::darkTheme();
            frame.font = ui::uiFont(ui::TextSize::Small);
            ui::TimelinePainter painter;
            const QImage image = painter.paint(frame);
            const auto [top, height] = ui::barSpan(layout, ui::rowOfTrack(layout, 1), 0);
            const QRgb filled = ui::curveColours(frame.theme, frame.theme.background.rgb(),
                                                 *source.tracks()[1].counter)
                                    .filled;
            QCOMPARE(image.pixel(200, top + height - 3), filled);
            QVERIFY(image.pixel(200, top + height / 4) != filled);
            QVERIFY(image.pixel(700, top + height - 3) != filled);
        }
    }

    /// Dark above the curve, where the peak is; nothing without one.
    void thePeakIsMarked()
    {
        const ui::Theme theme = ui::lightTheme();
        ui::TimelineCounter counter = *WithLink().tracks()[1].counter;
        const ui::TimeAxis axis = ui::axisFor({ 0, 1000 }, 100);
        for (const bool isMarked : { true, false }) {
            QImage image(100, 40, QImage::Format_RGB32);
            image.fill(theme.background);
            counter.peakNs = isMarked ? std::optional<std::int64_t>(500) : std::nullopt;
            QPainter painter(&image);
            ui::paintPeak(painter, counter, theme, axis, { 0, 40 });
            painter.end();
            QCOMPARE(image.pixelColor(50, 15) == theme.text, isMarked);
            QCOMPARE(image.pixelColor(20, 30), theme.background);
        }
    }

    void aValueIsThatOfItsTime()
    {
        const WithLink source;
        QCOMPARE(ui::counterValue(source, 1, 100, 1), 10.0);
        QCOMPARE(ui::counterValue(source, 1, 600'000, 1), 0.0);
        QCOMPARE(ui::counterValue(source, 1, 450'000, 100'000), 5.0);
    }

    void valuesAreWrittenWithTheirUnit()
    {
        const QChar thin(0x2009);
        QCOMPARE(ui::counterText(ui::CounterUnit::BytesPerSec, 12.5e9),
                 QStringLiteral("12.5") + thin + QStringLiteral("GB/s"));
        QCOMPARE(ui::counterText(ui::CounterUnit::BytesPerSec, 0),
                 QStringLiteral("0") + thin + QStringLiteral("B/s"));
        QVERIFY(
            ui::counterScaleText(*WithLink().tracks()[1].counter).contains(QStringLiteral("20.0")));
    }

    /// Rows that come later leave what is folded and in sight alone.
    void countersThatComeLaterKeepTheFolds()
    {
        class Growing : public WithLink
        {
        public:
            const std::vector<ui::TimelineTrack> &tracks() const override
            {
                return isGrown ? WithLink::tracks() : m_first;
            }
            bool isGrown = false;

        private:
            std::vector<ui::TimelineTrack> m_first { WithLink::tracks().at(0) };
        };
        const auto source = std::make_shared<Growing>();
        ui::TimelineState state;
        state.setSource(source);
        state.setFolds({ { 0 }, {}, {} });
        source->isGrown = true;
        state.reloadSource();
        QCOMPARE(state.layout().rows.size(), std::size_t { 3 });
        QVERIFY(state.folds().foldedGroups.contains(0));
    }

    void draggingOverCountersChoosesTheTimeOfAllTracks()
    {
        ui::TimelineState state;
        state.setSource(std::make_shared<WithLink>());
        ui::TimelineBody body(state, nullptr);
        body.resize(1000, 200);
        body.show();
        const int y = state.layout().rows.at(1).y + 10;
        QTest::mousePress(&body, Qt::LeftButton, {}, QPoint(100, y));
        QTest::mouseMove(&body, QPoint(300, y + 1));
        QTest::mouseRelease(&body, Qt::LeftButton, {}, QPoint(300, y + 1));
        QVERIFY(state.area().has_value());
        QCOMPARE(state.area()->firstTrack, std::size_t { 0 });
        QCOMPARE(state.area()->endTrack, std::size_t { 2 });
        QVERIFY(!body.grab().isNull());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestCounterCurve)
#include "tst_counter_curve.moc"
