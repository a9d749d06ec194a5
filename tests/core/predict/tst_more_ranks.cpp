#include "core/fit/links/link_models.h"
#include "core/fit/links/measured_graph.h"
#include "core/predict/more_ranks.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// A collective of ranks that come at these times.
CollectiveNode arrivals(std::int64_t iteration, const std::vector<std::int64_t> &startsNs)
{
    CollectiveNode node;
    node.name = "all_reduce";
    node.iteration = iteration;
    for (std::size_t i = 0; i < startsNs.size(); ++i)
        node.parts.push_back(
            { WorkerId(static_cast<std::uint32_t>(i)), NoSlice, startsNs[i], startsNs[i], NoOp });
    return node;
}

} // namespace

class TestMoreRanks : public QObject
{
    Q_OBJECT

private slots:
    void ranksWithoutARecordingAreInTheGraph_data()
    {
        QTest::addColumn<QString>("size"); // of the group, as the calls state it
        QTest::addColumn<int>("worldSize");
        QTest::addColumn<int>("others"); // recorded ranks that take no part
        QTest::addColumn<int>("ranks");
        QTest::newRow("nothing is stated") << QString() << 0 << 0 << 2;
        QTest::newRow("the job's") << QString() << 4 << 0 << 4;
        QTest::newRow("the group's") << QStringLiteral(" size=2") << 4 << 0 << 2;
        QTest::newRow("the group's alone") << QStringLiteral(" size=8") << 0 << 0 << 8;
        QTest::newRow("one of several groups") << QString() << 4 << 1 << 2;
    }

    void ranksWithoutARecordingAreInTheGraph()
    {
        QFETCH(const QString, size);
        QFETCH(const int, worldSize);
        QFETCH(const int, others);
        QFETCH(const int, ranks);
        std::string text;
        for (int rank = 0; rank < 2 + others; ++rank) {
            text += "rank " + std::to_string(rank)
                + "\niteration 0 0 100\nthread main\nforward 0 60\n";
            if (rank < 2)
                text += "comm gloo\ngloo:all_reduce 60 40 kind=all_reduce bytes=1000"
                    + size.toStdString() + "\n";
        }
        Trace trace = tests::traceFromText(text);
        for (Worker &worker : trace.workers)
            if (worldSize > 0)
                worker.worldSize = worldSize;
        const Graph graph = measuredGraph(trace, {});
        QCOMPARE(graph.collectives.size(), std::size_t { 1 });
        QCOMPARE(graph.collectives.front().rankCount(), static_cast<std::size_t>(ranks));
        const LinkModels links = fitLinks(graph, trace);
        QCOMPARE(links.begin()->second.betaNsPerByte,
                 40'000 / wireBytes("all_reduce", 1000, static_cast<std::size_t>(ranks)));
    }

    void theRecordedRanksStandForOthers()
    {
        const auto text = [](double ranks, std::size_t recorded) {
            Strategy settings;
            settings.set({ "world_size", static_cast<double>(ranks) });
            return standInText(settings, recorded);
        };
        QCOMPARE(standInText({}, 4), std::string());
        QCOMPARE(text(4, 4), std::string());
        QCOMPARE(text(8, 4),
                 std::string("The 4 recorded ranks are shown and stand for all 8: their transfers "
                             "are as between so many."));
        QCOMPARE(text(2, 4),
                 std::string("The 4 recorded ranks are shown, with transfers as between 2 "
                             "ranks."));
        QCOMPARE(text(1, 2),
                 std::string("The 2 recorded ranks are shown, each as if it were alone."));
    }

    void theLargestOfManyIsLarger()
    {
        QCOMPARE(expectedLargest(1), 0.0);
        // Tables of normal order statistics (Harter 1961): 0.564, 1.029, 1.539, 2.508.
        QVERIFY(qAbs(expectedLargest(2) - 0.564) < 0.03);
        QVERIFY(qAbs(expectedLargest(4) - 1.029) < 0.03);
        QVERIFY(qAbs(expectedLargest(10) - 1.539) < 0.03);
        QVERIFY(qAbs(expectedLargest(100) - 2.508) < 0.03);
    }

    void moreRanksWaitLonger()
    {
        Graph graph;
        QCOMPARE(longerWaitNs(graph, 64), 0.0);
        // Standard deviation 100; the earlier collective of the iteration is tighter.
        graph.collectives = { arrivals(0, { 0, 1, 2 }), arrivals(0, { 1000, 1100, 1200 }),
                              arrivals(1, { 5200, 5000, 5100 }) };
        QVERIFY(qAbs(longerWaitNs(graph, 64) - 100 * (expectedLargest(64) - expectedLargest(3)))
                < 1e-6);
        QCOMPARE(longerWaitNs(graph, 3), 0.0);
        QVERIFY(longerWaitNs(graph, 2) < 0);
        // A kernel of sends and receives waits for all of its ranks; a message for its other end.
        for (CollectiveNode &node : graph.collectives)
            node.name = MessageKind;
        QCOMPARE(longerWaitNs(graph, 3), 0.0);
        QVERIFY(longerWaitNs(graph, 64) > 0);
        graph.collectives.push_back(arrivals(1, { 0, 9000 }));
        graph.collectives.back().isMessage = true;
        QVERIFY(qAbs(longerWaitNs(graph, 64) - 100 * (expectedLargest(64) - expectedLargest(3)))
                < 1e-6);
        // Those without a recording are there already.
        for (CollectiveNode &node : graph.collectives)
            node.statedRanks = 64;
        QCOMPARE(longerWaitNs(graph, 64), 0.0);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestMoreRanks)
#include "tst_more_ranks.moc"
