#include "core/commands/scenario_text.h"
#include "core/graph/build_graph.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <sstream>

using namespace core;

namespace {

/// Four ranks, each with a network that is busy for 6, 7, 8, 9 ms of 10, and with a server's thread
/// that is busy for 1 us.
ScenarioResult fourRanks()
{
    ScenarioResult result;
    result.scheduling = { 0.5, 0.54 };
    for (int rank = 0; rank < 4; ++rank) {
        RankEfficiency efficiency;
        efficiency.rank = rank;
        efficiency.makespanNs = 10'000'000;
        efficiency.devices = { { "network", (6 + rank) * 1'000'000, { 0.5, 0.25 } },
                               { "updates", 1'000, { 0.1, 58.14 } } };
        result.rankScheduling.push_back(efficiency);
    }
    return result;
}

QString schedulingText(const ScenarioResult &result)
{
    std::ostringstream out;
    printScheduling(result, out);
    return QString::fromStdString(out.str());
}

} // namespace

class ScenarioTextTest : public QObject
{
    Q_OBJECT

private slots:
    void theBusiestDevicesOfAnyRankComeFirst();
    void timesAreOfAnIteration();
    void largeSpeedupsAreFactors();
    void iterationsThatAreLeftOutAreTold();
    void meansAreOfRanksThatHaveAStep();
    void efficiencyIsExplained();
};

/// "mean of 2 ranks" where one of them had nothing in its step.
void ScenarioTextTest::meansAreOfRanksThatHaveAStep()
{
    ScenarioResult result;
    const std::string first = "rank 0\niteration 0 0 100\nthread main\nforward 0 40\n";
    result.graph = std::make_shared<Graph>(
        buildGraph(tests::traceFromText(first + "rank 1\niteration 0 0 100\n"), {}));
    QCOMPARE(meanText(result), std::string("mean of 1 iteration, 1 of 2 ranks"));
    result.graph = std::make_shared<Graph>(buildGraph(
        tests::traceFromText(first + "rank 1\niteration 0 0 100\nthread main\nforward 0 40\n"),
        {}));
    QCOMPARE(meanText(result), std::string("mean of 1 iteration, 2 ranks"));
    result.hasIterations = false;
    QCOMPARE(meanText(result), std::string("mean of 2 ranks"));
}

void ScenarioTextTest::efficiencyIsExplained()
{
    const QString text = schedulingText(fourRanks());
    QVERIFY(text.startsWith(QLatin1String("scheduling efficiency 50 % (100 %: the busiest device "
                                          "is never idle, so that no other order ")));
    QVERIFY(text.contains(QLatin1String("Far below 100 %, let more overlap: longpole replay ")));
}

void ScenarioTextTest::iterationsThatAreLeftOutAreTold()
{
    ScenarioResult result;
    auto graph = std::make_shared<Graph>();
    graph->iterationCount = 6;
    result.graph = graph;
    result.iterations.resize(2);
    QCOMPARE(warmUpText(result), std::string());
    result.iterations[1].warmUp = 1;
    QVERIFY(warmUpText(result).starts_with("The first of 6 replayed iterations is not like"));
}

/// Ranks' devices filled the screen, sixteen rows of them, and were then cut without a word.
void ScenarioTextTest::theBusiestDevicesOfAnyRankComeFirst()
{
    const QString text = schedulingText(fourRanks());
    const QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 1 + 5 + 1); // sentence, header, devices, what is left out
    QVERIFY(lines[2].startsWith(QLatin1Char('3')) && lines[2].contains(QLatin1String("90 % of")));
    QVERIFY(lines[5].startsWith(QLatin1Char('0')) && lines[5].contains(QLatin1String("60 % of")));
    QCOMPARE(lines.back(), QStringLiteral("... and 3 more (--json lists all)"));
}

/// Sums over all iterations had no unit.
void ScenarioTextTest::timesAreOfAnIteration()
{
    ScenarioResult result = fourRanks();
    auto graph = std::make_shared<Graph>();
    graph->iterationCount = 4;
    result.graph = graph;
    const QString text = schedulingText(result);
    QVERIFY(text.contains(QLatin1String("busy per iteration")));
    QVERIFY(text.contains(QLatin1String("2.250 ms")) && !text.contains(QLatin1String("9.000 ms")));
    QVERIFY(text.contains(QLatin1String("90 % of 2.500 ms")));
}

/// "5814 %".
void ScenarioTextTest::largeSpeedupsAreFactors()
{
    const QString text = schedulingText(fourRanks());
    QVERIFY(text.contains(QLatin1String("59 times as fast")));
    QVERIFY(text.contains(QLatin1String("at most 54 % faster than the worst")));
    ScenarioResult idle = fourRanks(); // it was "627306 times as fast"
    idle.rankScheduling.back().devices.front().scheduling.speedup = 627'305;
    QVERIFY(schedulingText(idle).contains(QLatin1String("over 100 times as fast")));
    ScenarioResult twice = fourRanks();
    twice.scheduling.speedup = 1.33;
    QVERIFY(
        schedulingText(twice).contains(QLatin1String("at most 2.3 times as fast as the worst")));
}

QTEST_GUILESS_MAIN(ScenarioTextTest)
#include "tst_scenario_text.moc"
