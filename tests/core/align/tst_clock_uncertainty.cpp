#include "clock_evidence_lists.h"
#include "core/align/align.h"
#include "core/align/alignment_status.h"
#include "core/align/clock_offsets.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <random>

using namespace core;
using tests::traceFromText;

namespace {

constexpr std::int64_t Us = 1000, Ms = 1'000'000;

/// Collectives of two ranks that leave within 20 us of each other, the second rank's clock 3 ms
/// ahead; of `contradicted` ones, evenly spread, it was recorded `byNs` later or earlier than that.
ClockEvidence twoRanks(std::size_t count, std::size_t contradicted, std::int64_t byNs)
{
    std::mt19937_64 random(7);
    std::uniform_int_distribution<std::int64_t> jitter(-20 * Us, 20 * Us);
    ClockEvidence evidence;
    std::int64_t awayNs = -byNs;
    for (std::size_t k = 0; k < count; ++k) {
        const std::int64_t at = static_cast<std::int64_t>(k) * 500 * Ms;
        const bool isWrong
            = contradicted > 0 && k * contradicted / count != (k + 1) * contradicted / count;
        awayNs = isWrong ? -awayNs : awayNs;
        const std::int64_t other = at + 3 * Ms + jitter(random) + (isWrong ? awayNs : 0);
        evidence.collectives.push_back({ { { 0, at, at + Ms }, { 1, other, other + Ms } }, true });
    }
    return evidence;
}

ClockOffset secondClock(const ClockEvidence &evidence)
{
    return *solveOffsets(evidence, { "a", "b" }, 0, {}).workers[1];
}

} // namespace

class ClockUncertaintyTest : public QObject
{
    Q_OBJECT

private slots:
    void contradictionsWidenIt_data();
    void contradictionsWidenIt();
    void halfThatContradictLeaveTheClockAsRecorded();
    void oneFileIsOneClock();
    void possibleRecordedClocksAreNotMadeImpossible();
    void aFileThatWasPutTogetherShowsIt();
    void statedHostsAreNotOneClock();
    void aHostThatCollectivesDisproveIsTold();
    void whatDisprovesAHostIsNamed();
    void theStatusTellsToWhatOffsetsAreIdentifiable();
    void whatIsLeftAsRecordedIsNotCalledAligned();
};

void ClockUncertaintyTest::contradictionsWidenIt_data()
{
    QTest::addColumn<int>("count");
    QTest::addColumn<int>("contradicted");
    QTest::addColumn<qint64>("leastUs");
    QTest::addColumn<qint64>("mostUs");
    QTest::newRow("none") << 100 << 0 << qint64 { 1 } << qint64 { 40 };
    QTest::newRow("one of a hundred") << 100 << 1 << qint64 { 1 } << qint64 { 40 };
    QTest::newRow("one of five") << 5 << 1 << qint64 { 102'000 } << qint64 { 104'000 };
    QTest::newRow("four of ten") << 10 << 4 << qint64 { 102'000 } << qint64 { 104'000 };
    QTest::newRow("four in ten of a thousand")
        << 1000 << 400 << qint64 { 102'000 } << qint64 { 104'000 };
}

/// Where 0 is within 100 ms of the 3 ms, the clock stays as recorded, which is 3 ms more to be off.
/// 10 collectives, half of which cannot be, were sure to 0.3 ms.
void ClockUncertaintyTest::contradictionsWidenIt()
{
    QFETCH(const int, count);
    QFETCH(const int, contradicted);
    QFETCH(const qint64, leastUs);
    QFETCH(const qint64, mostUs);
    const ClockOffset clock
        = secondClock(twoRanks(std::size_t(count), std::size_t(contradicted), 100 * Ms));
    QVERIFY2(clock.uncertaintyNs >= leastUs * Us && clock.uncertaintyNs <= mostUs * Us,
             qPrintable(QString::number(clock.uncertaintyNs)));
    QVERIFY(std::abs(clock.offsetNs + 3 * Ms) <= clock.uncertaintyNs + 20 * Us);
}

