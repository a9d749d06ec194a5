#include "core/change/graph_edits.h"
#include "core/graph/graph_builder.h"

#include <QTest>

using namespace core;

class TestGraphEdits : public QObject
{
    Q_OBJECT

private slots:
    void whatIsBehindAnOpAndLaunchedItIsFound()
    {
        const Graph graph = threeOps();
        QCOMPARE(nextOnThread(graph, {}), (std::vector<OpId> { OpId(1), NoOp, NoOp }));
        QCOMPARE(launchesOf(graph, {}), (std::vector<OpId> { NoOp, NoOp, OpId(1) }));
    }

    void lookingAtAllEdgesCanBeCancelled()
    {
        const Graph graph = threeOps();
        const JobControl cancelled([] { return true; }, {});
        QVERIFY_THROWS_EXCEPTION(Cancelled, nextOnThread(graph, cancelled));
        QVERIFY_THROWS_EXCEPTION(Cancelled, launchesOf(graph, cancelled));
    }

private:
    /// Two on a thread, the second of which launches the third.
    static Graph threeOps()
    {
        GraphBuilder builder({ "" });
        OpSpec spec;
        spec.device = builder.addDevice({});
        const OpId first = builder.addOp(spec), second = builder.addOp(spec);
        spec.device = builder.addDevice({});
        const OpId kernel = builder.addOp(spec);
        builder.addEdge(first, second, EdgeKind::HostOrder);
        builder.addEdge(second, kernel, EdgeKind::Launch);
        return builder.build();
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGraphEdits)
#include "tst_graph_edits.moc"
