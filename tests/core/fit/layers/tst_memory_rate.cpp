#include "core/fit/layers/memory_rate.h"

#include <QTest>

#include <cmath>

using namespace core;

class TestMemoryRate : public QObject
{
    Q_OBJECT

private slots:
    void patternsOfOneRateLeaveNoDoubt();
    void aPatternHasOneVote();
    void smallOpsCountLittle();
    void onePatternIsNotEnough();
};

void TestMemoryRate::patternsOfOneRateLeaveNoDoubt()
{
    MemoryRateSamples samples;
    samples.add(NameId(1), 1000, 50);
    samples.add(NameId(2), 4000, 200);
    const auto rate = samples.rate();
    QVERIFY(rate);
    QCOMPARE(rate->nsPerByte, 0.05);
    QCOMPARE(rate->uncertainty, 1.0);
}

void TestMemoryRate::aPatternHasOneVote()
{
    MemoryRateSamples samples;
    for (int i = 0; i < 10; ++i)
        samples.add(NameId(1), 1000, 100);
    samples.add(NameId(2), 1000, 400);
    const auto rate = samples.rate();
    QVERIFY(rate);
    QCOMPARE(rate->nsPerByte, 0.2);
    // Two logarithms at ln 2 from their mean: s = ln 2 * sqrt 2; of a third s * sqrt(1 + 1/2).
    QCOMPARE(rate->uncertainty, std::exp(12.71 * std::log(2.0) * std::sqrt(3.0)));
}

void TestMemoryRate::smallOpsCountLittle()
{
    MemoryRateSamples samples;
    for (int i = 0; i < 10; ++i)
        samples.add(NameId(1), 10, 100); // dispatch
    samples.add(NameId(1), 1000, 50);
    samples.add(NameId(2), 1000, 50);
    const auto rate = samples.rate();
    QVERIFY(rate);
    QCOMPARE(rate->nsPerByte, 0.05);
}

void TestMemoryRate::onePatternIsNotEnough()
{
    MemoryRateSamples samples;
    QVERIFY(!samples.rate());
    samples.add(NameId(1), 1000, 50);
    samples.add(NameId(2), 0, 50);
    samples.add(NameId(3), 1000, 0);
    QVERIFY(!samples.rate());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMemoryRate)
#include "tst_memory_rate.moc"
