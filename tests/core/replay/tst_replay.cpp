#include "core/base/error.h"
#include "core/graph/graph_builder.h"
#include "core/replay/replay.h"
#include "tests/support/graph_text.h"

#include <QTest>

using namespace core;
using tests::graphFromText;

class TestReplay : public QObject
{
    Q_OBJECT

private slots:
    void opsStartAsTheirDependenciesAndDevicesAllow_data();
    void opsStartAsTheirDependenciesAndDevicesAllow();
    void devicesServeByPriorityAndCredit_data();
    void devicesServeByPriorityAndCredit();
    void anOpThatWasSetBackBeforeItProgressedStartsLater();
    void theCriticalPathFollowsDataAndDeviceOrder();
    void aCycleIsNamed();
    void anOpThatNeverEndsIsAnError_data();
    void anOpThatNeverEndsIsAnError();
    void impossiblyLongOpsEndWhenTheClockStops();
    void aCancelledReplayThrows();
};

void TestReplay::opsStartAsTheirDependenciesAndDevicesAllow_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("times");
    QTest::newRow("chain") << QByteArray("a:10 -> b:5 -> c:7")
                           << QString::fromUtf8("a 0-10, b 10-15, c 15-22");
    QTest::newRow("join waits for the last")
        << QByteArray("a:10 -> c:1\nb:20 -> c") << QString::fromUtf8("a 0-10, b 0-20, c 20-21");
    QTest::newRow("a device serves one at a time")
        << QByteArray("a:10@d\nb:5@d") << QString::fromUtf8("a 0-10, b 10-15");
    QTest::newRow("first ready, first served")
        << QByteArray("x:3 -> late:4@d\nearly:2@d -> y:1\nz:1 -> middle:5@d")
        << QString::fromUtf8("early 0-2, x 0-3, z 0-1, middle 2-7, y 2-3, late 7-11");
    QTest::newRow("a delay does not hold the device")
        << QByteArray("a:10 -> b:5@d+7\nc:12@d") << QString::fromUtf8("a 0-10, c 0-12, b 17-22");
    // Event-driven: c2 does not wait behind c1, which is ready much later (dPRO's code serves c1
    // first: 102).
    QTest::newRow("a device takes what is ready")
        << QByteArray("a:100@r0 -> c1:1@r2\nb1:5@r1 -> b2:5@r1 -> c2:1@r2")
        << QString::fromUtf8("a 0-100, b1 0-5, b2 5-10, c2 10-11, c1 100-101");
    // Two transfers of 10 share the link: 20 for both. Alone it would be 10.
    QTest::newRow("a link is shared equally")
        << QByteArray("a:10@link\nb:10@link") << QString::fromUtf8("a 0-20, b 0-20");
    // a runs alone for 6, then both at half speed: a's other 4 take 8, b has 6 of 10 left and is
    // alone: 14 + 6.
    QTest::newRow("who comes later shares what is left")
        << QByteArray("a:10@link\nx:6 -> b:10@link") << QString::fromUtf8("a 0-14, x 0-6, b 6-20");
    // Alone it could be faster, but its other end lets it use a quarter.
    QTest::newRow("a limit holds for one")
        << QByteArray("a:10@link%25") << QString::fromUtf8("a 0-40");
    // a takes a quarter, b the other three; then b is gone and a still has a quarter.
    QTest::newRow("what a limit leaves is for the others")
        << QByteArray("a:10@link%25\nb:15@link") << QString::fromUtf8("a 0-40, b 0-20");
    // A third each is below the limit of a half.
    QTest::newRow("a limit above the equal share does not tell")
        << QByteArray("a:10@link%50\nb:10@link\nc:10@link")
        << QString::fromUtf8("a 0-30, b 0-30, c 0-30");
    // Two at a time: c waits until the first of them is done.
    QTest::newRow("a full link makes others wait") << QByteArray("a:4@link2\nb:6@link2\nc:2@link2")
                                                   << QString::fromUtf8("a 0-8, b 0-12, c 8-12");
}

