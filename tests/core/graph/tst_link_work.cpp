#include "core/graph/link_work.h"

#include <QTest>

using namespace core;

class LinkWorkTest : public QObject
{
    Q_OBJECT

private slots:
    void whatShareTheLinkHaveHalfOfTheirTimeAsWork();
    void busyTimeIsDividedByBytes();
    void aReadyTransferIsHandedOverWhileTheLinkIsFree();
    void theNumberServedAtOnceIsFoundFromTheEnds_data();
    void theNumberServedAtOnceIsFoundFromTheEnds();
    void withoutTransfersNothingIsServed();
};

void LinkWorkTest::whatShareTheLinkHaveHalfOfTheirTimeAsWork()
{
    QCOMPARE(unsharedWork({ { 0, 30 }, { 10, 30 } }), (std::vector<std::int64_t> { 20, 10 }));
    // One without duration shares nothing, and leaves nothing behind.
    QCOMPARE(unsharedWork({ { 0, 0 }, { 10, 20 }, { 30, 40 } }),
             (std::vector<std::int64_t> { 0, 10, 10 }));
    QCOMPARE(unsharedWork({ { 0, 30 }, { 0, 30 }, { 0, 30 } }),
             (std::vector<std::int64_t> { 10, 10, 10 }));
}

void LinkWorkTest::busyTimeIsDividedByBytes()
{
    // The first two keep the link busy from 0 to 40, the third by itself from 100 to 110.
    QCOMPARE(workByBytes({ { 0, 30 }, { 20, 40 }, { 100, 110 } }, { 300, 100, 5 }),
             (std::vector<std::int64_t> { 30, 10, 10 }));
    QCOMPARE(workByBytes({ { 0, 30 } }, { 0 }), (std::vector<std::int64_t> { 0 }));
}

/// What a program took to hand the next slice over was not replayed: of slices of 64 KiB 5 % of the
/// time.
void LinkWorkTest::aReadyTransferIsHandedOverWhileTheLinkIsFree()
{
    // The first one may have waited for transfers that are not recorded. The third was ready before
    // the link was free, the fourth after that, the last as it began.
    const std::vector<TimeRange> wanted
        = { { 10, 30 }, { 25, 40 }, { 40, 60 }, { 70, 90 }, { 95, 99 } };
    const auto extended = withHandOver(
        { { 10, 30 }, { 25, 40 }, { 50, 60 }, { 80, 90 }, { 95, 99 } }, { 5, 6, 35, 70, 95 });
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        QCOMPARE(extended[i].startNs, wanted[i].startNs);
        QCOMPARE(extended[i].endNs, wanted[i].endNs);
    }
}

void LinkWorkTest::theNumberServedAtOnceIsFoundFromTheEnds_data()
{
    QTest::addColumn<int>("served");
    QTest::addColumn<QList<int>>("ends");
    // Three transfers of 10 handed over at 0: one by one, two at a time, all together.
    QTest::newRow("1") << 1 << QList<int> { 10, 20, 30 };
    QTest::newRow("2") << 2 << QList<int> { 20, 20, 30 };
    QTest::newRow("3") << 3 << QList<int> { 30, 30, 30 };
}

void LinkWorkTest::theNumberServedAtOnceIsFoundFromTheEnds()
{
    QFETCH(const int, served);
    QFETCH(const QList<int>, ends);
    std::vector<TimeRange> intervals;
    for (const int end : ends)
        intervals.push_back({ 1'000'000, 1'000'000 + end });
    QCOMPARE(servedAtOnce(intervals, { 10, 10, 10 }, 4), static_cast<std::uint32_t>(served));
}

void LinkWorkTest::withoutTransfersNothingIsServed()
{
    QVERIFY(withHandOver({}, {}).empty());
    QVERIFY(unsharedWork({}).empty());
    QVERIFY(workByBytes({}, {}).empty());
    QCOMPARE(servedAtOnce({}, {}, 3), 1U);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(LinkWorkTest)
#include "tst_link_work.moc"
