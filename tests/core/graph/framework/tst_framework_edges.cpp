#include "core/graph/build_graph.h"
#include "core/replay/replay.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// "mm -> relu, ...": the edges of kind Framework, named.
QString frameworkEdges(const Graph &graph)
{
    const auto nameOf = [&graph](OpId op) {
        return QString::fromStdString(graph.names[graph.name[op.value].value]);
    };
    QStringList all;
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        for (const Edge &edge : graph.predecessors(OpId(i))) {
            if (edge.kind == EdgeKind::Framework)
                all << nameOf(edge.op) + QStringLiteral(" -> ") + nameOf(OpId(i));
        }
    }
    all.sort();
    return all.join(QStringLiteral(", "));
}

bool isReplayedAsMeasured(const Graph &graph)
{
    const ReplayResult result = replay(graph, {});
    for (std::uint32_t i = 0; i < graph.size(); ++i) {
        if (graph.slice[i] != NoSlice && result.startNs[i] != graph.measuredStartNs[i])
            return false;
    }
    return true;
}

/// The forward thread makes what the backward thread reads; a view lies between a kernel and its
/// reader on another stream. `%1` and `%2` are the column of node numbers and the start of the
/// reader on stream 20.
constexpr const char *TwoThreads = R"(
rank 0
iteration 0 0 1000
thread main
aten::linear 10 100 %1=2
aten::mm 20 80 %1=3
launchMm 30 10 runtime corr=1
aten::view 120 10 %1=4
aten::relu 140 40 %1=5
launchRelu 150 10 runtime corr=2
thread backward
MmBackward0 300 100 %1=6
aten::bmm 310 80 %1=7
launchBmm 320 10 runtime corr=3
stream 7 gpu=0
gemm 60 300 kernel corr=1
stream 20 gpu=0
relu %2 10 kernel corr=2
bmm 700 10 kernel corr=3
reads 4 3
reads 5 4
reads 6 5
reads 7 5
reads 7 99
within 3 2
within 7 6
)";

Trace trace(const char *numbers, const char *reluStart)
{
    return tests::traceFromText(
        QString::fromLatin1(TwoThreads)
            .arg(QString::fromLatin1(numbers), QString::fromLatin1(reluStart))
            .toStdString());
}

} // namespace

class FrameworkEdgesTest : public QObject
{
    Q_OBJECT

private slots:
    void readersBeginAfterWritersOnOtherThreadsAndStreams()
    {
        const Graph graph = buildGraph(trace("node", "400"), {});
        // Thread: what the reader (bmm, not MmBackward0 around it) does first. Stream: through the
        // view, which launches nothing.
        QCOMPARE(frameworkEdges(graph), QStringLiteral("gemm -> relu, launchRelu -> launchBmm"));
        QVERIFY(isReplayedAsMeasured(graph));
        QCOMPARE(graph.notes.front(),
                 std::string("4 of 5 data dependencies of the framework's own graph are between "
                             "recorded ops; 2 of their edges are not implied by the order of "
                             "threads and streams."));
    }

    /// The execution trace of another model was joined without a word.
    void aGraphWithOtherNamesIsNotJoined_data()
    {
        QTest::addColumn<QByteArray>("names");
        QTest::addColumn<bool>("isJoined");
        QTest::newRow("the same") << QByteArray("2 aten::linear\n3 aten::mm\n4 aten::view\n"
                                                "5 aten::relu\n99 aten::absent\n")
                                  << true;
        QTest::newRow("half of them") << QByteArray("2 aten::linear\n3 aten::mm\n4 x\n5 y\n")
                                      << true; // wrappers may have names of their own
        QTest::newRow("others") << QByteArray("2 aten::linear\n3 aten::conv2d\n4 a b\n5 c\n")
                                << false;
        QTest::newRow("too few") << QByteArray("2 a\n3 b\n4 c\n") << true;
        QTest::newRow("damaged") << QByteArray("x y\n2\n\n-3 a") << true;
    }
    void aGraphWithOtherNamesIsNotJoined()
    {
        QFETCH(const QByteArray, names);
        QFETCH(const bool, isJoined);
        Trace others = trace("node", "400");
        others.workers[0].files = { "kineto.json", "et.json" };
        others.metadata = { { "et.json#op_names", names.toStdString() },
                            { "of_another_rank.json#op_names", "2 a\n3 b\n4 c\n5 d\n" } };
        const Graph graph = buildGraph(others, {});
        QCOMPARE(frameworkEdges(graph).isEmpty(), !isJoined);
        const std::string note = "The execution trace of rank 0 is of another program or run than "
                                 "its timeline, and is not joined to it: of 4 ops of equal number "
                                 "1 have the same name ('aten::conv2d' there is 'aten::mm' here).";
        QCOMPARE(graph.notes.front().starts_with(note), !isJoined);
    }

    void whatTheRecordedTimesContradictIsLeftOut()
    {
        const Graph graph = buildGraph(trace("node", "200"), {});
        QCOMPARE(frameworkEdges(graph), QStringLiteral("launchRelu -> launchBmm"));
        QVERIFY(graph.notes.back().starts_with("1 data dependencies"));
        QVERIFY(isReplayedAsMeasured(graph));
    }

    void numbersOfAnotherCounterAreNotTakenForNodes()
    {
        // Too few nested ops to tell by which number the two counters differ.
        const Graph graph = buildGraph(trace("ext", "400"), {});
        QCOMPARE(frameworkEdges(graph), QString());
        QVERIFY(graph.notes.back().starts_with("The execution trace and the timeline could not"));
    }

    void countersThatDifferByAConstantAreJoined()
    {
        std::string text = "rank 0\niteration 0 0 100000\nthread main\n";
        std::string nesting;
        // Groups of growing size, so that only one distance fits: node n has the external id n + 7.
        std::uint64_t node = 1;
        std::int64_t us = 0;
        for (int group = 0; group < 20; ++group) {
            const std::uint64_t outer = node++;
            text += "outer " + std::to_string(us) + " " + std::to_string(group * 10 + 10)
                + " ext=" + std::to_string(outer + 7) + "\n";
            for (int inner = 0; inner < group; ++inner, ++node) {
                text += "inner " + std::to_string(us + inner * 10)
                    + " 5 ext=" + std::to_string(node + 7) + "\n";
                nesting += "within " + std::to_string(node) + " " + std::to_string(outer) + "\n";
            }
            us += 500;
        }
        text += "thread other\nreader 50000 10 ext=1000\n" + nesting + "reads 993 1\n";
        QCOMPARE(frameworkEdges(buildGraph(tests::traceFromText(text), {})),
                 QStringLiteral("outer -> reader"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(FrameworkEdgesTest)
#include "tst_framework_edges.moc"
