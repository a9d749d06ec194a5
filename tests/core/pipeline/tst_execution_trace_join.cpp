#include "core/bundle/bundle.h"
#include "core/graph/build_graph.h"
#include "core/import/execution_trace/execution_trace_importer.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "core/replay/replay.h"
#include "tests/support/chakra_sample.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace core;

namespace {

class DependencySink : public tests::RecordingSink
{
public:
    void dependency(WorkerId, const DependencyEdge &edge) override { m_edges.push_back(edge); }
    const std::vector<DependencyEdge> &edges() const { return m_edges; }

private:
    std::vector<DependencyEdge> m_edges;
};

std::vector<DependencyEdge> dependenciesOf(const std::filesystem::path &file)
{
    DependencySink sink;
    ExecutionTraceImporter().read(*openBundle({ file })->open(0), sink, {});
    return sink.edges();
}

std::size_t frameworkEdges(const Graph &graph)
{
    return static_cast<std::size_t>(
        std::count_if(graph.preds.begin(), graph.preds.end(),
                      [](const Edge &edge) { return edge.kind == EdgeKind::Framework; }));
}

/// Four ops of 50 us one after another, on a thread each: record functions 101 to 104.
std::string fourOps()
{
    std::string events;
    int thread = 1;
    for (const char *name : { "aten::a", "aten::b", "aten::c", "aten::d" }) {
        const std::string id = std::to_string(100 + thread);
        events += std::string(R"(, {"ph": "X", "cat": "cpu_op", "name": ")") + name
            + R"(", "pid": 1, "tid": )" + std::to_string(thread) + R"(, "ts": )"
            + std::to_string(1000 + 100 * thread) + R"(, "dur": 50, "args": {"External id": )" + id
            + R"(, "Record function id": )" + id + "}}";
        ++thread;
    }
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": 0, "world_size": 1},
        "traceEvents": [{"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1,
        "tid": 1, "ts": 1000, "dur": 900})"
        + events + "]}";
}

/// One collective of a rank: record function 7 launches the kernel, and says nothing about it.
std::string bareCollective(int rank, const std::string &kernel)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"rank": )" + std::to_string(rank)
        + R"(, "world_size": 2}, "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 1,
         "ts": 1000, "dur": 900},
        {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 1, "tid": 1,
         "ts": 1100, "dur": 50, "args": {"External id": 9, "Record function id": 7}},
        {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1,
         "ts": 1110, "dur": 5, "args": {"correlation": 5, "External id": 9}},
        {"ph": "X", "cat": "kernel", "name": ")"
        + kernel + R"(", "pid": 0, "tid": 7, "ts": 1200, "dur": 300,
         "args": {"correlation": 5, "device": 0, "stream": 7}}]})";
}

/// The execution trace of that op. `attributes` as newer versions write them.
std::string executionTrace(const std::string &attributes, const std::string &name = "allreduce")
{
    return R"({"schema": "1.1.0-chakra.0.0.4", "nodes": [
        {"id": 2, "name": "record_param_comms", "ctrl_deps": 1,
         "inputs": {"values": [[[5, 6, 0, 1000, 4, "cuda:0"]], 53, ["3", "tp"], 0, ")"
        + name + R"(", [],
         [], 0, 1, 2], "shapes": [], "types": []}, "outputs": {"values": []},
         "attrs": [{"name": "rf_id", "type": "uint64", "value": 7})"
        + attributes + "]}]}";
}

std::vector<CollectiveCall> callsOf(const std::filesystem::path &folder)
{
    const auto project = folder / "p.longpole";
    importBundle({ folder }, project, {}, {});
    return loadProject(project, {}).trace->collectives;
}

/// Ops of record functions 101 and on, each of which reads what the one before wrote.
std::string chakraOf(const std::vector<std::string> &names)
{
    using namespace tests::chakra;
    std::string nodes;
    std::uint64_t id = 2;
    for (const std::string &name : names) {
        nodes += node(id, name, 4,
                      attribute("is_cpu_op", Bool, 1) + attribute("rf_id", Int64, id + 99)
                          + (id > 2 ? number(5, id - 1) : std::string()));
        ++id;
    }
    return trace(nodes);
}

void write(const std::filesystem::path &file, const std::string &contents)
{
    std::ofstream(file, std::ios::binary) << contents;
}

Graph graphOf(const std::filesystem::path &folder)
{
    const auto project = folder / "p.longpole";
    importBundle({ folder }, project, {}, {});
    return buildGraph(ProjectReader(project).readTrace({}), {});
}

std::string allNotes(const Graph &graph)
{
    std::string notes;
    for (const std::string &found : graph.notes)
        notes += found + '\n';
    return notes;
}

bool hasNote(const Graph &graph, const std::string &start)
{
    return std::any_of(graph.notes.begin(), graph.notes.end(),
                       [&start](const std::string &found) { return found.starts_with(start); });
}

} // namespace

