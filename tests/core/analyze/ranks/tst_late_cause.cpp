#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/iterations.h"
#include "core/analyze/ranks/late_cause.h"
#include "core/analyze/ranks/slow_rank_lines.h"
#include "core/model/compared_iterations.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"

#include <QtTest>

using namespace core;
using namespace tests;

namespace {

/// What one rank does before the all-reduce of each of three iterations of 110 ms, in ms: forward,
/// then nothing or loading input (which an annotation says), then backward.
struct RankTimes
{
    int forward = 20, gap = 0, backward = 20;
    bool isInput = false;
};

Trace jobOf(const std::vector<RankTimes> &ranks)
{
    std::string text;
    for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
        const RankTimes &times = ranks[rank];
        std::string host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const auto add = [i](std::string &to, const std::string &name, int atMs, int ms,
                                 const std::string &rest) {
                to += name + " " + std::to_string((i * 110 + atMs) * 1000) + " "
                    + std::to_string(ms * 1000) + " " + rest + "\n";
            };
            const int comes = times.forward + times.gap + times.backward;
            add(host, "ProfilerStep#" + std::to_string(i), 0, 110, "user_annotation");
            add(host, "forward", 0, times.forward, "");
            if (times.isInput)
                add(host, "enumerate(DataLoader)#next", times.forward, times.gap,
                    "user_annotation phase=input");
            add(host, "backward", times.forward + times.gap, times.backward, "");
            add(host, "c10d::allreduce_", comes, 0, "");
            add(backend, "gloo:all_reduce", comes, 100 - comes, "kind=all_reduce bytes=1000000");
            add(host, "update", 100, 10, "");
        }
        text += "rank " + std::to_string(rank) + "\n" + host + backend;
    }
    Trace trace = traceFromText(text);
    trace.iterations = detectIterations(trace);
    trace.compared = comparedIterations(trace);
    return trace;
}

QString remarksOn(const Trace &trace)
{
    QStringList lines;
    for (const std::string &line : diagnosed(trace).rankRemarks)
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

QString slowRanksOn(const std::vector<RankTimes> &ranks)
{
    const Trace trace = jobOf(ranks);
    const Diagnosis diagnosis = diagnosed(trace);
    const Graph &graph = *diagnosis.selfReplay.graph;
    QStringList lines;
    for (const std::string &line : slowRankLines(
             diagnosis.stragglers, { trace, graph.iterationCount }, OwnWorkWords(graph), {}))
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

QString verdictOn(const std::vector<RankTimes> &ranks)
{
    return QString::fromStdString(verdictText(diagnosed(jobOf(ranks))));
}

constexpr RankTimes Plain {};
constexpr RankTimes Sleeping { 20, 50, 20 };
constexpr RankTimes Loading { 20, 50, 20, true };
constexpr RankTimes Computing { 60, 0, 20 };

/// Two ranks, three iterations of 110 ms in ms, an all-reduce beside backward and one behind it:
///
///     rank 0  |forward 20|backward 30|- idle 50 -----------------------|update 10|
///             .          |A waits 40 ---------|A 10|B waits 20 |B 10   |
///     rank 1  |forward 60                     |backward 30     |- 10 - |update 10|
Trace aheadBesideComputation()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        const int forward = rank == 0 ? 20 : 60;
        std::string steps, host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const auto line = [i](const std::string &name, int atMs, int ms, const char *rest) {
                return name + " " + std::to_string((110 * i + atMs) * 1000) + " "
                    + std::to_string(ms * 1000) + rest + "\n";
            };
            const char *sent = " kind=all_reduce bytes=1000000";
            steps += line("iteration " + std::to_string(i), 0, 110, "");
            host += line("forward", 0, forward, "") + line("c10d::allreduce_", forward, 0, "")
                + line("backward", forward, 30, "") + line("c10d::allreduce_", forward + 30, 0, "")
                + line("update", 100, 10, "");
            const int second = rank == 0 ? 70 : 90;
            backend += line("gloo:all_reduce", forward, 70 - forward, sent)
                + line("gloo:all_reduce", second, 100 - second, sent);
        }
        text += "rank " + std::to_string(rank) + "\n" + steps + host + backend;
    }
    return traceFromText(text);
}

