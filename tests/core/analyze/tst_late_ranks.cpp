#include "core/analyze/iterations.h"
#include "core/analyze/late_ranks.h"
#include "core/graph/build_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <array>

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
    return trace;
}

QString linesOf(const Trace &trace)
{
    const auto graph = std::make_shared<const Graph>(buildGraph(trace, {}));
    const Diagnosis diagnosis = diagnose(trace, graph, {});
    QStringList lines;
    for (const std::string &line :
         lateRankLines(trace, diagnosis, { trace, graph->iterationCount }))
        lines << QString::fromStdString(line);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

class LateRanksTest : public QObject
{
    Q_OBJECT

private slots:
    void ranksThatAreLateInTurnAreNamed();
    void aRankIsNotNamedForWhatTheClocksCannotTell();
    void nobodyIsNamedWhereAllComeTogether();
};

/// Ranks 0 and 6 of a tensor-parallel job made the others wait in turn, and nothing told of it.
void LateRanksTest::ranksThatAreLateInTurnAreNamed()
{
    const QString lines = linesOf(jobOf({ { { 40, 20 }, { 20, 40 } } }));
    QVERIFY2(lines.startsWith(QStringLiteral(
                 "Others wait for rank 0 (last to 3 of 6 collectives, the only one missing for "
                 "20.00 ms per iteration), rank 1 (last to 3 of 6 collectives, ")),
             qPrintable(lines));
    QVERIFY2(lines.contains(QStringLiteral("no bottleneck of its own")), qPrintable(lines));
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

void LateRanksTest::nobodyIsNamedWhereAllComeTogether()
{
    QCOMPARE(linesOf(jobOf({ { { 40, 40 }, { 40, 40 } } })), QString());
}

QTEST_GUILESS_MAIN(LateRanksTest)
#include "tst_late_ranks.moc"
