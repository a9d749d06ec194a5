#include "core/graph/build_graph.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Two steps of a device's ops, the reduction of two gradients together, and the update. What the
/// host did is not recorded.
constexpr const char *TwoSteps = R"(
rank 0
iteration 0 0 1000
iteration 1 1000 1000
stream 7 gpu=0
backward 0 200
backward 1000 200
stream 8 gpu=0
update 600 100
update 1700 100
comm collectives
ALLREDUCE 250 300
ALLREDUCE 1250 300
)";

NameId nameIn(Trace &trace, const std::string &name)
{
    auto found = std::find(trace.names.begin(), trace.names.end(), name);
    if (found == trace.names.end())
        found = trace.names.insert(trace.names.end(), name);
    return NameId(static_cast<std::uint32_t>(found - trace.names.begin()));
}

void addDependency(Trace &trace, const std::string &from, const std::string &to)
{
    const NameId fromId = nameIn(trace, from), toId = nameIn(trace, to);
    trace.dependencies.push_back(
        { WorkerId(0), { DependencyKind::Data, DependencyKey::Name, fromId.value, toId.value } });
}

/// The reductions are of this tensor.
void nameReductions(Trace &trace, const std::string &tensor)
{
    trace.tensors.push_back({ TensorId(0), WorkerId(0), tensor, 0, {}, {} });
    for (const std::uint64_t slice : { 4, 5 })
        trace.tensorUses.push_back({ SliceId(slice), TensorId(0) });
}

/// "backward 0 -> update 600": edges of kind Framework, with the starts in microseconds.
QString frameworkEdges(const Graph &graph)
{
    const auto text = [&graph](OpId op) {
        return QStringLiteral("%1 %2")
            .arg(QString::fromStdString(graph.names[graph.name[op.value].value]))
            .arg(graph.measuredStartNs[op.value] / 1000);
    };
    QStringList all;
    for (std::uint32_t i = 0; i < graph.size(); ++i)
        for (const Edge &edge : graph.predecessors(OpId(i)))
            if (edge.kind == EdgeKind::Framework)
                all << text(edge.op) + QStringLiteral(" -> ") + text(OpId(i));
    return all.join(QStringLiteral(", "));
}

} // namespace

class NamedEdgesTest : public QObject
{
    Q_OBJECT

private slots:
    void runsOfTheSameIterationAreJoined();
    void aTensorsSynchronisationIsFoundByItsName();
    void theOrderOfALaneIsNotRepeated();
    void whatTheTimesContradictIsCounted();
    void operatorsOnThreadsAreJoinedWithOperators();
};

void NamedEdgesTest::runsOfTheSameIterationAreJoined()
{
    Trace trace = tests::traceFromText(TwoSteps);
    addDependency(trace, "backward", "update");
    addDependency(trace, "nothing", "update");
    const Graph graph = buildGraph(trace, {});
    QCOMPARE(frameworkEdges(graph),
             QStringLiteral("backward 0 -> update 600, backward 1000 -> update 1700"));
    QCOMPARE(QString::fromStdString(graph.notes.front()),
             QStringLiteral("1 of 2 dependencies that the framework's graph states by name are "
                            "between recorded ops; 2 edges between their runs are not implied by "
                            "the order of threads and streams."));
}

void NamedEdgesTest::aTensorsSynchronisationIsFoundByItsName()
{
    Trace trace = tests::traceFromText(TwoSteps);
    nameReductions(trace, "g");
    addDependency(trace, "backward", "Comm.g");
    addDependency(trace, "Comm.g", "update");
    QCOMPARE(frameworkEdges(buildGraph(trace, {})),
             QStringLiteral("backward 0 -> ALLREDUCE 250, ALLREDUCE 250 -> update 600, "
                            "backward 1000 -> ALLREDUCE 1250, ALLREDUCE 1250 -> update 1700"));
}

void NamedEdgesTest::theOrderOfALaneIsNotRepeated()
{
    Trace trace = tests::traceFromText(R"(
rank 0
iteration 0 0 1000
stream 7 gpu=0
forward 0 200
backward 200 200
)");
    addDependency(trace, "forward", "backward");
    QCOMPARE(frameworkEdges(buildGraph(trace, {})), QString());
}

void NamedEdgesTest::whatTheTimesContradictIsCounted()
{
    Trace trace = tests::traceFromText(TwoSteps);
    addDependency(trace, "update", "backward"); // of the step before: no edge within a step
    const Graph graph = buildGraph(trace, {});
    QCOMPARE(frameworkEdges(graph), QString());
    QCOMPARE(graph.notes.size(), std::size_t { 2 });
    QVERIFY(graph.notes[1].starts_with("2 runs began before"));
}

void NamedEdgesTest::operatorsOnThreadsAreJoinedWithOperators()
{
    Trace trace = tests::traceFromText(R"(
rank 0
iteration 0 0 1000
thread one
conv 0 300
thread two
relu 400 100
stream 7 gpu=0
conv 100 100
relu 450 100
)");
    addDependency(trace, "conv", "relu");
    // The kernels are on one stream, whose order says it; the operators are on two threads.
    QCOMPARE(frameworkEdges(buildGraph(trace, {})), QStringLiteral("conv 200 -> relu 400"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NamedEdgesTest)
#include "tst_named_edges.moc"
