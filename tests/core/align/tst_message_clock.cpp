#include "core/align/message_clock.h"

#include <QtTest>

using namespace core;

class MessageClockTest : public QObject
{
    Q_OBJECT

private slots:
    void halfWayBetweenTheBounds();
    void oneDirectionTellsNothing();
    void aDriftResolvesWhatNoOffsetDoes();
    void aContradictionIsNoDrift();
};

void MessageClockTest::halfWayBetweenTheBounds()
{
    const auto clock = fitMessageClock(
        { { 0, 500, true }, { 1e9, 300, true }, { 0, -100, false }, { 1e9, 100, false } });
    QVERIFY(clock);
    QCOMPARE(clock->offsetNs, 200.0);
    QCOMPARE(clock->reachNs, 100.0);
    QCOMPARE(clock->drift, 0.0);
}

void MessageClockTest::oneDirectionTellsNothing()
{
    QVERIFY(!fitMessageClock({ { 0, 500, true }, { 1e9, 300, true } }));
    QVERIFY(!fitMessageClock({}));
}

void MessageClockTest::aDriftResolvesWhatNoOffsetDoes()
{
    // Between -1 and 1 us at first, between 99 and 101 us a second later: 100 ppm.
    const auto clock = fitMessageClock(
        { { 0, 1e3, true }, { 0, -1e3, false }, { 1e9, 101e3, true }, { 1e9, 99e3, false } });
    QVERIFY(clock);
    QVERIFY(std::abs(clock->drift - 1e-4) < 1e-6);
    QVERIFY(std::abs(clock->offsetNs) < 1e3);
    QVERIFY(clock->reachNs > 900);
}

void MessageClockTest::aContradictionIsNoDrift()
{
    // At one time: no drift helps.
    const auto clock = fitMessageClock({ { 0, -10, true }, { 0, 0, false } });
    QVERIFY(clock);
    QCOMPARE(clock->drift, 0.0);
    QCOMPARE(clock->reachNs, -5.0);
}

QTEST_APPLESS_MAIN(MessageClockTest)
#include "tst_message_clock.moc"
