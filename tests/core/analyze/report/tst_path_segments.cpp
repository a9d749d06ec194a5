#include "core/analyze/report/critical_path_report.h"
#include "core/analyze/report/path_segments.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"

#include <QTest>

#include <cstdint>
#include <string>
#include <vector>

using namespace core;
using namespace tests;

namespace {

CriticalOp op(const std::string &name, int rank, const std::string &kind, std::int64_t startNs,
              std::int64_t durationNs, std::uint64_t slice)
{
    CriticalOp made;
    made.name = name;
    made.rank = rank;
    made.kind = kind;
    made.startNs = startNs;
    made.durationNs = durationNs;
    made.slice = SliceId(slice);
    return made;
}

/// "kind name rank duration slices" a line.
QStringList linesOf(const std::vector<PathSegment> &segments)
{
    QStringList lines;
    for (const PathSegment &one : segments)
        lines << QStringLiteral("%1 %2 %3 %4 %5")
                     .arg(QString::fromStdString(one.kind), QString::fromStdString(one.name))
                     .arg(one.rank)
                     .arg(one.durationNs)
                     .arg(one.slices.size());
    return lines;
}

} // namespace

class PathSegmentsTest : public QObject
{
    Q_OBJECT

private slots:
    void shortNeighboursAreOneSegmentOfEachPart();
    void aRunEndsWithItsRank();
    void everyIterationIsCoveredToTheNanosecond();
    void waitsAreSplitByTheRankThatCameLast();
    void whatIsNearlyCriticalHasItsSlack();
};

void PathSegmentsTest::shortNeighboursAreOneSegmentOfEachPart()
{
    CriticalPathReport report;
    report.computeNs = 10'000; // so that less than 10 ns is short
    report.ops = { op("gemm", 0, "compute", 0, 5000, 1), op("launchA", 0, "launch", 5000, 3, 2),
                   op("before x", 0, "host", 5003, 4, 3), op("launchB", 0, "launch", 5007, 5, 4),
                   op("gemm", 0, "compute", 5012, 4000, 5) };
    QCOMPARE(linesOf(pathSegments(report)),
             (QStringList {
                 QStringLiteral("compute gemm 0 5000 1"), QStringLiteral("launch launchB 0 8 2"),
                 QStringLiteral("host before x 0 4 1"), QStringLiteral("compute gemm 0 4000 1") }));
    QCOMPARE(pathSegments(report)[1].range, (TimeRange { 5000, 5012 }));
    QCOMPARE(pathSegments(report)[1].slice, SliceId(4));
}

void PathSegmentsTest::aRunEndsWithItsRank()
{
    CriticalPathReport report;
    report.computeNs = 10'000;
    report.ops
        = { op("a", 0, "host", 0, 2, 1), op("b", 1, "host", 2, 3, 2), op("c", 1, "host", 5, 2, 3) };
    QCOMPARE(linesOf(pathSegments(report)),
             (QStringList { QStringLiteral("host a 0 2 1"), QStringLiteral("host b 1 5 2") }));
}

/// The parts of the list would not be what is behind them without the gaps.
void PathSegmentsTest::everyIterationIsCoveredToTheNanosecond()
{
    std::string iterations, host, device;
    for (int i = 0; i < 3; ++i) {
        const auto at = [i](int us) { return std::to_string(i * 100 + us); };
        const std::string corr = std::to_string(i + 1);
        iterations += "iteration " + std::to_string(i + 7) + " " + at(0) + " 100\n";
        host += "prepare " + at(0) + " 10\ncudaLaunchKernel " + at(20) + " 10 runtime corr=" + corr
            + "\ncudaDeviceSynchronize " + at(30) + " 55 runtime\nupdate " + at(88) + " 12\n";
        device += "gemm " + at(35) + " 50 kernel corr=" + corr + "\n";
    }
    const Trace trace = traceFromText("rank 0\n" + iterations + "thread main\n" + host
                                      + "stream 7 gpu=0\n" + device);
    const Diagnosis diagnosis = diagnosed(trace);
    QCOMPARE(diagnosis.criticalPath.iterations.size(), std::size_t { 3 });
    for (std::size_t i = 0; i < 3; ++i) {
        const CriticalPathReport path = iterationPathReport(trace, diagnosis.selfReplay, i);
        const CriticalPathIteration &summed = diagnosis.criticalPath.iterations[i];
        QCOMPARE(path.iteration, summed.index);
        QCOMPARE(path.totalNs(), summed.parts.totalNs());
        std::int64_t listedNs = 0, launchNs = 0;
        for (const PathSegment &segment : pathSegments(path)) {
            listedNs += segment.durationNs;
            launchNs += segment.kind == "launch" ? segment.durationNs : 0;
        }
        QCOMPARE(listedNs, path.totalNs());
        QCOMPARE(launchNs, path.launchNs);
        QVERIFY(launchNs > 0);
    }
}

void PathSegmentsTest::waitsAreSplitByTheRankThatCameLast()
{
    CriticalPathReport report;
    report.computeNs = 10'000; // so that less than 10 ns is short
    const auto wait = [](std::optional<int> waitsFor, std::int64_t startNs, std::uint64_t slice) {
        CriticalOp made = op("after reduce", 0, "wait", startNs, 4, slice);
        made.waitsFor = waitsFor;
        return made;
    };
    report.ops = { wait(3, 0, 1), wait(1, 4, 2), wait(3, 8, 3), wait({}, 12, 4) };
    const std::vector<PathSegment> segments = pathSegments(report);
    QCOMPARE(segments.size(), std::size_t { 3 });
    QCOMPARE(segments[0].waitsFor, std::optional(3));
    QCOMPARE(segments[0].durationNs, 8);
    const auto waits = waitsByRank(segments);
    QCOMPARE(waits.size(), std::size_t { 3 });
    QCOMPARE(waits.at(3), 8);
    QCOMPARE(waits.at(1), 4);
    QCOMPARE(waits.at(std::nullopt), 4);
    // Two ranks; rank 1 works longer, so that the transfer waits for it.
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    const CriticalPathReport path = iterationPathReport(slowSecondRank(), diagnosis.selfReplay, 0);
    std::int64_t waitNs = 0;
    for (const auto &[rank, ns] : waitsByRank(pathSegments(path)))
        waitNs += ns;
    QCOMPARE(waitNs, path.waitNs);
}

void PathSegmentsTest::whatIsNearlyCriticalHasItsSlack()
{
    NearCriticalIteration iteration;
    NearCriticalOp late, early;
    late.name = "late";
    late.startNs = 50;
    late.durationNs = 10;
    late.slackNs = 3;
    early.name = "early";
    early.startNs = 20;
    early.durationNs = 5;
    early.slackNs = 0;
    iteration.ops = { late, early };
    const std::vector<PathSegment> segments = nearCriticalSegments(iteration);
    QCOMPARE(segments.size(), std::size_t { 2 });
    QCOMPARE(segments[0].name, std::string("early"));
    QCOMPARE(segments[1].slackNs, std::int64_t { 3 });
    QCOMPARE(segments[1].range, (TimeRange { 50, 60 }));
    QVERIFY(!segments[0].isOnPath && !segments[1].isOnPath);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(PathSegmentsTest)
#include "tst_path_segments.moc"
