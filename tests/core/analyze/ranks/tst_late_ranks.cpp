#include "core/analyze/iterations.h"
#include "core/analyze/ranks/late_ranks.h"
#include "core/fit/links/measured_graph.h"
#include "core/model/compared_iterations.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <algorithm>
#include <array>
#include <utility>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Two ranks, three iterations of 110 ms with two all-reduces of 10 ms each. They compute before
/// the first and before the second, in ms:
Trace jobOf(const std::array<std::array<int, 2>, 2> &computeMs)
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        std::string host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const auto add = [i](std::string &to, const std::string &name, int atMs, int ms,
                                 const std::string &rest) {
                to += name + " " + std::to_string((i * 110 + atMs) * 1000) + " "
                    + std::to_string(ms * 1000) + " " + rest + "\n";
            };
            add(host, "ProfilerStep#" + std::to_string(i), 0, 110, "user_annotation");
            for (std::size_t half = 0; half < 2; ++half) {
                const int beginMs = half == 0 ? 0 : 50;
                const int ms = computeMs[static_cast<std::size_t>(rank)][half];
                add(host, "forward", beginMs, ms, "");
                add(host, "c10d::allreduce_", beginMs + ms, 0, "");
                add(backend, "gloo:all_reduce", beginMs + ms, 50 - ms,
                    "kind=all_reduce bytes=1000000");
            }
            add(host, "update", 100, 10, "");
        }
        text += "rank " + std::to_string(rank) + "\n" + host + backend;
    }
    Trace trace = tests::traceFromText(text);
    trace.iterations = detectIterations(trace);
    trace.compared = comparedIterations(trace);
    return trace;
}

Diagnosis diagnosisOf(const Trace &trace)
{
    return diagnose(trace, std::make_shared<const Graph>(measuredGraph(trace, {})), {});
}

QString linesOf(const Trace &trace, const Diagnosis &diagnosis)
{
    QStringList lines;
    for (const std::string &line :
         lateRankLines(trace, diagnosis, { trace, diagnosis.selfReplay.graph->iterationCount }))
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

QString linesOf(const Trace &trace)
{
    return linesOf(trace, diagnosisOf(trace));
}

} // namespace

class LateRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksThatAreLateInTurnAreNamed();
    void aWhatIfThatCannotTellDismissesNobody();
    void aRankIsNotNamedForWhatTheClocksCannotTell();
    void unsureClocksAreToldOf();
    void whatUnsureClocksHideIsToldOf();
    void nobodyIsNamedWhereAllComeTogether();
};

/// Ranks 0 and 6 of a tensor-parallel job made the others wait in turn, and nothing told of it.
void LateRanksTest::ranksThatAreLateInTurnAreNamed()
{
    const QString lines = linesOf(jobOf({ { { 40, 20 }, { 20, 40 } } }));
    QVERIFY2(lines.startsWith(QStringLiteral(
                 "Rank 1 waits for rank 0 (last to 3 of 6 collectives, the only one missing for "
                 "20.00 ms per iteration), rank 0 for rank 1 (last to 3 of 6 collectives, ")),
             qPrintable(lines));
    QVERIFY2(lines.contains(QStringLiteral("would gain hardly anything")), qPrintable(lines));
    Trace ofThree = jobOf({ { { 40, 20 }, { 20, 40 } } });
    QCOMPARE(waitersText(ofThree, 1), std::string("Rank 0 waits for rank 1"));
    ofThree.workers.push_back(ofThree.workers.back());
    QCOMPARE(waitersText(ofThree, 1), std::string("Others wait for rank 1"));
}

