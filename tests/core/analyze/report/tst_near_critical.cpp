#include "core/analyze/report/near_critical.h"
#include "tests/support/graph_text.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;
using tests::graphFromText;

namespace {

/// One iteration of one rank, which ends with the op named last.
NearCriticalReport reportOf(Graph graph, OpId last, std::int64_t predictedNs)
{
    graph.iterationCount = 1;
    graph.iterationBegins = { OpId(0) };
    Prediction replayed;
    replayed.replay = std::make_shared<ReplayResult>(replay(graph, {}));
    ReplayedIterations iterations;
    iterations.endNs = { replayed.replay->endNs[last.value] };
    iterations.lastOp = { last };
    replayed.iterations = { iterations };
    replayed.predictedNs = predictedNs;
    replayed.graph = std::make_shared<Graph>(std::move(graph));
    return nearCriticalReport(tests::traceFromText("rank 0\nthread main\nx 0 1\n"), replayed, {});
}

/// "work on d: slack 2, takes 298, 1 op": what is listed of the steady state.
QString listed(const NearCriticalReport &report)
{
    QStringList lines;
    for (const NearCriticalOp &op : report.steadyState)
        lines << QStringLiteral("%1 on %2: slack %3, takes %4, %5 ops")
                     .arg(QString::fromStdString(op.name), QString::fromStdString(op.device))
                     .arg(op.slackNs)
                     .arg(op.durationNs)
                     .arg(op.times);
    return lines.join(QStringLiteral("; "));
}

} // namespace

class NearCriticalTest : public QObject
{
    Q_OBJECT

private slots:
    void onlyWhatHasLittleSlackIsListed();
    void whatALinkServesSideBySideTakesItsTimeOnce();
};

void NearCriticalTest::onlyWhatHasLittleSlackIsListed()
{
    // path is critical; b may take 2 longer, c 10.
    const NearCriticalReport report = reportOf(
        graphFromText("path:300 -> end:10\nb:298@d -> end\nc:290@e -> end"), OpId(3), 310);
    QCOMPARE(report.limitNs, std::int64_t { 3 });
    QCOMPARE(listed(report), QStringLiteral("b on d: slack 2, takes 298, 1 ops"));
    QCOMPARE(report.iterations.size(), std::size_t { 1 });
    QCOMPARE(report.iterations[0].count, std::size_t { 1 });
    QCOMPARE(report.iterations[0].ops[0].slackNs, std::int64_t { 2 });
}

/// The times of transfers that share a link were added up: more than the iteration lasts.
void NearCriticalTest::whatALinkServesSideBySideTakesItsTimeOnce()
{
    // Three transfers of 100 share the link for 300; the path goes through one of them.
    Graph graph = graphFromText("send:100@link -> end:10\nsend2:100@link -> end\n"
                                "send3:100@link -> end");
    graph.name[1] = graph.name[2] = graph.name[0];
    const NearCriticalReport report = reportOf(graph, OpId(3), 310);
    QCOMPARE(listed(report), QStringLiteral("send on link: slack 0, takes 300, 2 ops"));
    QCOMPARE(report.steadyState[0].longestNs, std::int64_t { 300 });
    QCOMPARE(report.steadyState[0].meanNs, std::int64_t { 300 });
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NearCriticalTest)
#include "tst_near_critical.moc"
