// The edges that frameworks' graphs state by the names of ops (core/graph/named_edges), from the
// files that hold them to the graph that is replayed.

#include "core/pipeline/pipeline.h"
#include "tests/support/generate/generate_dpro.h"
#include "tests/support/golden_text.h"
#include "tests/support/tf_stepstats_sample.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <map>

using namespace core;
namespace fs = std::filesystem;

namespace {

using Files = std::map<std::string, std::string>;

/// "0: relu 40 -> g/S1 60": edges of kind Framework, with the rank and the starts in microseconds
/// since the earliest op.
QString frameworkEdges(const LoadedProject &project)
{
    const Graph &graph = *project.graph;
    const std::int64_t firstNs
        = *std::min_element(graph.measuredStartNs.begin(), graph.measuredStartNs.end());
    const auto text = [&](OpId op) {
        const bool isOnStream = graph.devices[graph.device[op.value].value].isStream;
        return graph.names[graph.name[op.value].value] + (isOnStream ? " (stream) " : " ")
            + std::to_string((graph.measuredStartNs[op.value] - firstNs) / 1000);
    };
    QStringList all;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        const WorkerId worker = graph.worker[i];
        for (const Edge &edge : graph.predecessors(OpId(i)))
            if (edge.kind == EdgeKind::Framework)
                all << QString::fromStdString(
                    std::to_string(project.trace->workers.at(worker.value).rank) + ": "
                    + text(edge.op) + " -> " + text(OpId(i)));
    }
    all.sort();
    return all.join(QLatin1Char('\n'));
}

} // namespace

class FrameworkGraphsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void nodesOfStepStatisticsWaitForTheirInputs();
    void opsOfATimelineWaitForTheirInputs();
    void reductionsWaitForGradientsAndUpdatesForReductions();

private:
    static LoadedProject imported(const Files &files)
    {
        const QTemporaryDir folder;
        const fs::path bundle = fs::path(folder.path().toStdString()) / "bundle";
        for (const auto &[name, text] : files) {
            fs::create_directories((bundle / name).parent_path());
            std::ofstream(bundle / name, std::ios::binary) << text;
        }
        const fs::path project = bundle.parent_path() / "p.longpole";
        importBundle({ bundle }, project, {}, {});
        return loadProject(project, {});
    }
};

/// From what the thread did of dense/MatMul after it had launched the kernel, which began at 15 us.
void FrameworkGraphsTest::nodesOfStepStatisticsWaitForTheirInputs()
{
    QCOMPARE(
        frameworkEdges(imported({ { "run_metadata.pb", tests::tfsample::runMetadata().str() } })),
        QStringLiteral("0: dense/MatMul 10 -> relu 35\n"
                       "0: relu 35 -> g/S1 55"));
}

/// Of the two runs of the matrix product, the later one; model/x and while/Enter are not recorded.
void FrameworkGraphsTest::opsOfATimelineWaitForTheirInputs()
{
    QCOMPARE(frameworkEdges(imported(
                 { { "timeline.json", tests::fileText("tensorflow_timeline/step.json") } })),
             QStringLiteral("0: model/dense/MatMul 40 -> allreduce/g0 70"));
}

/// Of each rank and iteration, whose first op is 100 us after its begin: gradient -> Comm.grad_0 ->
/// update. The forward op and the gradient are on one stream, whose order says it.
void FrameworkGraphsTest::reductionsWaitForGradientsAndUpdatesForReductions()
{
    QStringList expected;
    for (int rank = 0; rank < 4; ++rank)
        for (int i = 0; i < 3; ++i) {
            const auto at = [i](int us) { return QString::number(1000 * i + us - 100); };
            expected << QStringLiteral(
                            "%1: gradients/dense/MatMul_1 (stream) %2 -> ALLREDUCE grad_0 + 1 %3")
                            .arg(QString::number(rank), at(200), at(450));
            expected << QStringLiteral("%1: ALLREDUCE grad_0 + 1 %2 -> Adam/update (stream) %3")
                            .arg(QString::number(rank), at(450), at(800));
        }
    expected.sort();
    QCOMPARE(frameworkEdges(imported(tests::generateDproFolder())),
             expected.join(QLatin1Char('\n')));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(FrameworkGraphsTest)
#include "tst_framework_graphs.moc"
