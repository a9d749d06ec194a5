#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/gradients/horovod_fusion.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <map>
#include <vector>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// "2+0.5, 1+0": parameters of each group and the milliseconds that it waits.
QString groupsText(const std::vector<ReadyTensor> &tensors, std::uint64_t thresholdBytes,
                   std::int64_t cycleNs, double nsPerByte)
{
    QStringList words;
    for (const GradientGroup &group :
         fusedGroups(tensors, { thresholdBytes, cycleNs }, [nsPerByte](std::uint64_t bytes) {
             return nsPerByte * static_cast<double>(bytes);
         }))
        words << QStringLiteral("%1+%2").arg(group.tensorCount).arg(double(group.delayNs) / Ms);
    return words.join(QStringLiteral(", "));
}

} // namespace

class HorovodFusionTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void whatIsReadyInOneCycleIsFused();
    void theBufferIsNotExceeded();
    void whatComesDuringAReductionIsFusedAfterIt();
    void anEmptyIterationHasNoGroup();
    void aShortCycleSendsEachLayerAlone();
    void aLongCycleIsSlower();
    void groupsFollowTheOtherSettings();
    void groupsAreThoseOfTheReplay();
    void oneBufferIsReducedAtATime();
    void compressedGradientsFillTheBufferLater();
    void aDdpJobIsSaidToBecomeAHorovodJob();
    void contradictionsAreRefused();

private:
    LoadedProject m_loaded;
};

void HorovodFusionTest::initTestCase()
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "sample.longpole";
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" }, project, {}, {});
    m_loaded = loadProject(project, {});
}

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
        QStringLiteral("1+0.5, 3+0"));
}

void HorovodFusionTest::anEmptyIterationHasNoGroup()
{
    QCOMPARE(groupsText({}, 100, Ms, 1), QString());
}

void HorovodFusionTest::aShortCycleSendsEachLayerAlone()
{
    const auto reductions = [this](const std::vector<std::string> &words) {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {})
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
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {})
            .predictedNs;
    };
    QVERIFY(predicted({ "cycle_time_ms=300" }) > predicted({ "cycle_time_ms=1" }));
}

/// 18 groups of all iterations together were planned whatever else was set: from recorded times
/// and by the recorded link.
void HorovodFusionTest::groupsFollowTheOtherSettings()
{
    const auto groups = [this](std::vector<std::string> words) {
        words.push_back("cycle_time_ms=50");
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {})
            .graph->collectives.size();
    };
    const std::size_t own = groups({});
    const auto iterations = static_cast<std::size_t>(m_loaded.graph->iterationCount);
    QVERIFY2(groups({ "compute_scale=8" }) > 2 * own, "a longer pass has more cycles");
    // All gradients are ready within a cycle.
    QVERIFY(groups({ "compute_scale=0.1" }) <= 2 * iterations);
    QVERIFY(groups({ "compute_scale=0.1" }) < own);
    // What comes during a reduction waits for it.
    QVERIFY(groups({ "compute_scale=8", "bandwidth_scale=0.1" }) < groups({ "compute_scale=8" }));
    QVERIFY(groups({ "compute_scale=8", "latency_us=200000" }) < groups({ "compute_scale=8" }));
    QCOMPARE(groups({ "compute_scale=8", "comm_scale=1" }), groups({ "compute_scale=8" }));
}

