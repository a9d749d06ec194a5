#include "core/commands/text/prediction_text.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <sstream>

using namespace core;

namespace {

/// Four ranks, each with a network that is busy for 6, 7, 8, 9 ms of 10, and with a server's thread
/// that is busy for 1 us.
Prediction fourRanks()
{
    Prediction result;
    result.scheduling = { 0.5, 0.54 };
    auto graph = std::make_shared<Graph>();
    graph->iterationCount = 1;
    graph->collectives.resize(1);
    result.graph = graph;
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

QString schedulingText(const Prediction &result, const ChangeObstacles &obstacles = {})
{
    std::ostringstream out;
    printScheduling(result, obstacles, out);
    return QString::fromStdString(out.str());
}

} // namespace

class PredictionTextTest : public QObject
{
    Q_OBJECT

private slots:
    void theBusiestDevicesAreByRank();
    void aSingleDeviceIsNotLeftOut();
    void timesAreOfAnIteration();
    void adviceIsGivenOnlyWhereItCanGain();
    void onlySettingsThatTheTraceSupportsAreAdvised();
    void iterationsThatAreLeftOutAreTold();
    void meansAreOfRanksThatHaveAStep();
    void efficiencyIsExplained();
    void linksThatAreNotKnownHaveAReason();
};

/// The lines of links, and the naive prediction, were left out without a word.
void PredictionTextTest::linksThatAreNotKnownHaveAReason()
{
    Prediction result;
    ChangeObstacles obstacles;
    obstacles.emplace_back("bandwidth_scale", "it holds no collective.");
    QVERIFY(noLinksText(result, obstacles).ends_with(": it holds no collective.\n"));
    result.links.emplace_back();
    QCOMPARE(noLinksText(result, obstacles), std::string());
}

/// "mean of 2 ranks" where one of them had nothing in its step.
void PredictionTextTest::meansAreOfRanksThatHaveAStep()
{
    Prediction result;
    const std::string first = "rank 0\niteration 0 0 100\nthread main\nforward 0 40\n";
    result.graph = std::make_shared<Graph>(
        measuredGraph(tests::traceFromText(first + "rank 1\niteration 0 0 100\n"), {}));
    QCOMPARE(meanText(result), std::string("mean of 1 iteration, 1 of 2 ranks"));
    result.graph = std::make_shared<Graph>(measuredGraph(
        tests::traceFromText(first + "rank 1\niteration 0 0 100\nthread main\nforward 0 40\n"),
        {}));
    QCOMPARE(meanText(result), std::string("mean of 1 iteration, 2 ranks"));
    result.hasIterations = false;
    QCOMPARE(meanText(result), std::string("mean of 2 ranks"));
}

void PredictionTextTest::efficiencyIsExplained()
{
    const QString text = schedulingText(fourRanks());
    QVERIFY(text.startsWith(QLatin1String("Scheduling efficiency 50 %: ")));
    // L (1 + 0.54 * 0.5) as it is, L at best.
    QVERIFY(text.contains(QLatin1String("at most 21 % less time")));
    QVERIFY(text.contains(QLatin1String("Try other orders")));
    // Four lines that explain it stood after every replay.
    QVERIFY(text.section(QLatin1Char('\n'), 0, 0).size() < 240);
    QVERIFY(QLatin1String(schedulingHelp()).contains(QLatin1String("busiest device is never ")));
}

void PredictionTextTest::iterationsThatAreLeftOutAreTold()
{
    Prediction result;
    auto graph = std::make_shared<Graph>();
    graph->iterationCount = 6;
    result.graph = graph;
    result.iterations.resize(2);
    QCOMPARE(warmUpText(result), std::string());
    result.iterations[1].warmUp = 1;
    QVERIFY(warmUpText(result).starts_with("The first of 6 replayed iterations "));
    // "mean of 6 iterations" stood above the predicted mean of five, too.
    QCOMPARE(meanText(result),
             std::string("mean of 6 iterations (predicted: the last 5), 0 ranks"));
}

/// Ranks' devices filled the screen, sixteen rows of them, and were then cut without a word.
void PredictionTextTest::theBusiestDevicesAreByRank()
{
    const QString text = schedulingText(fourRanks());
    const QStringList lines = text.split(QLatin1Char('\n'), Qt::SkipEmptyParts);
    QCOMPARE(lines.size(), 1 + 1 + 5 + 1); // sentence, header, devices, what is left out
    for (int rank = 0; rank < 4; ++rank) {
        const QString &line = lines[2 + rank + (rank > 0 ? 1 : 0)];
        QVERIFY2(line.startsWith(QString::number(rank)), qPrintable(line));
        QVERIFY2(line.contains(QStringLiteral("%1 % of").arg(60 + 10 * rank)), qPrintable(line));
    }
    QVERIFY(lines[3].contains(QLatin1String("updates")));
    QCOMPARE(lines.back(), QStringLiteral("... and 3 more (--json lists all)"));
}

/// "... and 1 more" took the row of that one.
void PredictionTextTest::aSingleDeviceIsNotLeftOut()
{
    Prediction result = fourRanks();
    result.rankScheduling.pop_back();
    const QString text = schedulingText(result);
    QCOMPARE(text.count(QLatin1Char('\n')), 1 + 1 + 6);
    QVERIFY2(!text.contains(QStringLiteral("more (--json")), qPrintable(text));
}

/// Sums over all iterations had no unit.
void PredictionTextTest::timesAreOfAnIteration()
{
    Prediction result = fourRanks();
    for (RankEfficiency &rank : result.rankScheduling)
        rank.iterations = 4; // that count
    const QString text = schedulingText(result);
    QVERIFY(text.contains(QLatin1String("busy per replayed iteration")));
    QVERIFY(text.contains(QLatin1String("2.250 ms")) && !text.contains(QLatin1String("9.000 ms")));
    QVERIFY(text.contains(QLatin1String("90 % of 2.500 ms")));
}

/// It was given at 99 %, too, and "94 % faster" beside 97 % was by comparison with the worst order.
void PredictionTextTest::adviceIsGivenOnlyWhereItCanGain()
{
    Prediction good = fourRanks();
    good.scheduling = { 0.97, 0.94 };
    const QString text = schedulingText(good);
    QVERIFY2(text.contains(QLatin1String("at most 2.7 % less time")), qPrintable(text));
    QVERIFY(!text.contains(QLatin1String("Try other orders")));
    QVERIFY(!text.contains(QLatin1String("faster than")) && !text.contains(QLatin1String("times")));
    good.scheduling = { 0.97, 7 }; // many ranks side by side: 1 / 1.21 of the time
    QVERIFY(schedulingText(good).contains(QLatin1String("at most 17 % less time")));
    QVERIFY(schedulingText(good).contains(QLatin1String("Try other orders")));
    // Schedules and buckets are of what is sent: a job of one rank was advised to try them.
    good.graph = std::make_shared<Graph>();
    QVERIFY(schedulingText(good).contains(QLatin1String("at most 17 % less time")));
    QVERIFY(!schedulingText(good).contains(QLatin1String("Try other orders")));
}

/// Jobs with a parameter server were told to try both, and longpole replay refuses both there.
void PredictionTextTest::onlySettingsThatTheTraceSupportsAreAdvised()
{
    ChangeObstacles obstacles { { "schedule", "nothing ties gradients to the forward pass." } };
    QVERIFY(schedulingText(fourRanks(), obstacles)
                .contains(QLatin1String("other orders with bucket_cap_mb.")));
    obstacles.emplace_back("bucket_cap_mb", "there are no all-reduced buckets.");
    QVERIFY(!schedulingText(fourRanks(), obstacles).contains(QLatin1String("Try other orders")));
    obstacles.erase(obstacles.begin());
    QVERIFY(schedulingText(fourRanks(), obstacles)
                .contains(QLatin1String("other orders with schedule.")));
    QVERIFY(schedulingText(fourRanks())
                .contains(QLatin1String("other orders with schedule or bucket_cap_mb.")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(PredictionTextTest)
#include "tst_prediction_text.moc"
