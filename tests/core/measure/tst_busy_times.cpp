#include "core/measure/busy_times.h"

#include <QTest>

#include <algorithm>

using namespace core;

class TestBusyTimes : public QObject
{
    Q_OBJECT

private slots:
    void tellsHowMuchOfARangeIsBusy_data()
    {
        QTest::addColumn<qint64>("startNs");
        QTest::addColumn<qint64>("endNs");
        QTest::addColumn<qint64>("busyNs");
        QTest::newRow("before all") << qint64(-20) << qint64(0) << qint64(0);
        QTest::newRow("within one") << qint64(12) << qint64(15) << qint64(3);
        QTest::newRow("from one to another") << qint64(15) << qint64(45) << qint64(20);
        QTest::newRow("between two") << qint64(31) << qint64(39) << qint64(0);
        QTest::newRow("around all") << qint64(-20) << qint64(200) << qint64(30);
        QTest::newRow("behind all") << qint64(50) << qint64(200) << qint64(0);
        QTest::newRow("no time") << qint64(15) << qint64(15) << qint64(0);
    }
    void tellsHowMuchOfARangeIsBusy()
    {
        QFETCH(const qint64, startNs);
        QFETCH(const qint64, endNs);
        QFETCH(const qint64, busyNs);
        const BusyTimes times({ { 40, 50 }, { 10, 20 }, { 15, 30 } });
        const TimeRange range { startNs, endNs };
        // Wherever the last look-up was, and beyond the intervals.
        for (BusyTimes::Place place : { 0, 1, 2, 3 }) {
            QCOMPARE(qint64(times.lengthIn(range, place)), busyNs);
            const double lengthNs = static_cast<double>(std::max<qint64>(1, endNs - startNs));
            QCOMPARE(times.shareOf(range, place), static_cast<double>(busyNs) / lengthNs);
        }
        BusyTimes::Place place = 0;
        QCOMPARE(qint64(BusyTimes().lengthIn(range, place)), qint64(0));
    }

    void aLookUpBeginsWhereTheLastOneWas()
    {
        std::vector<TimeRange> intervals;
        for (std::int64_t i = 0; i < 1000; ++i)
            intervals.push_back({ i * 10, i * 10 + 5 });
        const BusyTimes times(std::move(intervals));
        BusyTimes::Place place = 0;
        for (const std::int64_t i : { 0, 1, 2, 700, 3, 999, 998, 500, 501, 0 }) {
            QCOMPARE(times.lengthIn({ i * 10 + 1, i * 10 + 12 }, place), i == 999 ? 4 : 6);
            QCOMPARE(place, static_cast<BusyTimes::Place>(std::min<std::int64_t>(i + 2, 1000)));
        }
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBusyTimes)
#include "tst_busy_times.moc"