void ClockUncertaintyTest::halfThatContradictLeaveTheClockAsRecorded()
{
    const ClockOffset clock = secondClock(twoRanks(10, 5, 100 * Ms));
    QVERIFY(clock.isAsRecorded);
    QCOMPARE(clock.offsetNs, 0);
    QVERIFY(clock.uncertaintyNs > 90 * Ms);
}

const char *const TwoRanks = R"(
    rank 0
    comm gloo
    gloo:all_reduce 1000 100 kind=all_reduce bytes=8
    gloo:all_reduce 2000 100 kind=all_reduce bytes=8
    gloo:all_reduce 5000 100 kind=all_reduce bytes=8
    rank 1
    comm gloo
    gloo:all_reduce 1001 100 kind=all_reduce bytes=8
    gloo:all_reduce 2000 100 kind=all_reduce bytes=8
    gloo:all_reduce 5000 101 kind=all_reduce bytes=8
)";

/// The trace with a file of its own for each track, or one for all.
Trace recorded(const QString &text, bool isOneFile)
{
    Trace trace = traceFromText(text.toStdString());
    for (Track &track : trace.tracks)
        track.file = FileId(isOneFile ? 1 : track.worker.value + 1);
    return trace;
}

void ClockUncertaintyTest::oneFileIsOneClock()
{
    const AlignmentReport report = align(recorded(QLatin1String(TwoRanks), true), {});
    QVERIFY(isOneClock(report.workers[1]));
    QVERIFY2(report.status.starts_with("One clock: "), report.status.c_str());
    QVERIFY(report.status.find("ligned") == std::string::npos);
    // Also where nothing else ties the ranks.
    const AlignmentReport untied = align(
        recorded(QStringLiteral("rank 0\nthread a\nop 1 2\nrank 5\nthread a\nop 1 2\n"), true), {});
    QVERIFY(isOneClock(untied.workers[1]));
    QVERIFY(untied.status.find("not known") == std::string::npos);
}

void ClockUncertaintyTest::aFileThatWasPutTogetherShowsIt()
{
    QString text = QLatin1String(TwoRanks);
    text.replace(QLatin1String(" 1001 "), QLatin1String(" 4001 "))
        .replace(QLatin1String(" 2000 100 kind=all_reduce bytes=8\n    gloo:all_reduce 5000 101"),
                 QLatin1String(" 5000 100 kind=all_reduce bytes=8\n    gloo:all_reduce 8000 101"));
    const AlignmentReport report = align(recorded(text, true), {});
    QVERIFY(!isOneClock(report.workers[1]) && !report.workers[1].isAsRecorded);
    QVERIFY(std::abs(report.workers[1].offsetNs + 3 * Ms) < 10 * Us);
}

void ClockUncertaintyTest::statedHostsAreNotOneClock()
{
    Trace trace = recorded(QLatin1String(TwoRanks), true);
    trace.workers[0].host = "node1";
    trace.workers[1].host = "node2";
    QVERIFY(!isOneClock(align(trace, {}).workers[1]));
}

/// Rank 1 leaves before rank 0 enters, so they have no common clock, whatever the name.
void ClockUncertaintyTest::aHostThatCollectivesDisproveIsTold()
{
    Trace trace = tests::traceFromText(R"(
        rank 0
        comm gloo
        gloo:all_reduce 1000 100 kind=all_reduce bytes=8
        gloo:all_reduce 3000 100 kind=all_reduce bytes=8
        rank 1
        comm gloo
        gloo:all_reduce 700 100 kind=all_reduce bytes=8
        gloo:all_reduce 2700 100 kind=all_reduce bytes=8
    )");
    const std::string_view told = "These ranks were recorded on the reference's host (node1), but";
    for (Worker &worker : trace.workers)
        worker.host = "node1";
    const AlignmentReport disproved = align(trace, {});
    QVERIFY(std::abs(disproved.workers[1].offsetNs - 300 * Us) < 10 * Us);
    QVERIFY2(disproved.status.find(told) != std::string::npos, disproved.status.c_str());
    trace.workers[1].host = "node2";
    QVERIFY(align(trace, {}).status.find("recorded on the reference's host") == std::string::npos);
}

