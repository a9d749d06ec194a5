#include "core/align/message_clock.h"

#include <QtTest>

#include <random>

using namespace core;

class MessageClockTest : public QObject
{
    Q_OBJECT

private slots:
    void halfWayBetweenTheBounds();
    void oneDirectionTellsNothing();
    void aDriftResolvesWhatNoOffsetDoes();
    void aDriftThatAnOffsetHidesIsBounded();
    void whatIsPreferredIsTakenWhereItSatisfiesAll();
    void aClockThatDoesNotDriftHasNoRange();
    void aContradictionIsNoDrift();
    void theTruthIsWithinWhatIsStated_data();
    void theTruthIsWithinWhatIsStated();
};

namespace {

constexpr double LargestDrift = 6e-4;

MessageFit during(double firstNs, double lastNs)
{
    return { firstNs, lastNs, LargestDrift };
}

/// Messages in both directions at random times, each late by a random time.
std::vector<MessageBound> messagesOf(const ClockLine &truth, int count, std::mt19937 &random)
{
    std::uniform_real_distribution<double> time(0, 20e9);
    std::exponential_distribution<double> late(1 / 200e3);
    std::vector<MessageBound> bounds;
    for (int i = 0; i < count; ++i) {
        const double at = time(random);
        const bool isUpper = i % 2 == 0;
        bounds.push_back({ at, truth.at(at) + (isUpper ? late(random) : -late(random)), isUpper });
    }
    return bounds;
}

} // namespace

void MessageClockTest::halfWayBetweenTheBounds()
{
    const std::vector<MessageBound> bounds
        = { { 0, 500, true }, { 1e9, 500, true }, { 0, 100, false }, { 1e9, 100, false } };
    const auto clock = fitMessageClock(bounds, during(0, 1e9));
    QVERIFY(clock);
    QCOMPARE(clock->line.at(0), 300.0);
    QCOMPARE(clock->line.at(1e9), 300.0);
    QCOMPARE(clock->reachNs, 200.0);
    // From one corner to the other: 400 ns up or down in a second.
    QVERIFY(std::abs(clock->drift.first + 4e-7) < 1e-12);
    QVERIFY(std::abs(clock->drift.second - 4e-7) < 1e-12);
    // The lines that cross within the messages' time are farther apart later.
    QVERIFY(std::abs(fitMessageClock(bounds, during(0, 2e9))->reachNs - 600) < 1e-3);
}

void MessageClockTest::oneDirectionTellsNothing()
{
    QVERIFY(!fitMessageClock({ { 0, 500, true }, { 1e9, 300, true } }, during(0, 1e9)));
    QVERIFY(!fitMessageClock({}, during(0, 1e9)));
}

void MessageClockTest::aDriftResolvesWhatNoOffsetDoes()
{
    // Between -1 and 1 us at first, between 99 and 101 us a second later: 100 ppm, give or take 2.
    const auto clock = fitMessageClock(
        { { 0, 1e3, true }, { 0, -1e3, false }, { 1e9, 101e3, true }, { 1e9, 99e3, false } },
        during(0, 1e9));
    QVERIFY(clock);
    QVERIFY(std::abs(clock->line.drift - 1e-4) < 1e-9);
    QVERIFY(std::abs(clock->line.offsetNs) < 1);
    QVERIFY(std::abs(clock->reachNs - 1e3) < 1e-3);
    QVERIFY(std::abs(clock->drift.first - 98e-6) < 1e-12);
    QVERIFY(std::abs(clock->drift.second - 102e-6) < 1e-12);
}

void MessageClockTest::aDriftThatAnOffsetHidesIsBounded()
{
    // Only 0 would do as an offset, but so do lines from -99 us to 99 us, and back. A constant
    // offset's own room is nothing, which is no bound of the drift.
    const auto clock = fitMessageClock(
        { { 0, 0, true }, { 0, -99e3, false }, { 1e9, 99e3, true }, { 1e9, 0, false } },
        during(0, 1e9));
    QVERIFY(clock);
    QVERIFY(std::abs(clock->drift.first) < 1e-12);
    QVERIFY(std::abs(clock->drift.second - 198e-6) < 1e-12);
    QVERIFY(std::abs(clock->line.drift - 99e-6) < 1e-12);
    QVERIFY(std::abs(clock->reachNs - 49.5e3) < 1e-3);
}

void MessageClockTest::whatIsPreferredIsTakenWhereItSatisfiesAll()
{
    const std::vector<MessageBound> bounds
        = { { 0, 500, true }, { 1e9, 500, true }, { 0, 100, false }, { 1e9, 100, false } };
    MessageFit fit = during(0, 1e9);
    fit.preferred = ClockLine { 150, 0 };
    const auto clock = fitMessageClock(bounds, fit);
    QCOMPARE(clock->line.offsetNs, 150.0);
    QVERIFY(std::abs(clock->reachNs - 350) < 1e-3);
    fit.preferred = ClockLine { 90, 0 };
    QVERIFY(std::abs(fitMessageClock(bounds, fit)->line.offsetNs - 300) < 1e-3);
}

void MessageClockTest::aClockThatDoesNotDriftHasNoRange()
{
    MessageFit fit = during(0, 1e9);
    fit.largestDrift = 0;
    const auto clock
        = fitMessageClock({ { 0, 500, true }, { 1e9, 300, true }, { 5e8, 100, false } }, fit);
    QVERIFY(clock);
    QCOMPARE(clock->line.offsetNs, 200.0);
    QCOMPARE(clock->reachNs, 100.0);
    QCOMPARE(clock->drift.first, 0.0);
    QCOMPARE(clock->drift.second, 0.0);
}

void MessageClockTest::aContradictionIsNoDrift()
{
    // At one time: no drift helps.
    const auto clock = fitMessageClock({ { 0, -10, true }, { 0, 0, false } }, during(0, 1e9));
    QVERIFY(clock);
    QCOMPARE(clock->line.drift, 0.0);
    QCOMPARE(clock->reachNs, -5.0);
}

void MessageClockTest::theTruthIsWithinWhatIsStated_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<bool>("prefersConstant");
    for (const int count : { 2, 6, 40, 400 }) {
        QTest::addRow("%d messages", count) << count << false;
        QTest::addRow("%d messages, an offset if one does", count) << count << true;
    }
}

void MessageClockTest::theTruthIsWithinWhatIsStated()
{
    QFETCH(const int, count);
    QFETCH(const bool, prefersConstant);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> offset(-1e6, 1e6), drift(-1e-4, 1e-4);
    for (int round = 0; round < 200; ++round) {
        const ClockLine truth { offset(random), drift(random) };
        MessageFit fit = during(-1e9, 22e9); // recorded before and after, too
        fit.prefersConstant = prefersConstant;
        const auto clock = fitMessageClock(messagesOf(truth, count, random), fit);
        QVERIFY(clock);
        QVERIFY(clock->reachNs > 0);
        QVERIFY(truth.drift >= clock->drift.first - 1e-12);
        QVERIFY(truth.drift <= clock->drift.second + 1e-12);
        for (const double timeNs : { -1e9, 10e9, 22e9 })
            QVERIFY(std::abs(truth.at(timeNs) - clock->line.at(timeNs)) <= clock->reachNs + 1e-3);
        if (count >= 40) // a bound that is worth stating
            QVERIFY(clock->drift.second - clock->drift.first < 2e-4);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(MessageClockTest)
#include "tst_message_clock.moc"