void TestReplay::devicesServeByPriorityAndCredit_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("times");
    QTest::newRow("the most urgent of the ready ops is next")
        << QByteArray("x:10@urgent!5\na:1 -> low:5@urgent!2\nb:2 -> high:5@urgent!1")
        << QString::fromUtf8("a 0-1, b 0-2, x 0-10, high 10-15, low 15-20");
    QTest::newRow("one priority is served in the order of readiness")
        << QByteArray("x:10@urgent\nb:2 -> late:5@urgent!1\na:1 -> early:5@urgent!1")
        << QString::fromUtf8("a 0-1, b 0-2, x 0-10, early 10-15, late 15-20");
    QTest::newRow("of ops that become ready together the most urgent is first")
        << QByteArray("a:3 -> low:5@urgent!2\nb:3 -> high:5@urgent!-1")
        << QString::fromUtf8("a 0-3, b 0-3, high 3-8, low 8-13");
    // What ends at the same time elsewhere counts too, whichever device is looked at first.
    QTest::newRow("an op released when the device becomes free competes")
        << QByteArray("x:3@urgent\nlow:5@urgent!2\na:3 -> high:5@urgent!1")
        << QString::fromUtf8("a 0-3, x 0-3, high 3-8, low 8-13");
    QTest::newRow("what runs is not set back")
        << QByteArray("low:10@urgent!2\na:4 -> high:3@urgent!1")
        << QString::fromUtf8("a 0-4, low 0-10, high 10-13");
    QTest::newRow("what runs is set back, and goes on where it stopped")
        << QByteArray("low:10@preempting!2 -> after:1\na:4 -> high:3@preempting!1")
        << QString::fromUtf8("a 0-4, low 0-13, high 4-7, after 13-14");
    // Of low's 10 two are done in 4; the other 8 take 16 from 7 on.
    QTest::newRow("what is set back keeps its limit")
        << QByteArray("low:10@preempting%50!2\na:4 -> high:3@preempting!1")
        << QString::fromUtf8("a 0-4, low 0-23, high 4-7");
    QTest::newRow("the same priority does not set back")
        << QByteArray("first:10@preempting!1\na:4 -> second:3@preempting!1")
        << QString::fromUtf8("a 0-4, first 0-10, second 10-13");
    // second sets first back at 2, third sets second back at 3: 5, then second's 4, then first's 8.
    QTest::newRow("one is set back after the other")
        << QByteArray("first:10@preempting!3\na:2 -> second:5@preempting!2\n"
                      "b:3 -> third:5@preempting!1")
        << QString::fromUtf8("a 0-2, b 0-3, first 0-20, second 2-12, third 3-8");
    // 4 + 4 bytes are within the credit, the third waits for the first to end.
    QTest::newRow("a credit limits what is under way")
        << QByteArray("a:4@link~8#4\nb:6@link~8#4\nc:2@link~8#4")
        << QString::fromUtf8("a 0-8, b 0-12, c 8-12");
    QTest::newRow("a larger op is served alone")
        << QByteArray("a:4@link~8#4\nlarge:6@link~8#9\nc:2@link~8#4")
        << QString::fromUtf8("a 0-4, large 4-10, c 10-12");
    QTest::newRow("an op without bytes needs no credit")
        << QByteArray("a:4@link~8#8\nb:4@link~8") << QString::fromUtf8("a 0-8, b 0-8");
    QTest::newRow("credit goes to the most urgent")
        << QByteArray("x:1@urgent~8#8!9\na:4@urgent~8#4!3\nb:4@urgent~8#4!1\nc:4@urgent~8#4!2")
        << QString::fromUtf8("b 0-8, c 0-8, a 8-12, x 12-13");
    // high takes the whole credit: both are set back.
    QTest::newRow("as many are set back as the credit needs")
        << QByteArray("a:4@preempting~8#4!3\nb:4@preempting~8#4!3\n"
                      "s:4 -> high:3@preempting~8#8!1")
        << QString::fromUtf8("a 0-11, b 0-11, s 0-4, high 4-7");
}