/// Of the replay that predicts: a group is taken a cycle after the one before or later, with what
/// was not ready then, and within a cycle of the first that is.
void HorovodFusionTest::groupsAreThoseOfTheReplay()
{
    const Prediction result
        = tests::predict(*m_loaded.trace, m_loaded.graph,
                         parseStrategy({ "cycle_time_ms=50", "compute_scale=8" }), {});
    const Graph &graph = *result.graph;
    std::map<std::int32_t, std::vector<std::int64_t>> readyNs; // by parameter, on all ranks
    for (const GradientStep &step : graph.gradientSteps) {
        std::vector<std::int64_t> &ready = readyNs[step.iteration];
        ready.resize(step.gradients.size());
        for (std::size_t p = 0; p < ready.size(); ++p)
            ready[p] = std::max(ready[p], result.replay->endNs[step.gradients[p].value]);
    }
    constexpr std::int64_t Cycle = 50 * Ms, Near = Cycle / 10;
    std::size_t looked = 0;
    for (const GradientStep &step : graph.gradientSteps)
        for (std::size_t b = 1; b < step.buckets.size(); ++b, ++looked) {
            const auto transferOf = [&](std::size_t bucket) {
                return graph.collectives[step.buckets[bucket].collective].transfer.value;
            };
            const std::int64_t startNs = result.replay->startNs[transferOf(b)];
            const std::int64_t beforeNs = result.replay->startNs[transferOf(b - 1)];
            const std::int64_t firstNs = readyNs[step.iteration][step.buckets[b].firstParameter];
            QVERIFY(startNs >= beforeNs + Cycle - Near);
            QVERIFY(firstNs > beforeNs - Near); // else it had been in the one before
            QVERIFY(startNs
                    <= std::max(firstNs, result.replay->endNs[transferOf(b - 1)]) + Cycle + Near);
        }
    QVERIFY(looked > 0);
}

/// The link serves two all-reduces at once, and two fusion buffers shared it, though Horovod's
/// background thread reduces one and then the next.
void HorovodFusionTest::oneBufferIsReducedAtATime()
{
    const Prediction result
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "cycle_time_ms=5" }), {});
    const Graph &graph = *result.graph;
    std::size_t looked = 0;
    for (const GradientStep &step : graph.gradientSteps) {
        const auto transferOf = [&](std::size_t bucket) {
            return graph.collectives[step.buckets[bucket].collective].transfer.value;
        };
        for (std::size_t b = 1; b < step.buckets.size(); ++b, ++looked)
            QVERIFY(result.replay->startNs[transferOf(b)]
                    >= result.replay->endNs[transferOf(b - 1)]);
    }
    QVERIFY(looked > 0);
}

/// Where a hook compresses gradients, the buffer was planned as if it held all of their bytes.
void HorovodFusionTest::compressedGradientsFillTheBufferLater()
{
    const std::vector<std::string> words
        = { "fusion_threshold_bytes=20000000", "cycle_time_ms=1000" };
    const auto bucketsOf = [&](const std::shared_ptr<const Graph> &graph) {
        const Prediction result = tests::predict(*m_loaded.trace, graph, parseStrategy(words), {});
        return result.graph->gradientSteps.front().buckets.size();
    };
    QVERIFY(bucketsOf(m_loaded.graph) > 1); // 25.6 MB in all
    auto half = std::make_shared<Graph>(*m_loaded.graph);
    for (CollectiveNode &node : half->collectives)
        node.bytes /= 2;
    QCOMPARE(bucketsOf(half), std::size_t { 1 });
}

void HorovodFusionTest::aDdpJobIsSaidToBecomeAHorovodJob()
{
    const auto notes
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "cycle_time_ms=5" }), {})
              .graph->notes;
    QVERIFY(std::any_of(notes.begin(), notes.end(), [](const std::string &note) {
        return note.find(
                   "with Horovod in its place, with a fusion buffer of 128 MiB and a cycle of "
                   "5.000 ms")
            != std::string::npos;
    }));
}

void HorovodFusionTest::contradictionsAreRefused()
{
    QVERIFY_THROWS_EXCEPTION(UsageError, parseStrategy({ "cycle_time_ms=5", "bucket_cap_mb=5" }));
    QVERIFY_THROWS_EXCEPTION(UsageError,
                             parseStrategy({ "fusion_threshold_bytes=5", "schedule=p3" }));
    Graph graph = *m_loaded.graph;
    graph.gradientSteps.clear();
    QVERIFY_THROWS_EXCEPTION(Error,
                             tests::predict(*m_loaded.trace,
                                            std::make_shared<const Graph>(std::move(graph)),
                                            parseStrategy({ "cycle_time_ms=5" }), {}));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HorovodFusionTest)
#include "tst_horovod_fusion.moc"
