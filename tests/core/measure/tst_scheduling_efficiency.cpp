#include "core/measure/scheduling_efficiency.h"
#include "core/replay/replay.h"
#include "tests/support/random_graph.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

using namespace core;

class SchedulingEfficiencyTest : public QObject
{
    Q_OBJECT

private slots:
    void itIsTicTacsOnRandomGraphs();
};

/// TicTac section 3.2, T13: 0 <= E <= 1, E = 1 where and only where m = L, and S = U / L - 1.
void SchedulingEfficiencyTest::itIsTicTacsOnRandomGraphs()
{
    std::mt19937 random(1);
    int perfect = 0, others = 0;
    for (int round = 0; round < 500; ++round) {
        Graph graph = tests::randomOrderedGraph(random);
        std::fill(graph.delayNs.begin(), graph.delayNs.end(), 0); // some are work of the host
        const ReplayResult replayed = replay(graph, {});
        std::vector<std::int64_t> loads(graph.devices.size(), 0);
        for (std::size_t op = 0; op < graph.size(); ++op)
            if (graph.kind[op] != OpKind::Virtual)
                loads[graph.device[op].value] += graph.durationNs[op];
        const std::int64_t all = std::accumulate(loads.begin(), loads.end(), std::int64_t { 0 });
        const std::int64_t largest = *std::max_element(loads.begin(), loads.end());
        if (largest == 0)
            continue;
        std::uint32_t lastWorker = 0;
        for (const WorkerId worker : graph.worker)
            lastWorker = std::max(lastWorker, worker.value);
        const std::vector<CountedIterations> counted(
            lastWorker + 1, CountedIterations { { 0, replayed.makespanNs } });
        const SchedulingEfficiency found = schedulingEfficiency(graph, replayed, counted);
        QVERIFY(found.efficiency >= 0 && found.efficiency <= 1);
        const double speedup = static_cast<double>(all) / static_cast<double>(largest) - 1;
        QVERIFY(std::abs(found.speedup - speedup) < 1e-9 * (1 + speedup));
        if (all == largest)
            continue;
        const bool isPerfect = replayed.makespanNs == largest;
        QCOMPARE(found.efficiency == 1, isPerfect);
        perfect += isPerfect ? 1 : 0;
        others += isPerfect ? 0 : 1;
    }
    QVERIFY(perfect > 0 && others > 100);
}

LONGPOLE_TEST(SchedulingEfficiencyTest)
#include "tst_scheduling_efficiency.moc"