/// It was told as if collectives had disproved it, in a trace that has none.
void ClockUncertaintyTest::whatDisprovesAHostIsNamed()
{
    Trace trace = recorded(QLatin1String(TwoRanks), false);
    for (Worker &worker : trace.workers)
        worker.host = "node1";
    AlignmentReport report;
    report.workers.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        report.workers[w].worker = WorkerId(w);
        report.workers[w].isKnown = true;
        report.workers[w].isReference = w == 0;
    }
    const auto saysOf = [&](const ClockEvidence &evidence) {
        const std::string status = alignmentStatus(trace, report, {}, evidence, {});
        const std::size_t from = status.find("some would ");
        return QString::fromStdString(status.substr(from, status.find(". Times of GPUs") - from));
    };
    ClockEvidence messages, both;
    messages.messages.resize(1);
    both = messages;
    both.collectives.resize(1);
    QCOMPARE(saysOf(messages), QStringLiteral("some would receive a message before it was sent"));
    QCOMPARE(saysOf(both),
             QStringLiteral("some would leave a collective before others have entered it or "
                            "receive a message before it was sent"));
}

/// Ranks that leave up to milliseconds apart: no offset is known to less, and it is said.
void ClockUncertaintyTest::theStatusTellsToWhatOffsetsAreIdentifiable()
{
    const Trace trace = tests::traceFromText(R"(
        rank 0
        thread a
        op 1 2
        rank 1
        thread a
        op 1 2
        rank 2
        thread a
        op 1 2
    )");
    AlignmentReport report;
    report.workers.resize(3);
    for (std::uint32_t w = 0; w < 3; ++w) {
        report.workers[w].worker = WorkerId(w);
        report.workers[w].isKnown = true;
        report.workers[w].isReference = w == 0;
        report.workers[w].offsetNs = w * Ms;
        report.workers[w].uncertaintyNs = w == 1 ? 2700 * Us : w == 2 ? 400 * Us : 0;
    }
    const auto said = [&](bool isOneKnown) {
        report.workers[1].isKnown = isOneKnown;
        return QString::fromStdString(alignmentStatus(trace, report, {}, {}, {}));
    };
    QVERIFY2(said(true).contains(
                 QStringLiteral("Offsets are sure to +-2.7 ms; rank 1's is the least sure.")),
             qPrintable(said(true)));
    QVERIFY(said(false).contains(QStringLiteral("are not known: rank 1.")));
}

void ClockUncertaintyTest::whatIsLeftAsRecordedIsNotCalledAligned()
{
    const AlignmentReport report = align(recorded(QLatin1String(TwoRanks), false), {});
    QVERIFY(report.workers[1].isAsRecorded && !isOneClock(report.workers[1]));
    QVERIFY2(report.status.starts_with("Clocks compared on 3 collectives. "),
             report.status.c_str());
    QVERIFY(report.status.find("ligned") == std::string::npos);
}

/// Worker 1's interval holds 0, worker 2's does not: with the one as recorded and the other moved,
/// worker 2 entered a collective that worker 1 had left.
void ClockUncertaintyTest::possibleRecordedClocksAreNotMadeImpossible()
{
    std::vector<std::vector<tests::PartUs>> collectives;
    for (std::int64_t k = 0; k < 12; ++k) {
        const std::int64_t at = k * 10'000, endUs = at + 1000;
        const std::int64_t first = endUs - 10 + 6 * (k % 5 - 2);
        collectives.push_back({ { 0, at, endUs },
                                { 1, at, first },
                                { 2, k == 5 ? first - 5 : at, endUs - 20 + k % 2 } });
    }
    const ClockEvidence seen = tests::evidenceOf(collectives);
    QCOMPARE(countViolations(seen, { {}, {}, {} }), std::uint64_t { 0 });
    const ClockSolution solution = tests::solved(seen, 3);
    const ClockOffset &held = *solution.workers[1], &moved = *solution.workers[2];
    QVERIFY(moved.offsetNs > 10 * Us && !moved.isAsRecorded);
    QVERIFY(std::abs(held.offsetNs) <= held.uncertaintyNs && !held.isAsRecorded);
    QCOMPARE(countViolations(seen, solution.workers), std::uint64_t { 0 });
    QVERIFY(solution.contradictions.empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ClockUncertaintyTest)
#include "tst_clock_uncertainty.moc"