/// Execution traces beside the Kineto traces of the same run, as other people recorded them.
class ExecutionTraceJoinTest : public QObject
{
    Q_OBJECT

private slots:
    /// Ops on threads of their own, each reading what the one before wrote: a Chakra trace
    /// knew them by ids that no Kineto trace has, and none was joined.
    void aChakraTraceJoinsByRecordFunctions()
    {
        const QTemporaryDir folder;
        const auto dir = std::filesystem::path(folder.path().toStdString());
        write(dir / "kineto_rank0.json", fourOps());
        write(dir / "trace.0.et", chakraOf({ "aten::a", "aten::b", "aten::c" }));
        const Graph graph = graphOf(dir);
        QVERIFY2(hasNote(graph, "2 of 2 data dependencies"), allNotes(graph).c_str());
        QCOMPARE(frameworkEdges(graph), std::size_t { 2 });
    }

    /// Record functions are numbers of one run: another program's mean something else.
    void aChakraTraceOfAnotherProgramIsNotJoined()
    {
        const QTemporaryDir folder;
        const auto dir = std::filesystem::path(folder.path().toStdString());
        write(dir / "kineto_rank0.json", fourOps());
        write(dir / "trace.0.et", chakraOf({ "aten::x(0)", "aten::x(1)", "aten::y", "aten::c" }));
        const Graph graph = graphOf(dir);
        QVERIFY2(hasNote(graph, "The execution trace of rank 0 is of another program"),
                 allNotes(graph).c_str());
        QCOMPARE(frameworkEdges(graph), std::size_t { 0 });
    }

