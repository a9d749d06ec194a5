#include "core/graph/build_graph.h"
#include "core/scenario/interference.h"
#include "core/scenario/iteration_time.h"
#include "core/scenario/link_model.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <cmath>
#include <string>

using namespace core;

namespace {

std::string rankWithOverlap(int rank)
{
    // Each iteration: four backward ops of about 10 ms alone, then four that take about 12 ms while
    // the link carries 10 MB in 48 ms.
    std::string text = "rank " + std::to_string(rank) + "\n";
    std::string comm = "comm gloo\n";
    std::string ops = "thread main\n";
    for (int i = 0; i < 3; ++i) {
        const int start = i * 100'000;
        text += "iteration " + std::to_string(i) + " " + std::to_string(start) + " 100000\n";
        int at = start;
        for (int op = 0; op < 8; ++op) {
            const int duration = (op < 4 ? 10'000 : 12'000) + (op % 2 ? 100 : -100);
            ops += "aten::mm " + std::to_string(at) + " " + std::to_string(duration)
                + " phase=backward bytes=64\n";
            at += duration;
        }
        comm += "gloo:all_reduce " + std::to_string(start + 40'000)
            + " 48000 kind=all_reduce bytes=10000000\n";
    }
    return text + ops + comm;
}

} // namespace

/// What a CPU backend's transfers cost the computation beside them.
class TestInterference : public QObject
{
    Q_OBJECT

private slots:
    void opsThatSlowDownUnderTrafficGiveACost();
    void theSlowdownIsThatOfAllOverlappedComputation();
    void replayWithInterferenceReproducesTheIteration();
};

void TestInterference::opsThatSlowDownUnderTrafficGiveACost()
{
    const Trace trace = tests::traceFromText(rankWithOverlap(0) + rankWithOverlap(1));
    const Graph graph = buildGraph(trace, {});
    const LinkModels links = fitLinks(graph, trace);
    QCOMPARE(links.size(), 1U);
    const auto &[key, model] = *links.begin();
    const Interference found = estimateInterference(graph, trace, key.link, model);
    QCOMPARE(found.samples, 48U); // eight ops in three iterations of two ranks
    // 12 ms instead of 10 while 10 MB go in 48 ms: ln(1.2) / (10e6 / 48e6) = 0.875 ns a byte.
    QVERIFY2(std::abs(found.costNsPerByte - 0.875) < 0.01,
             std::to_string(found.costNsPerByte).c_str());
    const Graph ready = withInterference(graph, trace, links);
    QVERIFY(std::abs(ready.slowdown - 1.2) < 0.01);
    for (std::size_t i = 0; i < ready.size(); ++i)
        if (ready.stretchShare[i] > 0)
            QVERIFY(std::abs(ready.durationNs[i] - 10'000'000) < 250'000);
}

/// "runs 90 % slower" was told where hardly any of the overlapped computation slows down at all.
void TestInterference::theSlowdownIsThatOfAllOverlappedComputation()
{
    const Trace trace = tests::traceFromText(rankWithOverlap(0) + rankWithOverlap(1));
    const Graph graph = buildGraph(trace, {});
    Graph ready = withInterference(graph, trace, fitLinks(graph, trace));
    QVERIFY(ready.slowdown > 1.19);
    const double ofAll = overlapSlowdown(graph, ready);
    QVERIFY2(ofAll > 0.01 && ofAll <= ready.slowdown - 1, std::to_string(ofAll).c_str());
    // 10 of 11 parts of it do not slow down, as an interpreter's sleep: the longer part shrinks so.
    for (float &share : ready.stretchShare)
        share /= 11;
    const double ofLittle = overlapSlowdown(graph, ready);
    QVERIFY2(ofLittle > 0 && ofLittle < ofAll / 9, std::to_string(ofLittle).c_str());
    QCOMPARE(overlapSlowdown(graph, graph), 0.0);
}

void TestInterference::replayWithInterferenceReproducesTheIteration()
{
    const Trace trace = tests::traceFromText(rankWithOverlap(0) + rankWithOverlap(1));
    const Graph graph = buildGraph(trace, {});
    const Graph ready = withInterference(graph, trace, fitLinks(graph, trace));
    QVERIFY(ready.interferingLink.has_value());
    const std::int64_t ns = slowestRankNs(ready, replay(ready, {}), { 0, 0 });
    const std::int64_t measuredNs = measuredIterations(trace).front().value_or(0);
    QVERIFY2(std::abs(ns - measuredNs) * 50 <= measuredNs, std::to_string(ns).c_str());
}

QTEST_GUILESS_MAIN(TestInterference)
#include "tst_interference.moc"
