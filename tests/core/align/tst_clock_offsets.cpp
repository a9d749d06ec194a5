#include "core/align/clock_offsets.h"

#include <QtTest>

using namespace core;

class ClockOffsetsTest : public QObject
{
    Q_OBJECT

private slots:
    void endsOfTwoWorkersGiveTheOffset();
    void aWorkerIsTiedThroughAnother();
    void threeWorkersAreWeightedByAgreement();
    void causeComesBeforeEffect();
    void recordsThatContradictEachOtherDoNotMoveClocks();
    void clocksMayBeYearsApart();
};

void ClockOffsetsTest::endsOfTwoWorkersGiveTheOffset()
{
    // Worker 1's clock is 500 ahead; one end is an outlier.
    const std::vector<ObservedCollective> seen { { { { 0, 0, 100 }, { 1, 520, 600 } } },
                                                 { { { 0, 200, 300 }, { 1, 710, 800 } } },
                                                 { { { 0, 400, 900 }, { 1, 910, 1500 } } } };
    const ClockOffsets offsets = solveOffsets(seen, 2, 0);
    QCOMPARE(*offsets.offsetNs[0], 0);
    QCOMPARE(*offsets.offsetNs[1], -500);
    QCOMPARE(offsets.slackNs, 0);
    // Unaligned: in each of the three, worker 1 enters after worker 0 has left.
    QCOMPARE(countViolations(seen, { 0, 0 }), std::uint64_t { 3 });
    QCOMPARE(countViolations(seen, offsets.offsetNs), std::uint64_t { 0 });
}

void ClockOffsetsTest::aWorkerIsTiedThroughAnother()
{
    // 0 and 1 meet, 1 and 2 meet; 3 meets nobody.
    const std::vector<ObservedCollective> seen { { { { 0, 0, 100 }, { 1, 0, 150 } } },
                                                 { { { 1, 200, 300 }, { 2, 200, 270 } } } };
    const ClockOffsets offsets = solveOffsets(seen, 4, 0);
    QCOMPARE(*offsets.offsetNs[1], -50);
    QCOMPARE(*offsets.offsetNs[2], -20);
    QVERIFY(!offsets.offsetNs[3]);
}

void ClockOffsetsTest::threeWorkersAreWeightedByAgreement()
{
    // d01 = 0 and d12 = 0 from exact ends; d02 = 3000 from one pair. All weigh the same, so the
    // least squares leave a third of the contradiction on each edge: theta_2 = -2000, theta_1 =
    // -1000.
    const std::vector<ObservedCollective> seen {
        { { { 0, 0, 100'000 }, { 1, 0, 100'000 } } },
        { { { 1, 0, 200'000 }, { 2, 0, 200'000 } } },
        { { { 0, 0, 300'000 }, { 2, 0, 303'000 } } },
    };
    const ClockOffsets offsets = solveOffsets(seen, 3, 0);
    QCOMPARE(*offsets.offsetNs[1], -1000);
    QCOMPARE(*offsets.offsetNs[2], -2000);
}

void ClockOffsetsTest::causeComesBeforeEffect()
{
    // Ends say 0 (twice), but once worker 1 entered at 160 where worker 0 had left at 100 already:
    // worker 1's clock must be at least 60 ahead.
    const std::vector<ObservedCollective> seen { { { { 0, 0, 1000 }, { 1, 0, 1000 } } },
                                                 { { { 0, 0, 2000 }, { 1, 0, 2000 } } },
                                                 { { { 0, 0, 100 }, { 1, 160, 170 } } } };
    const ClockOffsets offsets = solveOffsets(seen, 2, 0);
    QCOMPARE(*offsets.offsetNs[1], -60);
    QCOMPARE(countViolations(seen, offsets.offsetNs), std::uint64_t { 0 });
}

void ClockOffsetsTest::recordsThatContradictEachOtherDoNotMoveClocks()
{
    // Ends agree in nine of eleven; two say that worker 1 is 60 ahead at least, and 60 behind.
    std::vector<ObservedCollective> seen(9, { { { 0, 0, 1000 }, { 1, 0, 1000 } } });
    seen.push_back({ { { 0, 0, 100 }, { 1, 160, 170 } } });
    seen.push_back({ { { 0, 360, 370 }, { 1, 0, 300 } } });
    const ClockOffsets offsets = solveOffsets(seen, 2, 0);
    QCOMPARE(*offsets.offsetNs[1], 0);
    QCOMPARE(countViolations(seen, offsets.offsetNs), std::uint64_t { 2 });
}

void ClockOffsetsTest::clocksMayBeYearsApart()
{
    const std::int64_t epoch = 1'795'173'383'256'350'123;
    const std::vector<ObservedCollective> seen {
        { { { 0, 0, 100 }, { 1, epoch, epoch + 77 } } },
        { { { 0, 200, 300 }, { 1, epoch + 200, epoch + 277 } } },
    };
    QCOMPARE(*solveOffsets(seen, 2, 0).offsetNs[1], -(epoch - 23));
}

QTEST_GUILESS_MAIN(ClockOffsetsTest)
#include "tst_clock_offsets.moc"