    /// Recorded without shapes, a kernel has neither size nor group; what the execution trace told
    /// of them was not used.
    void whatTheKernelDoesNotSayTheExecutionTraceDoes_data()
    {
        QTest::addColumn<QByteArray>("attributes");
        QTest::addColumn<int>("traced"); // ranks
        QTest::addColumn<qulonglong>("bytes");
        QTest::addColumn<QByteArray>("group");
        QTest::newRow("arguments") << QByteArray() << 2 << 4000ULL << QByteArray("3");
        QTest::newRow("attributes")
            << QByteArray(", {\"name\": \"pg_name\", \"type\": \"string\", \"value\": \"a b\"}"
                          ", {\"name\": \"pg_size\", \"type\": \"uint64\", \"value\": 2}")
            << 2 << 4000ULL << QByteArray("a b");
        // Of one rank only: the group would keep its call from the other rank's.
        QTest::newRow("one rank") << QByteArray() << 1 << 4000ULL << QByteArray();
    }
    void whatTheKernelDoesNotSayTheExecutionTraceDoes()
    {
        QFETCH(const QByteArray, attributes);
        QFETCH(const int, traced);
        QFETCH(const qulonglong, bytes);
        QFETCH(const QByteArray, group);
        const QTemporaryDir folder;
        const auto dir = std::filesystem::path(folder.path().toStdString());
        for (int rank = 0; rank < 2; ++rank)
            write(dir / ("kineto_rank" + std::to_string(rank) + ".json"),
                  bareCollective(rank, "ncclDevKernel_AllReduce_Sum_f32_RING_LL"));
        for (int rank = 0; rank < traced; ++rank)
            write(dir / ("et_rank" + std::to_string(rank) + ".json"),
                  executionTrace(attributes.toStdString()));
        const std::vector<CollectiveCall> calls = callsOf(dir);
        QCOMPARE(calls.size(), std::size_t { 2 });
        for (const CollectiveCall &call : calls) {
            const bool isTold = static_cast<int>(call.worker.value) < traced;
            QCOMPARE(call.kind, std::string("all_reduce"));
            QCOMPARE(call.bytes, isTold ? bytes : 0ULL);
            QCOMPARE(call.groupSize, isTold ? std::optional(2) : std::nullopt);
            QCOMPARE(call.group, group.toStdString());
        }
    }
    /// What a kernel of sends and receives is made for. Told of one rank only, its calls would no
    /// longer be matched.
    void sendsHaveTheKindThatTheExecutionTraceTells()
    {
        for (const int told : { 1, 2 }) {
            const QTemporaryDir folder;
            const auto dir = std::filesystem::path(folder.path().toStdString());
            for (int rank = 0; rank < 2; ++rank)
                write(dir / ("kineto_rank" + std::to_string(rank) + ".json"),
                      bareCollective(rank, "ncclDevKernel_SendRecv"));
            for (int rank = 0; rank < told; ++rank)
                write(dir / ("et_rank" + std::to_string(rank) + ".json"),
                      executionTrace({}, "all_to_all"));
            for (const CollectiveCall &call : callsOf(dir)) {
                QCOMPARE(call.kind, std::string(told == 2 ? "all_to_all" : "send_recv"));
                QCOMPARE(call.bytes, told == 2 ? 4000ULL : 0ULL);
            }
        }
    }
    void sharedPairsJoin_data()
    {
        QTest::addColumn<QString>("kineto");
        QTest::addColumn<QString>("executionTrace");
        QTest::addColumn<QString>("note");
        QTest::addColumn<qulonglong>("edges");
        QTest::newRow("megatron") << QStringLiteral("megatron-tp8/kineto/megatron_kineto_0.json.gz")
                                  << QStringLiteral(
                                         "megatron-tp8/execution-trace/megatron_et_0.json.gz")
                                  << QStringLiteral("5633 of 5633 data dependencies") << 129ULL;
        QTest::newRow("hta")
            << QStringLiteral("hta/execution_trace/benchmark_simple_add_trace.json.gz")
            << QStringLiteral("hta/execution_trace/benchmark_simple_add_et.json.gz")
            << QStringLiteral("23 of 23 data dependencies") << 0ULL;
        // One iteration was traced and sixty were profiled: which one it is cannot be told.
        QTest::newRow("linear") << QStringLiteral("param/linear/linear_kineto.json.gz")
                                << QStringLiteral("param/linear/linear_et.json.gz")
                                << QStringLiteral(
                                       "The execution trace and the timeline could not be joined")
                                << 0ULL;
    }
    void sharedPairsJoin()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, kineto);
        QFETCH(QString, executionTrace);
        QFETCH(QString, note);
        QFETCH(qulonglong, edges);
        const QTemporaryDir folder;
        const auto project = std::filesystem::path(folder.path().toStdString()) / "p.longpole";
        const auto real = *shared / "data" / "real";
        importBundle({ real / kineto.toStdString() }, project, {}, {});
        Trace trace = ProjectReader(project).readTrace({});
        const std::int64_t makespanNs = replay(buildGraph(trace, {}), {}).makespanNs;
        for (const DependencyEdge &edge : dependenciesOf(real / executionTrace.toStdString()))
            trace.dependencies.push_back({ WorkerId(0), edge });
        const Graph graph = buildGraph(trace, {});
        QVERIFY2(hasNote(graph, note.toStdString()), allNotes(graph).c_str());
        QCOMPARE(frameworkEdges(graph), std::size_t { edges });
        QCOMPARE(replay(graph, {}).makespanNs, makespanNs);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExecutionTraceJoinTest)
#include "tst_execution_trace_join.moc"