/// A rank that was late by most of each iteration was "no bottleneck", since a job of
/// equal ranks came out slower. Then it was said to be unknown, beside the command to try it.
void LateRanksTest::aWhatIfThatCannotTellDismissesNobody()
{
    const Trace trace = jobOf({ { { 40, 20 }, { 20, 40 } } });
    Diagnosis diagnosis = diagnosisOf(trace);
    diagnosis.stragglers.idealNs = diagnosis.selfReplay.predictedNs * 11 / 10;
    const QString slower = linesOf(trace, diagnosis);
    QVERIFY2(!slower.contains(QStringLiteral("hardly anything")), qPrintable(slower));
    QVERIFY2(slower.contains(QStringLiteral("Equal ranks would not help: the replay predicts ")),
             qPrintable(slower));
    QVERIFY2(!slower.contains(QStringLiteral("ideal_peers")), qPrintable(slower));
    QVERIFY2(!slower.contains(QStringLiteral("is faster elsewhere")), qPrintable(slower));
    const OpTypeSlowdown fastest { "cudaMalloc", 5 * Ms, 9 * Ms, 9 * Ms, WorkKind::Host, {}, {} };
    diagnosis.stragglers.ranks.front().fastest = fastest;
    QVERIFY2(linesOf(trace, diagnosis)
                 .contains(QStringLiteral("Rank 0 is faster elsewhere: its cudaMalloc takes "
                                          "5.000 ms (rank 1: 9.000 ms).")),
             qPrintable(linesOf(trace, diagnosis)));
    diagnosis.stragglers.idealNs = diagnosis.selfReplay.predictedNs;
    diagnosis.stragglers.isWorkRecorded = false;
    const QString unrecorded = linesOf(trace, diagnosis);
    QVERIFY2(unrecorded.contains(QStringLiteral("gain of an earlier rank 0 is not known")),
             qPrintable(unrecorded));
    QVERIFY2(unrecorded.contains(QStringLiteral("between transfers is not recorded")),
             qPrintable(unrecorded));
}

void LateRanksTest::aRankIsNotNamedForWhatTheClocksCannotTell()
{
    Trace trace = jobOf({ { { 40, 40 }, { 40, 20 } } });
    QVERIFY(linesOf(trace).contains(QStringLiteral("rank 0 (last to ")));
    trace.alignment.workers.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        trace.alignment.workers[w].worker = WorkerId(w);
        trace.alignment.workers[w].isKnown = true;
        trace.alignment.workers[w].residualNs = 30 * Ms;
    }
    QCOMPARE(linesOf(trace), QString());
}

/// "align" called the clocks unsure by 22 % of an iteration, and who is late was told as if it were
/// known. Diagnosis told of 3 % and more then, and trust of 25: it is one rule, and told once.
void LateRanksTest::unsureClocksAreToldOf()
{
    Trace trace = jobOf({ { { 40, 40 }, { 40, 20 } } }); // 20 ms late in iterations of 110 ms
    const auto warningAt = [&trace](std::int64_t uncertaintyNs) {
        trace.alignment.workers.resize(2);
        for (std::uint32_t w = 0; w < 2; ++w) {
            trace.alignment.workers[w].worker = WorkerId(w);
            trace.alignment.workers[w].isKnown = true;
            trace.alignment.workers[w].isReference = w == 0;
            trace.alignment.workers[w].uncertaintyNs = uncertaintyNs;
        }
        const Diagnosis diagnosis = diagnosisOf(trace);
        std::vector<std::string> told = diagnosis.rankRemarks;
        const std::vector<std::string> &reasons = diagnosis.selfReplay.trustReasons;
        told.insert(told.end(), reasons.begin(), reasons.end());
        return std::count_if(told.begin(), told.end(), [](const std::string &text) {
            return text.starts_with("The ranks' clocks may differ by up to ");
        });
    };
    QCOMPARE(warningAt(3 * Ms), 0); // 2.7 %
    QCOMPARE(warningAt(4 * Ms), 1); // 3.6 %
    QCOMPARE(warningAt(25 * Ms), 1);
    QCOMPARE(warningAt(50 * Ms), 1);
}

/// A clock's shift was solved to within 61 ms, the slow rank was no longer named, and nothing said
/// that it could not be.
void LateRanksTest::whatUnsureClocksHideIsToldOf()
{
    Trace trace = jobOf({ { { 40, 40 }, { 40, 20 } } }); // 20 ms late in iterations of 110 ms
    const auto told = [&trace](std::int64_t uncertaintyNs) {
        trace.alignment.workers.resize(2);
        for (std::uint32_t w = 0; w < 2; ++w) {
            trace.alignment.workers[w].worker = WorkerId(w);
            trace.alignment.workers[w].isKnown = true;
            trace.alignment.workers[w].isReference = w == 0;
            trace.alignment.workers[w].residualNs = 21 * Ms; // so nobody is seen late
            trace.alignment.workers[w].uncertaintyNs = uncertaintyNs;
        }
        return linesOf(trace);
    };
    QCOMPARE(told(25 * Ms),
             QStringLiteral("No rank is seen late. Lateness below 25 ms cannot be seen."));
    QCOMPARE(told(1 * Ms), QString());
}

void LateRanksTest::nobodyIsNamedWhereAllComeTogether()
{
    QCOMPARE(linesOf(jobOf({ { { 40, 40 }, { 40, 40 } } })), QString());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(LateRanksTest)
#include "tst_late_ranks.moc"