void TestReplay::devicesServeByPriorityAndCredit()
{
    opsStartAsTheirDependenciesAndDevicesAllow();
}

void TestReplay::anOpThatWasSetBackBeforeItProgressedStartsLater()
{
    // zero ends at once and releases high at the same time at which low was taken.
    const Graph g = graphFromText("low:5@preempting!2\nzero:0 -> high:3@preempting!1");
    const ReplayResult result = replay(g, {});
    QCOMPARE(QString::fromStdString(tests::timesText(g, result)),
             QStringLiteral("high 0-3, zero 0-0, low 3-8"));
    QCOMPARE(QString::fromStdString(tests::pathText(g, criticalPath(g, result))),
             QStringLiteral("zero high low"));
}

void TestReplay::opsStartAsTheirDependenciesAndDevicesAllow()
{
    QFETCH(QByteArray, graph);
    QFETCH(QString, times);
    const Graph g = graphFromText(graph.toStdString());
    QCOMPARE(QString::fromStdString(tests::timesText(g, replay(g, {}))), times);
}

void TestReplay::theCriticalPathFollowsDataAndDeviceOrder()
{
    // b waits for the device, not for data: a is on the path.
    const Graph g = graphFromText("a:10@d\ns:1 -> b:5@d -> c:1\ne:3 -> c");
    QCOMPARE(QString::fromStdString(tests::pathText(g, criticalPath(g, replay(g, {})))),
             QStringLiteral("a b c"));
}

void TestReplay::anOpThatNeverEndsIsAnError_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::newRow("nothing waits for it") << QByteArray("a:2000000000000000000@link\nb:5@link");
    QTest::newRow("another one waits for it")
        << QByteArray("a:2000000000000000000@link -> b:5\nc:5@link");
}

void TestReplay::anOpThatNeverEndsIsAnError()
{
    QFETCH(QByteArray, graph);
    try {
        replay(graphFromText(graph.toStdString()), {});
        QFAIL("it ended");
    } catch (const Error &error) {
        QVERIFY2(std::string(error.what()).find("longer than thirty years") != std::string::npos,
                 error.what());
    }
}

void TestReplay::impossiblyLongOpsEndWhenTheClockStops()
{
    const std::string longOp = ":2300000000000000000@d";
    const Graph g = graphFromText("a" + longOp + "\nb" + longOp + "\nc" + longOp + "\ne" + longOp
                                  + "\nf" + longOp);
    const ReplayResult result = replay(g, {});
    QCOMPARE(result.endNs[0], 2'300'000'000'000'000'000);
    QCOMPARE(result.endNs[4], 4'000'000'000'000'000'000);
    QCOMPARE(result.makespanNs, 4'000'000'000'000'000'000);
}

void TestReplay::aCycleIsNamed()
{
    GraphBuilder builder({ "", "loop" });
    OpSpec spec;
    spec.name = NameId(1);
    spec.device = builder.addDevice({});
    const OpId a = builder.addOp(spec);
    const OpId b = builder.addOp(spec);
    builder.addEdge(a, b, EdgeKind::Data);
    builder.addEdge(b, a, EdgeKind::Data);
    try {
        builder.build();
        QFAIL("a cycle was accepted");
    } catch (const Error &error) {
        QVERIFY(QByteArray(error.what()).contains("'loop'"));
    }
}

void TestReplay::aCancelledReplayThrows()
{
    std::string text;
    for (int i = 0; i < 70000; ++i)
        text += "n" + std::to_string(i) + ":1@d\n";
    const Graph graph = graphFromText(text);
    QVERIFY_THROWS_EXCEPTION(Cancelled, replay(graph, JobControl([] { return true; }, {})));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestReplay)
#include "tst_replay.moc"
