#include "ui/timeline/time_format.h"
#include "ui/timeline/timeline_coordinates.h"

#include <QTest>

#include <cmath>
#include <limits>

using core::TimeRange;

class TestTimelineCoordinates : public QObject
{
    Q_OBJECT

private slots:
    void timeAndPixelAreInverse()
    {
        const ui::TimeAxis axis = ui::axisFor({ 1'000'000, 3'000'000 }, 1000);
        QCOMPARE(axis.nsPerPixel, 2000.0);
        QCOMPARE(axis.xOf(1'000'000), 0.0);
        QCOMPARE(axis.xOf(3'000'000), 1000.0);
        QCOMPARE(axis.nsAt(250), std::int64_t { 1'500'000 });
        QCOMPARE(axis.visible(), (TimeRange { 1'000'000, 3'000'000 }));
    }

    void epochTimesKeepTheirNanoseconds()
    {
        constexpr std::int64_t Epoch = 1'700'000'000'000'000'000;
        const ui::TimeAxis axis = ui::axisFor({ Epoch, Epoch + 1000 }, 1000);
        QCOMPARE(axis.nsAt(1), Epoch + 1);
        QCOMPARE(axis.xOf(Epoch + 999), 999.0);
    }

    void anEmptyRangeIsWidened()
    {
        const ui::TimeAxis axis = ui::axisFor({ 5, 5 }, 0);
        QCOMPARE(axis.widthPx, 1);
        QCOMPARE(axis.visible().durationNs(), ui::MinimumVisibleNs);
    }

    void zoomKeepsTheTimeUnderThePointer()
    {
        const TimeRange limits { 0, 1'000'000'000 };
        const ui::TimeAxis axis = ui::axisFor({ 200'000'000, 800'000'000 }, 1200);
        for (const double x : { 0.0, 333.0, 1199.0 }) {
            const ui::TimeAxis closer = ui::zoomed(axis, 3, x, limits);
            QVERIFY(std::abs(closer.nsAt(x) - axis.nsAt(x)) <= 1);
            QVERIFY(std::abs(closer.nsPerPixel * 3 / axis.nsPerPixel - 1) < 1e-6);
        }
    }

    void zoomStopsAtTheLimits()
    {
        const TimeRange limits { 0, 1'000'000 };
        ui::TimeAxis axis = ui::axisFor(limits, 500);
        for (int i = 0; i < 100; ++i) {
            axis = ui::zoomed(axis, 0.5, 250, limits);
        }
        QCOMPARE(axis.visible(), limits);
        for (int i = 0; i < 100; ++i) {
            axis = ui::zoomed(axis, 2, 250, limits);
        }
        QCOMPARE(axis.visible().durationNs(), ui::MinimumVisibleNs);
    }

    void panningStopsAtTheLimits()
    {
        const TimeRange limits { 0, 1'000'000 };
        const ui::TimeAxis axis = ui::axisFor({ 400'000, 600'000 }, 200);
        QCOMPARE(ui::panned(axis, 100, limits).startNs, std::int64_t { 500'000 });
        QCOMPARE(ui::panned(axis, 1e9, limits).startNs, std::int64_t { 800'000 });
        QCOMPARE(ui::panned(axis, -1e9, limits).startNs, std::int64_t { 0 });
    }

    /// A third of the width lay behind the end of the recording: 2 % of all of it.
    void aCloseLookAtTheEndHasLittleRoomBehindIt()
    {
        const TimeRange recorded { 0, 1'000'000'000 };
        QCOMPARE(ui::movedInto({ 950'000'000, 1'050'000'000 }, recorded),
                 (TimeRange { 902'000'000, 1'002'000'000 }));
        QCOMPARE(ui::movedInto({ -50'000'000, 50'000'000 }, recorded),
                 (TimeRange { -2'000'000, 98'000'000 }));
        QCOMPARE(ui::movedInto({ 400'000'000, 500'000'000 }, recorded),
                 (TimeRange { 400'000'000, 500'000'000 }));
    }

    void hugePixelsDoNotOverflow()
    {
        const ui::TimeAxis axis = ui::axisFor({ 0, 1'000'000'000'000'000'000 }, 10);
        QVERIFY(axis.nsAt(1e30) > 0);
        QVERIFY(axis.nsAt(-1e30) < 0);
    }

    void majorStepsAreOneTwoFive_data()
    {
        QTest::addColumn<double>("nsPerPixel");
        QTest::addColumn<qint64>("step");
        QTest::newRow("sub-nanosecond") << 0.01 << qint64 { 1 };
        QTest::newRow("ns") << 1.0 << qint64 { 100 };
        QTest::newRow("us") << 150.0 << qint64 { 20'000 };
        QTest::newRow("ms") << 40'000.0 << qint64 { 5'000'000 };
        QTest::newRow("s") << 1e7 << qint64 { 1'000'000'000 };
    }
    void majorStepsAreOneTwoFive()
    {
        QFETCH(double, nsPerPixel);
        QFETCH(qint64, step);
        QCOMPARE(qint64 { ui::majorStepNs(nsPerPixel, 100) }, step);
    }

    void ticksCountFromTheOrigin()
    {
        const ui::TimeAxis axis = ui::axisFor({ 1'000'000'000, 1'010'000'000 }, 1000);
        const auto ticks = ui::rulerTicks(axis, 1'002'000'000, 100);
        QStringList labels;
        for (const ui::RulerTick &tick : ticks) {
            if (tick.isMajor) {
                labels << tick.label;
            }
        }
        QCOMPARE(labels.first(), QStringLiteral("-2\u2009ms"));
        QVERIFY(labels.contains(QStringLiteral("0\u2009ns"))
                || labels.contains(QStringLiteral("0\u2009ms")));
        QCOMPARE(labels.last(), QStringLiteral("8\u2009ms"));
        QVERIFY(ticks.size() < 200);
    }

    void instantsShowTheDigitsOfTheStep()
    {
        QCOMPARE(ui::formatInstant(1'204'000'000, 1'000'000), QStringLiteral("1.204\u2009s"));
        QCOMPARE(ui::formatInstant(250'000, 50'000), QStringLiteral("250\u2009\u00b5s"));
        QCOMPARE(ui::formatInstant(0, 1'000'000), QStringLiteral("0\u2009ms"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestTimelineCoordinates)
#include "tst_timeline_coordinates.moc"
