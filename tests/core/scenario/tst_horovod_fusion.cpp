#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/scenario/horovod_fusion.h"
#include "core/scenario/scenario.h"

#include <QTemporaryDir>
#include <QTest>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// "2+0.5, 1+0": parameters of each group and the milliseconds that it waits.
QString groupsText(const std::vector<ReadyTensor> &tensors, std::uint64_t thresholdBytes,
                   std::int64_t cycleNs, double nsPerByte)
{
    QStringList words;
    for (const ReductionGroup &group :
         fusedGroups(tensors, { thresholdBytes, cycleNs }, [nsPerByte](std::uint64_t bytes) {
             return nsPerByte * static_cast<double>(bytes);
         }))
        words << QStringLiteral("%1+%2").arg(group.parameterCount).arg(double(group.delayNs) / Ms);
    return words.join(QStringLiteral(", "));
}

} // namespace

class HorovodFusionTest : public QObject
{
    Q_OBJECT

private slots:
    void whatIsReadyInOneCycleIsFused();
    void theBufferIsNotExceeded();
    void whatComesDuringAReductionIsFusedAfterIt();
    void anEmptyIterationHasNoGroup();
    void aShortCycleSendsEachLayerAlone();
    void aLongCycleIsSlower();
    void contradictionsAreRefused();

private:
    LoadedProject m_loaded;
};

void HorovodFusionTest::whatIsReadyInOneCycleIsFused()
{
    // Looked for at 0.5, 1.5, ... ms.
    QCOMPARE(groupsText({ { 0, 10 }, { Ms / 4, 10 }, { Ms, 10 }, { 7 * Ms, 10 } }, 1000, Ms, 0),
             QStringLiteral("2+0.25, 1+0.5, 1+0.5"));
}

void HorovodFusionTest::theBufferIsNotExceeded()
{
    // The second buffer waits for the first one to be reduced, not for a cycle.
    QCOMPARE(groupsText({ { 0, 60 }, { 0, 30 }, { 0, 30 }, { 0, 500 } }, 100, Ms, 1),
             QStringLiteral("2+0.5, 1+0, 1+0"));
}

void HorovodFusionTest::whatComesDuringAReductionIsFusedAfterIt()
{
    // The first takes 5 ms; what comes meanwhile is reduced together at 5.5 ms.
    const double nsPerByte = 5e6 / 100;
    QCOMPARE(
        groupsText({ { 0, 100 }, { Ms, 1 }, { 2 * Ms, 1 }, { 5 * Ms, 1 } }, 1000, Ms, nsPerByte),
        QStringLiteral("1+0.5, 3+0.5"));
}

void HorovodFusionTest::anEmptyIterationHasNoGroup()
{
    QCOMPARE(groupsText({}, 100, Ms, 1), QString());
}

void HorovodFusionTest::aShortCycleSendsEachLayerAlone()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
    const auto reductions = [this](const std::vector<std::string> &words) {
        return runScenario(*m_loaded.trace, m_loaded.graph, parseSettings(words), {})
            .graph->collectives.size();
    };
    const std::size_t parameters = m_loaded.graph->gradientSteps.front().parameterBytes.size();
    const auto iterations = static_cast<std::size_t>(m_loaded.graph->iterationCount);
    QVERIFY(reductions({ "fusion_threshold_bytes=1" }) == parameters * iterations);
    QVERIFY(reductions({ "cycle_time_ms=1000" }) == iterations);
}

void HorovodFusionTest::aLongCycleIsSlower()
{
    const auto predicted = [this](const std::vector<std::string> &words) {
        return runScenario(*m_loaded.trace, m_loaded.graph, parseSettings(words), {}).predictedNs;
    };
    QVERIFY(predicted({ "cycle_time_ms=300" }) > predicted({ "cycle_time_ms=1" }));
}

void HorovodFusionTest::contradictionsAreRefused()
{
    QVERIFY_THROWS_EXCEPTION(UsageError, parseSettings({ "cycle_time_ms=5", "bucket_cap_mb=5" }));
    QVERIFY_THROWS_EXCEPTION(UsageError,
                             parseSettings({ "fusion_threshold_bytes=5", "schedule=p3" }));
    Graph graph = *m_loaded.graph;
    graph.gradientSteps.clear();
    QVERIFY_THROWS_EXCEPTION(Error, withHorovodFusion(graph, *m_loaded.trace, {}, {}, {}));
}

QTEST_GUILESS_MAIN(HorovodFusionTest)
#include "tst_horovod_fusion.moc"
