#include "core/bundle/bundle.h"
#include "core/graph/build_graph.h"
#include "core/import/execution_trace_importer.h"
#include "core/pipeline/pipeline.h"
#include "core/project/project_reader.h"
#include "core/replay/replay.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>

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

} // namespace

/// Execution traces beside the Kineto traces of the same run, as other people recorded them.
class ExecutionTraceJoinTest : public QObject
{
    Q_OBJECT

private slots:
    void sharedPairsJoin_data()
    {
        QTest::addColumn<QString>("kineto");
        QTest::addColumn<QString>("executionTrace");
        QTest::addColumn<QString>("note");
        QTest::addColumn<qulonglong>("edges");
        QTest::newRow("megatron") << QStringLiteral("megatron-tp8/kineto/megatron_kineto_0.json.gz")
                                  << QStringLiteral(
                                         "megatron-tp8/execution-trace/megatron_et_0.json.gz")
                                  << QStringLiteral("5633 of 5633 data dependencies") << 114ULL;
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
        std::string notes;
        for (const std::string &found : graph.notes)
            notes += found + '\n';
        QVERIFY2(std::any_of(graph.notes.begin(), graph.notes.end(),
                             [&note](const std::string &found) {
                                 return found.starts_with(note.toStdString());
                             }),
                 notes.c_str());
        QCOMPARE(frameworkEdges(graph), std::size_t { edges });
        QCOMPARE(replay(graph, {}).makespanNs, makespanNs);
    }
};

QTEST_GUILESS_MAIN(ExecutionTraceJoinTest)
#include "tst_execution_trace_join.moc"
