#include "core/graph/build_graph.h"
#include "core/graph/framework/named_kernels.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// One step of a graph executor that tells kernels by their operator's name. `conv` waits for its
/// two kernels; `softmax` returns before its kernel is done.
constexpr const char *Step = R"(
rank 0
iteration 0 0 1000
thread executor
init 0 100
conv 100 500
softmax 600 300
stream 7 gpu=0
conv 200 100
conv 350 150
softmax 700 300
)";

/// "conv host 100": name, place and microseconds of the ops on the replay's critical path.
QString pathText(const Graph &graph)
{
    QStringList words;
    for (const OpId op : criticalPath(graph, replay(graph, {}), graph.iterationEnds.front())) {
        const bool isOnStream = graph.devices[graph.device[op.value].value].isStream;
        if (graph.kind[op.value] != OpKind::Virtual)
            words << QStringLiteral("%1 %2 %3")
                         .arg(QString::fromStdString(graph.names[graph.name[op.value].value]))
                         .arg(isOnStream ? QStringLiteral("GPU") : QStringLiteral("host"))
                         .arg(graph.durationNs[op.value] / 1000);
    }
    return words.join(QStringLiteral(", "));
}

} // namespace

class NamedKernelsTest : public QObject
{
    Q_OBJECT

private slots:
    void kernelsOfOneOperatorAreBusyTogether();
    void anOperatorWaitsForItsKernels();
    void theReplayEndsWithTheLastKernel();
    void runtimeCallsTellMore();
};

void NamedKernelsTest::kernelsOfOneOperatorAreBusyTogether()
{
    const Trace trace = tests::traceFromText(R"(
rank 0
thread executor
conv 0 100
stream 7 gpu=0
conv 10 20
conv 50 10
other 60 10
stream 8 gpu=0
conv 20 20
)");
    const NamedKernels kernels(GraphContext(trace), WorkerId(0));
    const std::vector<TimeRange> expected { { 10'000, 40'000 }, { 50'000, 60'000 } };
    QCOMPARE(kernels.busyTimes(trace.slices[0].name[0]), expected);
    QVERIFY(kernels.busyTimes(trace.slices[1].name[2]).empty()); // no operator has its name
}

void NamedKernelsTest::anOperatorWaitsForItsKernels()
{
    const Graph graph = buildGraph(tests::traceFromText(Step), {});
    QCOMPARE(pathText(graph),
             QStringLiteral("init host 100, conv host 100, conv GPU 100, conv host 50, "
                            "conv GPU 150, conv host 100, softmax host 100, softmax GPU 300"));
}

void NamedKernelsTest::theReplayEndsWithTheLastKernel()
{
    const Graph graph = buildGraph(tests::traceFromText(Step), {});
    QCOMPARE(replay(graph, {}).iterationEndNs.front(), std::int64_t { 1'000'000 });
}

/// Where a runtime call is recorded, a kernel depends on the call with its correlation id alone.
void NamedKernelsTest::runtimeCallsTellMore()
{
    const Trace trace = tests::traceFromText(R"(
rank 0
thread main
conv 0 100
cudaLaunchKernel 5 2 runtime corr=1
stream 7 gpu=0
conv 10 20 kernel corr=1
)");
    QVERIFY(
        NamedKernels(GraphContext(trace), WorkerId(0)).busyTimes(trace.slices[0].name[0]).empty());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NamedKernelsTest)
#include "tst_named_kernels.moc"