/// Two ranks of whose hosts only the launches are recorded, three iterations of 110 ms: a kernel of
/// 18 ms, another one of 18 ms that rank 1 launches 50 ms later, and an all-reduce behind it.
Trace launchingLate()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        std::string steps, host = "thread main\n", kernels = "stream 7 gpu=0\n",
                           nccl = "stream 20 gpu=0\n";
        for (int i = 0; i < 3; ++i) {
            const auto line = [i](const std::string &name, int atMs, int ms, std::string rest) {
                return name + " " + std::to_string((110 * i + atMs) * 1000) + " "
                    + std::to_string(ms * 1000) + " " + rest + "\n";
            };
            const auto corr = [i](int n) { return " corr=" + std::to_string(10 * i + n); };
            const int second = rank == 0 ? 20 : 70;
            steps += line("iteration " + std::to_string(i), 0, 110, "");
            host += line("cudaLaunchKernel", 0, 1, "runtime" + corr(1))
                + line("cudaLaunchKernel", second, 1, "runtime" + corr(2))
                + line("cudaLaunchKernelExC", second + 1, 1, "runtime" + corr(3))
                + line("cudaDeviceSynchronize", second + 3, 105 - second - 3, "runtime");
            kernels += line("gemm", 1, 18, "kernel" + corr(1))
                + line("gemm", second + 1, 18, "kernel" + corr(2));
            nccl += line("nccl", second + 2, 103 - second,
                         "comm_kernel kind=all_reduce bytes=8" + corr(3));
        }
        text += "rank " + std::to_string(rank) + "\n" + steps + host + kernels + nccl;
    }
    return traceFromText(text);
}

} // namespace

class LateCauseTest : public QObject
{
    Q_OBJECT

private slots:
    void theVerdictSaysWhatMakesTheRankLate_data();
    void theVerdictSaysWhatMakesTheRankLate();
    void remarksHaveTheWholeAndTheLargestPart();
    void aSleepIsNotHiddenByFasterOperations();
    void furtherCausesAreNamedWithTheirShares();
    void ofManyRanksTheOthersAreTheirMedian();
    void aRankLikeTheSlowerOtherIsNotSlow();
    void twoDifferencesOfOneSizeAreBothNamed();
    void theMeasureOfOperationsIsSaid();
    void whatRecordedWorkDoesNotTellIsNotClaimed();
    void waitingThatComputationHidesIsToldApart();
    void aThreadThatOnlyLaunchesCanBeLate();
};

void LateCauseTest::theVerdictSaysWhatMakesTheRankLate_data()
{
    QTest::addColumn<int>("which");
    QTest::addColumn<QString>("why");
    QTest::newRow("sleeps") << 0
                            << QStringLiteral("No operation runs on it between forward and "
                                              "backward for 50.00 ms (rank 0: 0 ns)");
    QTest::newRow("loads input") << 1
                                 << QStringLiteral(
                                        "Loading its input takes 50.00 ms (rank 0: 0 ns)");
    QTest::newRow("computes more")
        << 2 << QStringLiteral("Its forward takes 60.00 ms (rank 0: 20.00 ms)");
}

/// "What makes them late is not known", of a rank that slept between two operations.
void LateCauseTest::theVerdictSaysWhatMakesTheRankLate()
{
    QFETCH(const int, which);
    QFETCH(const QString, why);
    const RankTimes late = which == 0 ? Sleeping : which == 1 ? Loading : Computing;
    const QString verdict = verdictOn({ Plain, late });
    QVERIFY2(verdict.contains(QStringLiteral("Rank 1 makes the others wait")), qPrintable(verdict));
    QVERIFY2(verdict.contains(why), qPrintable(verdict));
}

void LateCauseTest::remarksHaveTheWholeAndTheLargestPart()
{
    QString remarks = remarksOn(jobOf({ Plain, Sleeping }));
    QVERIFY2(remarks.contains(QStringLiteral(
                 "Rank 1 is late mostly because no operation runs on it for 50.00 ms per iteration "
                 "(rank 0: 0 ns). Most of the difference is between forward and backward: 50.00 ms "
                 "(rank 0: 0 ns).")),
             qPrintable(remarks));
    QCOMPARE(remarks.count(QStringLiteral("between forward and backward")), 1); // told once
    const QString slow = slowRanksOn({ Plain, Sleeping });
    QVERIFY2(slow.contains(QStringLiteral("The largest difference: no operation between forward "
                                          "and backward: 50.00 ms (rank 0: 0 ns).")),
             qPrintable(slow));
    remarks = remarksOn(jobOf({ Plain, Computing }));
    QVERIFY2(
        remarks.contains(QStringLiteral(
            "Rank 1 is late mostly because its operations take 90.00 ms per iteration (rank "
            "0: 50.00 ms). Most of the difference is in forward: 60.00 ms (rank 0: 20.00 ms).")),
        qPrintable(remarks));
}

