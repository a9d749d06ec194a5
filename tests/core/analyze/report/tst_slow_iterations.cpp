#include "core/analyze/bottlenecks/bottleneck_words.h"
#include "core/analyze/bottlenecks/bottlenecks.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/report/slow_iterations.h"
#include "core/fit/links/measured_graph.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"

#include <QtTest>

#include <nlohmann/json.hpp>

#include <set>

using namespace core;
using namespace tests;

namespace {

/// Two ranks, eight iterations of 100 ms: 60 ms of forward, an all-reduce of 10 ms and an update.
/// In the iterations `slow` rank 1, or each, does `what` before, for 400 ms.
Trace jobPausing(const std::set<int> &slow, const std::string &what, bool isOnBoth = false)
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        std::string steps, host = "thread main\n", backend = "comm gloo\n";
        const auto add = [](std::string &to, const std::string &name, int atMs, int ms,
                            const std::string &rest) {
            to += name + " " + std::to_string(atMs * 1000) + " " + std::to_string(ms * 1000) + " "
                + rest + "\n";
        };
        int beginMs = 0;
        for (int i = 0; i < 8; ++i) {
            const int pauseMs = slow.contains(i) ? 400 : 0;
            const int ownPauseMs = isOnBoth || rank == 1 ? pauseMs : 0;
            add(steps, "iteration " + std::to_string(i), beginMs, 100 + pauseMs, "");
            if (ownPauseMs > 0 && !what.empty())
                add(host, what, beginMs, ownPauseMs, "");
            const int readyMs = beginMs + ownPauseMs + 60;
            add(host, "forward", beginMs + ownPauseMs, 60, "");
            add(host, "c10d::allreduce_", readyMs, 0, "");
            add(backend, "gloo:all_reduce", readyMs, beginMs + pauseMs + 70 - readyMs,
                "kind=all_reduce bytes=1000000");
            add(host, "update", beginMs + pauseMs + 70, 30, "");
            beginMs += 100 + pauseMs;
        }
        text += "rank " + std::to_string(rank) + "\n" + steps + host + backend;
    }
    return traceFromText(text);
}

} // namespace

class SlowIterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void rareSlowIterationsComeFirstWithTheirCause();
    void aPauseWithoutAnOperationIsSuch();
    void aRankIsNamedOnlyWhereItStandsOut();
    void theyAreRankedByWhatTheMeanIterationLoses();
    void aGainThatIsLargerComesFirst();
    void slowIterationsThatAreTheRuleAreNotRare();
};

/// The headline was about 1.2 % of communication, and half of all time was lost in two iterations.
void SlowIterationsTest::rareSlowIterationsComeFirstWithTheirCause()
{
    const Diagnosis diagnosis = diagnosed(jobPausing({ 2, 5 }, "aten::save"));
    QVERIFY(diagnosis.iterationGroups);
    const QString verdict = QString::fromStdString(verdictText(diagnosis));
    QVERIFY2(verdict.startsWith(QStringLiteral(
                 "2 of 8 iterations take 400.0 ms longer than the others. The other "
                 "ranks wait for rank 1 for 400.0 ms in each of them, as its aten::save takes "
                 "400.0 ms (in the other iterations: 0 ns). In the others: ")),
             qPrintable(verdict));
    QVERIFY(diagnosis.slowIterationsCause);
    QCOMPARE(diagnosis.slowIterationsCause->rank, 1);
    QCOMPARE(diagnosis.slowIterationsCause->lateNs, 400 * Ms);
}

/// "Look at rank 3, as its cudaFree takes 141.6 ms": so did that of all others.
void SlowIterationsTest::aRankIsNamedOnlyWhereItStandsOut()
{
    const Diagnosis diagnosis = diagnosed(jobPausing({ 2, 5 }, "aten::save", true));
    QVERIFY(diagnosis.slowIterationsCause);
    QVERIFY(!diagnosis.slowIterationsCause->isOfOneRank);
    const QString verdict = QString::fromStdString(verdictText(diagnosis));
    QVERIFY2(verdict.contains(QStringLiteral("Most ranks are slow in them: on rank ")),
             qPrintable(verdict));
    QVERIFY2(verdict.contains(QStringLiteral(" its aten::save takes 400.0 ms (")),
             qPrintable(verdict));
    QVERIFY(!verdict.contains(QStringLiteral("ook at rank")));
    QVERIFY(diagnosis.bottlenecks.front().advice.starts_with("Look at what all ranks do only in "));
    QVERIFY(diagnosed(jobPausing({ 2, 5 }, "aten::save")).slowIterationsCause->isOfOneRank);
}

