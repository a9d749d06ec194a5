#include "core/base/interval_set.h"

#include <QtTest>

#include <bitset>
#include <random>

using namespace core;

class IntervalSetTest : public QObject
{
    Q_OBJECT

private slots:
    void overlappingAndTouchingIntervalsMerge();
    void unionAndIntersectionHaveTheLengthsCountedByHand();
    void clippingCutsBothEnds();
    void agreesWithCountingEveryNanosecond();
};

void IntervalSetTest::overlappingAndTouchingIntervalsMerge()
{
    const IntervalSet set({ { 20, 30 }, { 0, 10 }, { 5, 12 }, { 12, 14 }, { 25, 28 }, { 50, 50 } });
    const std::vector<TimeRange> expected { { 0, 14 }, { 20, 30 } };
    QVERIFY(set.intervals() == expected);
    QCOMPARE(set.lengthNs(), 24);
    QVERIFY(IntervalSet({ { 5, 5 }, { 7, 6 } }).isEmpty());
}

void IntervalSetTest::unionAndIntersectionHaveTheLengthsCountedByHand()
{
    const IntervalSet a({ { 0, 10 }, { 20, 30 }, { 40, 50 } });
    const IntervalSet b({ { 5, 25 }, { 30, 41 } });
    QCOMPARE(a.unitedWith(b).lengthNs(), 50);
    const std::vector<TimeRange> common { { 5, 10 }, { 20, 25 }, { 40, 41 } };
    QVERIFY(a.intersectedWith(b).intervals() == common);
    QVERIFY(b.intersectedWith(a).intervals() == common);
    QVERIFY(a.intersectedWith(IntervalSet()).isEmpty());
}

void IntervalSetTest::clippingCutsBothEnds()
{
    const IntervalSet a({ { 0, 10 }, { 20, 30 }, { 40, 50 } });
    const std::vector<TimeRange> expected { { 8, 10 }, { 20, 30 }, { 40, 42 } };
    QVERIFY(a.clippedTo({ 8, 42 }).intervals() == expected);
    QVERIFY(a.clippedTo({ 10, 20 }).isEmpty());
    QVERIFY(a.clippedTo({ 42, 8 }).isEmpty());
}

void IntervalSetTest::agreesWithCountingEveryNanosecond()
{
    std::mt19937 random(7);
    std::uniform_int_distribution<int> at(0, 199), length(0, 20);
    for (int round = 0; round < 200; ++round) {
        std::bitset<256> bits[2];
        IntervalSet sets[2];
        for (int k = 0; k < 2; ++k) {
            std::vector<TimeRange> ranges;
            for (int i = 0; i < 12; ++i) {
                const int begin = at(random), end = begin + length(random);
                ranges.push_back({ begin, end });
                for (int ns = begin; ns < end; ++ns)
                    bits[k].set(static_cast<std::size_t>(ns));
            }
            sets[k] = IntervalSet(ranges);
        }
        QCOMPARE(sets[0].lengthNs(), static_cast<std::int64_t>(bits[0].count()));
        QCOMPARE(sets[0].unitedWith(sets[1]).lengthNs(),
                 static_cast<std::int64_t>((bits[0] | bits[1]).count()));
        QCOMPARE(sets[0].intersectedWith(sets[1]).lengthNs(),
                 static_cast<std::int64_t>((bits[0] & bits[1]).count()));
        QCOMPARE(sets[0].without(sets[1]).lengthNs(),
                 static_cast<std::int64_t>((bits[0] & ~bits[1]).count()));
        QVERIFY(sets[0].without(sets[1]).intersectedWith(sets[1]).isEmpty());
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IntervalSetTest)
#include "tst_interval_set.moc"