/// While it sleeps the others have its cores, and only the sum of own work was compared.
void LateCauseTest::aSleepIsNotHiddenByFasterOperations()
{
    OpTypeSlowdown sleep;
    sleep.ns = 50 * Ms;
    sleep.kind = WorkKind::Gap;
    sleep.before = "forward";
    sleep.behind = "backward";
    StragglerReport report;
    report.isWorkRecorded = true;
    report.ranks.push_back(
        { 0, 90 * Ms, 90 * Ms, 90 * Ms, { { WorkKind::Host, 90 * Ms, 40 * Ms } }, {} });
    report.ranks.push_back(
        { 1,
          90 * Ms,
          90 * Ms,
          90 * Ms,
          { { WorkKind::Host, 40 * Ms, 90 * Ms }, { WorkKind::Gap, 50 * Ms, 0 } },
          { sleep } });
    const auto causes = lateCauses(report, 1, 40 * Ms, 110 * Ms);
    QCOMPARE(causes.size(), std::size_t { 1 });
    QVERIFY(causes.front().isMost);
    QCOMPARE(QString::fromStdString(shortText(causes.front())),
             QStringLiteral("no operation runs on it between forward and backward for 50.00 ms "
                            "(rank 0: 0 ns)"));
    QVERIFY(!lateCauses(report, 1, 101 * Ms, 110 * Ms).front().isMost);
    QVERIFY(lateCauses(report, 1, 101 * Ms, 5001 * Ms).empty()); // less than 1 %
    report.isWorkRecorded = false;
    QVERIFY(lateCauses(report, 1, 101 * Ms, 110 * Ms).empty());
}

/// Only the input was named of a rank that loads it and computes longer.
void LateCauseTest::furtherCausesAreNamedWithTheirShares()
{
    const QString remarks = remarksOn(jobOf({ Plain, { 40, 30, 20, true } }));
    QVERIFY2(remarks.contains(QStringLiteral(
                 "Rank 1 is late mostly because loading its input takes 30.00 ms per iteration "
                 "(rank 0: 0 ns)")),
             qPrintable(remarks));
    QVERIFY2(
        remarks.contains(QStringLiteral(
            ". That explains 30.00 ms of the 50.00 ms that others wait. Also, its operations take "
            "70.00 ms per iteration (rank 0: 50.00 ms). Most of the difference is in forward: "
            "40.00 ms (rank 0: 20.00 ms). That explains 20.00 ms of the 50.00 ms that others "
            "wait.")),
        qPrintable(remarks));
    // Less than a tenth of it.
    QVERIFY(!remarksOn(jobOf({ Plain, { 24, 46, 20, true } })).contains(QStringLiteral("Also")));
}

void LateCauseTest::ofManyRanksTheOthersAreTheirMedian()
{
    const QString verdict = verdictOn({ Plain, Sleeping, Plain, Plain });
    QVERIFY2(verdict.contains(QStringLiteral("for 50.00 ms (the median of the others: 0 ns)")),
             qPrintable(verdict));
}

/// Ranks 0 and 2 share a core, rank 1 has its own: rank 2 was called slow beside the mean of both
/// others, which neither of them is near.
void LateCauseTest::aRankLikeTheSlowerOtherIsNotSlow()
{
    const Diagnosis diagnosis = diagnosed(jobOf({ Computing, Plain, { 60, 2, 20 } }));
    const RankSlowdown &slow = diagnosis.stragglers.ranks[2];
    QCOMPARE(slow.ownWorkNs, 92 * Ms);
    QCOMPARE(slow.othersNs, 90 * Ms);
    QVERIFY(slow.ops.size() == 1 && slow.ops.front().excessNs() == 2 * Ms); // the gap
    QString remarks;
    for (const std::string &line : diagnosis.rankRemarks)
        remarks += QString::fromStdString(line) + QLatin1Char('\n');
    QVERIFY2(!remarks.contains(QStringLiteral("its operations take")), qPrintable(remarks));
    // A straggler is one beside both of them.
    const QString alone = remarksOn(jobOf({ Plain, Computing, Plain }));
    QVERIFY2(alone.contains(QStringLiteral("its operations take 90.00 ms per iteration (the slower "
                                           "of the others: 50.00 ms)")),
             qPrintable(alone));
    QVERIFY2(alone.contains(QStringLiteral("own work (with gaps between operations) takes "
                                           "90.00 ms per iteration (the slower of the others: "
                                           "50.00 ms; +80 %)")),
             qPrintable(alone));
}