void SlowIterationsTest::aPauseWithoutAnOperationIsSuch()
{
    const QString verdict
        = QString::fromStdString(verdictText(diagnosed(jobPausing({ 2, 5 }, {}))));
    QVERIFY2(verdict.contains(QStringLiteral("wait for rank 1 for 400.0 ms in each of them, as no "
                                             "operation runs on it ")),
             qPrintable(verdict));
}

/// The cause stood in the headline only; the list and the JSON began with 1.2 % of communication.
void SlowIterationsTest::theyAreRankedByWhatTheMeanIterationLoses()
{
    const Diagnosis diagnosis = diagnosed(jobPausing({ 2, 5 }, "aten::save"));
    const Bottleneck &first = diagnosis.bottlenecks.front();
    QCOMPARE(first.kind, std::string("slow-iterations"));
    QCOMPARE(first.gainNs, 100 * Ms); // 2 of 8 take 400 ms longer
    QCOMPARE(first.gainFraction, 0.5); // of 200 ms
    QCOMPARE(first.title, std::string("2 of 8 iterations are slow"));
    QVERIFY2(first.reason.find("its aten::save takes 400.0 ms (") != std::string::npos,
             first.reason.c_str());
    QCOMPARE(first.range.durationNs(), 500 * Ms); // where to look
    QVERIFY(first.strategy.isEmpty()); // no setting of the replay removes it
    const Graph &graph = *diagnosis.selfReplay.graph;
    const auto selected = std::find(graph.slice.begin(), graph.slice.end(), first.slice);
    QVERIFY(first.slice != NoSlice && selected != graph.slice.end());
    const auto op = static_cast<std::size_t>(selected - graph.slice.begin());
    QCOMPARE(graph.names[graph.name[op].value], std::string("aten::save"));
    QVERIFY(first.range.contains(graph.measuredStartNs[op]));
    for (std::size_t i = 1; i < diagnosis.bottlenecks.size(); ++i)
        QVERIFY(diagnosis.bottlenecks[i].kind != first.kind);
    const nlohmann::ordered_json cause = toJson(diagnosis)["iteration_groups"]["cause"];
    QCOMPARE(cause["rank"].get<int>(), 1);
    QCOMPARE(cause["late_ns"].get<std::int64_t>(), 400 * Ms);
    QVERIFY(cause["why"].get<std::string>().starts_with("its aten::save takes 400.0 ms"));
    QCOMPARE(rareSlowIterationsLossNs(std::nullopt), 0);
    const Diagnosis rule = diagnosed(jobPausing({ 0, 1, 2, 4, 5, 6 }, "aten::save"));
    for (const Bottleneck &bottleneck : rule.bottlenecks)
        QVERIFY(bottleneck.kind != first.kind);
}

void SlowIterationsTest::aGainThatIsLargerComesFirst()
{
    const Trace trace = jobPausing({ 2, 5 }, "aten::save");
    const auto graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    const Diagnosis diagnosis = diagnose(trace, graph, {});
    Predictor predictor = *diagnosis.predictor;
    const auto isFirst = [&](std::int64_t otherGainNs) {
        std::vector<Bottleneck> found { diagnosis.bottlenecks.front(), {} }; // loses 100 ms
        found[1].gainNs = otherGainNs;
        return verdictOf({ trace, graph, predictor, diagnosis }, found)
            .sentence.starts_with("2 of 8 iterations take ");
    };
    QVERIFY(isFirst(99 * Ms));
    QVERIFY(!isFirst(100 * Ms));
}

void SlowIterationsTest::slowIterationsThatAreTheRuleAreNotRare()
{
    const Diagnosis diagnosis = diagnosed(jobPausing({ 0, 1, 2, 4, 5, 6 }, "aten::save"));
    QVERIFY(diagnosis.iterationGroups);
    QVERIFY2(diagnosis.verdict.find("iterations are slow") == std::string::npos,
             diagnosis.verdict.c_str());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlowIterationsTest)
#include "tst_slow_iterations.moc"
