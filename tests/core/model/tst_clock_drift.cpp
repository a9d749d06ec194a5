#include "core/model/clock_drift.h"

#include <QtTest>

using namespace core;

class ClockDriftTest : public QObject
{
    Q_OBJECT

private slots:
    void whatIsNotProvedIsNotKnown();
    void whatIsProvedIsKnown();
    void oneHostIsOneClock();
    void aWideIntervalBoundsNothing();
    void whatIsSetByHandHasNoBound();
    void whatMessagesBoundIsKnownWhereTheyDoNotAllowNone();
};

namespace {

/// A reference, and a clock that may be off by so much; two iterations of two seconds each.
struct Recording
{
    AlignmentReport report;
    std::vector<Worker> workers { 2 };
    std::vector<Iteration> iterations { 4 };

    explicit Recording(std::int64_t uncertaintyNs)
    {
        constexpr std::int64_t LongNs = 2'000'000'000;
        report.workers.resize(2);
        report.workers[0].isReference = report.workers[0].isKnown = true;
        report.workers[1].worker = WorkerId(1);
        report.workers[1].isKnown = true;
        report.workers[1].uncertaintyNs = uncertaintyNs;
        for (std::size_t i = 0; i < iterations.size(); ++i) {
            const auto start = static_cast<std::int64_t>(i % 2) * LongNs;
            iterations[i].worker = WorkerId(static_cast<std::uint32_t>(i / 2));
            iterations[i].range = { start, start + LongNs };
        }
    }

    ClockDrift drift(const ClocksByHand &byHand = {}) const
    {
        return clockDrifts(report, workers, byHand, iterations)[1];
    }
};

} // namespace

void ClockDriftTest::whatIsNotProvedIsNotKnown()
{
    const Recording recording(80'000);
    const ClockDrift drift = recording.drift();
    QVERIFY(!drift.ppm);
    QCOMPARE(drift.mostPpm.value(), 40.0); // 80 us either way at both ends of 4 s
    QCOMPARE(driftText(drift), std::string("not known (+-40)"));
    const ClockDrift own
        = clockDrifts(recording.report, recording.workers, {}, recording.iterations)[0];
    QCOMPARE(driftText(own), std::string("0.0")); // the reference's
}

void ClockDriftTest::whatIsProvedIsKnown()
{
    Recording recording(80'000);
    recording.report.workers[1].driftPpm = 34.54;
    QCOMPARE(driftText(recording.drift()), std::string("+34.5"));
}

void ClockDriftTest::oneHostIsOneClock()
{
    Recording recording(80'000);
    recording.workers[0].host = recording.workers[1].host = "node1";
    QCOMPARE(recording.drift().ppm.value(), 0.0);
    recording.workers[1].host = "node2";
    QVERIFY(!recording.drift().ppm);
    recording.report.workers[1].uncertaintyNs = 0;
    recording.report.workers[1].isAsRecorded = true; // one file
    QCOMPARE(recording.drift().ppm.value(), 0.0);
}

void ClockDriftTest::aWideIntervalBoundsNothing()
{
    Recording recording(3'000'000);
    QCOMPARE(driftText(recording.drift()), std::string("not known"));
    recording.report.workers[1].isKnown = false;
    QVERIFY(!recording.drift().ppm);
}

void ClockDriftTest::whatIsSetByHandHasNoBound()
{
    const Recording recording(80'000);
    const ClockDrift drift = recording.drift({ recording.report.workers[1] });
    QVERIFY(!drift.ppm && !drift.mostPpm);
}

void ClockDriftTest::whatMessagesBoundIsKnownWhereTheyDoNotAllowNone()
{
    Recording recording(80'000);
    Alignment &clock = recording.report.workers[1];
    clock.driftPpm = -8;
    clock.driftRange = DriftRange { -20, 4 };
    ClockDrift drift = recording.drift();
    QVERIFY(!drift.ppm);
    QCOMPARE(drift.mostPpm.value(), 20.0); // whatever the iterations' length would say
    QCOMPARE(drift.range->leastPpm, -20.0);
    QCOMPARE(driftText(drift), std::string("not known (+-20)"));
    clock.driftRange = DriftRange { -20, -2 };
    drift = recording.drift();
    QCOMPARE(drift.ppm.value(), -8.0);
    QCOMPARE(driftText(drift), std::string("-8.0 (+-12)"));
    clock.driftRange = DriftRange { -LargestToldDriftPpm, 4 };
    QCOMPARE(driftText(recording.drift()), std::string("not known"));
    QVERIFY(!recording.drift().range);
    clock.driftPpm = 0;
    clock.driftRange = DriftRange { -20, 4 };
    recording.workers[0].host = recording.workers[1].host = "node1";
    QCOMPARE(driftText(recording.drift()), std::string("0.0"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ClockDriftTest)
#include "tst_clock_drift.moc"