/// Of a rank slower in everything only its forward pass was named, by 96 ms beside 83.
void LateCauseTest::twoDifferencesOfOneSizeAreBothNamed()
{
    const QString remarks = remarksOn(jobOf({ Plain, { 40, 0, 35 } }));
    QVERIFY2(remarks.contains(QStringLiteral(
                 ". Most of the difference is in forward: 40.00 ms (rank 0: 20.00 ms) and in "
                 "backward: 35.00 ms (rank 0: 20.00 ms).")),
             qPrintable(remarks));
    const QString slow = slowRanksOn({ Plain, { 40, 0, 35 } });
    QVERIFY2(slow.contains(QStringLiteral(
                 ". The largest differences: forward: 40.00 ms (rank 0: 20.00 ms) and backward: "
                 "35.00 ms (rank 0: 20.00 ms).")),
             qPrintable(slow));
    const QString verdict = verdictOn({ Plain, { 40, 0, 35 } });
    QVERIFY2(verdict.contains(QStringLiteral("Its forward takes 40.00 ms and backward 35.00 "
                                             "ms (rank 0: 20.00 ms and 20.00 ms)")),
             qPrintable(verdict));
    // What it takes less long elsewhere makes it none of the difference.
    const QString faster = remarksOn(jobOf({ Plain, { 60, 0, 5 } }));
    QVERIFY2(faster.contains(QStringLiteral(". The largest difference is in forward: 60.00 ms")),
             qPrintable(faster));
    // Less than half of the other.
    QVERIFY(!remarksOn(jobOf({ Plain, { 50, 0, 30 } })).contains(QStringLiteral("differences")));
}

/// The table of operations has them as recorded, and another one took longest in it.
void LateCauseTest::theMeasureOfOperationsIsSaid()
{
    OpTypeSlowdown forward;
    forward.name = "forward";
    forward.ns = 60 * Ms;
    forward.othersNs = 20 * Ms;
    StragglerReport report;
    report.isWorkRecorded = report.isWithoutOverlap = true;
    report.ranks.push_back({ 0, 40 * Ms, 60 * Ms, 80 * Ms, { { WorkKind::Host, 40 * Ms } }, {} });
    report.ranks.push_back(
        { 1, 80 * Ms, 60 * Ms, 40 * Ms, { { WorkKind::Host, 80 * Ms, 40 * Ms } }, { forward } });
    const auto causes = lateCauses(report, 1, 40 * Ms, 110 * Ms);
    const IterationWords words(jobOf({ Plain, Plain }), 1);
    QCOMPARE(QString::fromStdString(longText(causes.front(), words)),
             QStringLiteral("its operations take 80.00 ms") + QString::fromStdString(words.per())
                 + QStringLiteral(", without the cost of overlap (rank 0: 40.00 ms). Most of the "
                                  "difference is in forward: 60.00 ms (rank 0: 20.00 ms)"));
    // A headline leaves it to the lines beneath.
    QCOMPARE(QString::fromStdString(shortText(causes.front())),
             QStringLiteral("its forward takes 60.00 ms (rank 0: 20.00 ms)"));
}

/// What both do takes as long.
void LateCauseTest::whatRecordedWorkDoesNotTellIsNotClaimed()
{
    Trace trace = jobOf({ Plain, Plain });
    SliceColumns &slices = trace.slices.back(); // rank 1's backend
    for (std::size_t row = 0; row < slices.size(); ++row) {
        slices.startNs[row] += 20'000'000;
        slices.durationNs[row] -= 20'000'000;
    }
    const QString remarks = remarksOn(trace);
    QVERIFY2(remarks.contains(QStringLiteral("Rank 0 waits for rank 1 (last to 3 of 3 collectives, "
                                             "the only one missing for 20.00 ms per iteration)")),
             qPrintable(remarks));
    QVERIFY2(!remarks.contains(QStringLiteral("because")), qPrintable(remarks));
}

/// "80 ms of each 133 ms" of a rank that costs 37 ms: the others compute while they wait.
void LateCauseTest::waitingThatComputationHidesIsToldApart()
{
    const Diagnosis diagnosis = diagnosed(aheadBesideComputation());
    QCOMPARE(diagnosis.ranks[0].waits.size(), std::size_t { 1 });
    QCOMPARE(diagnosis.ranks[0].waits[0].aloneNs, 30 * Ms); // of 60, backward hides 30
    const auto exposed = exposedLateness(diagnosis.ranks, 1);
    QVERIFY(exposed);
    QCOMPARE(exposed->ns, 30 * Ms);
    QCOMPARE(exposed->rank, 0);
    const QString remarks = remarksOn(aheadBesideComputation());
    QVERIFY2(remarks.contains(QStringLiteral(
                 "the only one missing for 60.00 ms per iteration, 30.00 ms of it hidden by "
                 "computation or transfers)")),
             qPrintable(remarks));
}

/// Threads without an operation of a framework were taken for ones that only poll.
void LateCauseTest::aThreadThatOnlyLaunchesCanBeLate()
{
    const QString remarks = remarksOn(launchingLate());
    QVERIFY2(remarks.contains(
                 QStringLiteral("Rank 1 is late mostly because its host runs no operation for ")),
             qPrintable(remarks));
    QVERIFY2(
        remarks.contains(QStringLiteral(
            ". Most of the difference is between cudaLaunchKernel and cudaLaunchKernel: 69.00 ms "
            "(rank 0: 19.00 ms).")),
        qPrintable(remarks));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(LateCauseTest)
#include "tst_late_cause.moc"
