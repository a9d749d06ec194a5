#include "core/replay/graph_change.h"
#include "tests/support/graph_text.h"

#include <QTest>

using namespace core;

/// What one graph changes of another.
class TestGraphChange : public QObject
{
    Q_OBJECT

private slots:
    void timesAreCompared_data()
    {
        QTest::addColumn<QString>("changed");
        QTest::addColumn<bool>("none");
        QTest::addColumn<bool>("nowhereFaster");
        QTest::addColumn<bool>("nowhereSlower");
        QTest::newRow("the same") << QStringLiteral("a:10 -> b:5@gpu+2") << true << true << true;
        QTest::newRow("longer") << QStringLiteral("a:11 -> b:5@gpu+2") << false << true << false;
        QTest::newRow("later") << QStringLiteral("a:10 -> b:5@gpu+3") << false << true << false;
        QTest::newRow("shorter") << QStringLiteral("a:10 -> b:4@gpu+2") << false << false << true;
        QTest::newRow("sooner") << QStringLiteral("a:10 -> b:5@gpu+1") << false << false << true;
        QTest::newRow("both") << QStringLiteral("a:11 -> b:4@gpu+2") << false << false << false;
        QTest::newRow("another op")
            << QStringLiteral("a:10 -> b:5@gpu+2 -> c:1") << false << false << false;
        QTest::newRow("no edge") << QStringLiteral("a:10\nb:5@gpu+2") << false << false << false;
    }

    void timesAreCompared()
    {
        QFETCH(const QString, changed);
        const Graph graph = tests::graphFromText("a:10 -> b:5@gpu+2");
        const GraphChange change = graphChange(graph, tests::graphFromText(changed.toStdString()));
        QTEST(change.isNone(), "none");
        QTEST(change.isNowhereFaster(), "nowhereFaster");
        QTEST(change.isNowhereSlower(), "nowhereSlower");
    }

    /// Faster transfers take more of the cores that they share at a time.
    void moreOverlapCostIsNotSlowerInAll()
    {
        const Graph graph = tests::graphFromText("a:10 -> b:5");
        Graph costly = graph;
        costly.slowdown = 1.5;
        QVERIFY(!graphChange(graph, costly).isNone());
        QVERIFY(graphChange(graph, costly).isNowhereFaster());
        QVERIFY(!graphChange(graph, costly).isNowhereSlower());
        QVERIFY(graphChange(costly, graph).isNowhereFaster());
        QVERIFY(graphChange(costly, graph).isNowhereSlower());
    }

    /// A faster link was not known to make no job slower.
    void fasterTransfersCostNotMoreInAll()
    {
        Graph graph = tests::graphFromText("a:10@link -> b:5");
        graph.kind[0] = OpKind::Communication;
        Graph faster = graph;
        faster.durationNs[0] = 5;
        faster.slowdown = 1.5;
        QVERIFY(graphChange(graph, faster).isNowhereSlower());
        QVERIFY(!graphChange(graph, faster).isNowhereFaster());
        faster.kind[0] = graph.kind[0] = OpKind::Compute;
        QVERIFY(!graphChange(graph, faster).isNowhereSlower());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestGraphChange)
#include "tst_graph_change.moc"
