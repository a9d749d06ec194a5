#include "core/fit/links/link_use.h"
#include "core/fit/links/node_shape.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

using namespace core;

/// The links' use of real recordings: what is drawn is what was sent.
class TestLinkUseBundles : public QObject
{
    Q_OBJECT

private slots:
    void theIntegralIsWhatWasSent_data();
    void theIntegralIsWhatWasSent();
};

namespace {

/// Bytes on the wire of one rank by link, of transfers that take time.
template <class TakesTime>
std::map<DeviceId, double> sent(const Graph &graph, const Trace &trace, const TakesTime &takesTime)
{
    std::map<DeviceId, double> bytes;
    for (const CollectiveNode &node : graph.collectives)
        if (node.bytes > 0 && takesTime(node))
            bytes[graph.device[node.transfer.value]] += wireBytes(node, node.bytes, trace);
    return bytes;
}

void compare(const std::vector<LinkUse> &uses, const std::map<DeviceId, double> &bytes)
{
    for (const LinkUse &use : uses) {
        for (const UseStep &step : use.steps)
            QVERIFY(step.value >= 0 && (!use.isBusyShare || step.value <= 1));
        QCOMPARE(use.steps.back().value, 0.0);
        QCOMPARE(bytes.contains(use.link), !use.isBusyShare);
        if (!use.isBusyShare)
            QVERIFY(std::abs(integralOf(use.steps) / bytes.at(use.link) - 1) < 1e-6);
    }
}

} // namespace

void TestLinkUseBundles::theIntegralIsWhatWasSent_data()
{
    QTest::addColumn<QString>("bundle");
    QTest::addColumn<QString>("strategy");
    for (const char *bundle :
         { "testbed/emuvgg-w4-500mbit-b25", "real/megatron-tp8",
           "real/torchrec/sst_long_a2a_optimizer", "real/byteps/traces", "horovod/two_ranks.json" })
        QTest::newRow(bundle) << QString::fromLatin1(bundle) << QString();
    QTest::newRow("p3") << QStringLiteral("testbed/emuvgg-w4-500mbit-b25") << QStringLiteral("p3");
}

void TestLinkUseBundles::theIntegralIsWhatWasSent()
{
    QFETCH(const QString, bundle);
    std::filesystem::path input
        = std::filesystem::path(LONGPOLE_SOURCE_DIR) / "tests" / "data" / bundle.toStdString();
    if (!std::filesystem::exists(input)) {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        input = *shared / "data" / bundle.toStdString();
    }
    QFETCH(const QString, strategy);
    const QTemporaryDir folder;
    const std::string path = folder.filePath(QStringLiteral("p.longpole")).toStdString();
    importBundle({ input }, path, {}, {});
    const LoadedProject project = loadProject(path, {});
    const Graph &graph = *project.graph;
    const Trace &trace = *project.trace;
    const std::vector<LinkUse> measured = measuredLinkUse(graph, trace);
    QVERIFY(!measured.empty());
    compare(measured, sent(graph, trace, [&](const CollectiveNode &node) {
                return !measuredTransfer(graph, node).isEmpty();
            }));
    Strategy changes;
    if (!strategy.isEmpty())
        changes.changes.emplace_back("schedule", strategy.toStdString());
    Predictor predictor(trace, project.graph, JobControl());
    const Prediction result = predictor.predict(changes, {});
    QVERIFY(!result.obstacle);
    const auto takesTime = [&](const CollectiveNode &node) {
        const auto lasts = [&](OpId op) {
            return result.replay->endNs[op.value] > result.replay->startNs[op.value];
        };
        return lasts(node.transfer)
            || std::any_of(node.parts.begin(), node.parts.end(), [&](const auto &part) {
                   return std::any_of(part.chunks.begin(), part.chunks.end(), lasts);
               });
    };
    compare(replayedLinkUse(*result.graph, trace, *result.replay, result.timeOriginNs),
            sent(*result.graph, trace, takesTime));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLinkUseBundles)
#include "tst_link_use_bundles.moc"
