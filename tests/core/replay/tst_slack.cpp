#include "core/replay/slack.h"
#include "tests/support/graph_text.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>
#include <tuple>

using namespace core;
using tests::graphFromText;

namespace {

constexpr std::int64_t NoSlackLimit = std::numeric_limits<std::int64_t>::max();

/// [ops], before the end of `last`; NoSlackLimit of those that it does not wait for or that end by
/// `fromNs`.
std::vector<std::int64_t> slackBefore(const Graph &graph, const ReplayResult &result, OpId last,
                                      std::int64_t fromNs)
{
    std::vector<std::int64_t> slack(graph.size(), NoSlackLimit);
    for (const Slack::Entry &entry : Slack(graph, result).before(last, fromNs))
        slack[entry.op.value] = entry.ns;
    return slack;
}

/// "a 0, b 3, c -": slack of each op by name, "-" for no limit.
QString slackText(const Graph &graph, const std::vector<std::int64_t> &slack)
{
    QStringList parts;
    for (std::size_t op = 0; op < graph.size(); ++op)
        parts << QString::fromStdString(graph.names[graph.name[op].value]) + QLatin1Char(' ')
                + (slack[op] == NoSlackLimit ? QStringLiteral("-") : QString::number(slack[op]));
    parts.sort();
    return parts.join(QStringLiteral(", "));
}

OpId lastOp(const ReplayResult &result)
{
    return OpId(static_cast<std::uint32_t>(
        std::max_element(result.endNs.begin(), result.endNs.end()) - result.endNs.begin()));
}

/// When `last` ends if `longer` takes `moreNs` more, every device keeping the order of `result`.
/// Forwards, and without the code under test. All devices serve one at a time.
std::int64_t endInSameOrder(const Graph &graph, const ReplayResult &result, OpId last,
                            std::size_t longer, std::int64_t moreNs)
{
    std::vector<std::size_t> order(graph.size());
    std::iota(order.begin(), order.end(), 0U);
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::tie(result.endNs[a], result.startNs[a], a)
            < std::tie(result.endNs[b], result.startNs[b], b);
    });
    std::vector<std::int64_t> endNs(graph.size(), 0), freeNs(graph.devices.size(), 0);
    for (const std::size_t op : order) {
        std::int64_t startNs = graph.delayNs[op];
        for (const Edge &edge : graph.predecessors(OpId(static_cast<std::uint32_t>(op))))
            startNs = std::max(startNs, endNs[edge.op.value] + graph.delayNs[op]);
        std::int64_t &deviceNs = freeNs[graph.device[op].value];
        endNs[op]
            = std::max(startNs, deviceNs) + graph.durationNs[op] + (op == longer ? moreNs : 0);
        deviceNs = endNs[op];
    }
    return endNs[last.value];
}

/// Ops with random times and edges; `devices` are the names that they are spread over.
std::string randomGraph(std::mt19937 &random, const std::vector<std::string> &devices)
{
    std::string text;
    const int count = 3 + static_cast<int>(random() % 15);
    for (int op = 0; op < count; ++op) {
        const std::string node = "n" + std::to_string(op) + ":" + std::to_string(random() % 20)
            + "@" + devices[random() % devices.size()]
            + (random() % 3 == 0 ? "+" + std::to_string(random() % 5) : "");
        text += node + "\n";
        for (int from = 0; from < op; ++from)
            if (random() % 5 == 0)
                text += "n" + std::to_string(from) + " -> n" + std::to_string(op) + "\n";
    }
    return text;
}

} // namespace

class TestSlack : public QObject
{
    Q_OBJECT

private slots:
    void opsHaveTheTimeThatNobodyNeeds_data();
    void opsHaveTheTimeThatNobodyNeeds();
    void thereIsNoneAlongTheCriticalPath();
    void anOpMayGrowByItsSlackAndNotByMore();
    void onlyWhatEndsLaterIsLookedAt();
    void oneAfterTheOtherAsEachAlone();
};

void TestSlack::opsHaveTheTimeThatNobodyNeeds_data()
{
    QTest::addColumn<QByteArray>("graph");
    QTest::addColumn<QString>("slack");
    QTest::newRow("chain") << QByteArray("a:10 -> b:5") << QStringLiteral("a 0, b 0");
    QTest::newRow("the shorter of two ways")
        << QByteArray("a:10 -> c:1\nb:4 -> c") << QStringLiteral("a 0, b 6, c 0");
    QTest::newRow("a delay is no slack")
        << QByteArray("a:10 -> c:1\nb:4 -> d:2+3 -> c") << QStringLiteral("a 0, b 1, c 0, d 1");
    QTest::newRow("the next op of the device") // c waits for a: 3-9, then d
        << QByteArray("a:3@d -> x:1\ns:2 -> c:6@d -> d:1")
        << QStringLiteral("a 0, c 0, d 0, s 1, x -");
    QTest::newRow("what nobody waits for") << QByteArray("a:10\nb:4") << QStringLiteral("a 0, b -");
    // Both need 20 for 10 each; a's successor ends at 22, b's at 25.
    QTest::newRow("a shared link")
        << QByteArray("a:10@link -> x:2\nb:10@link -> y:5\nx -> e:1\ny -> e")
        << QStringLiteral("a 0, b 0, e 0, x 3, y 0");
    // b runs at 0-5, c at 10-15: b would have 10, but the link is c's from 10 on.
    QTest::newRow("a link that was idle meanwhile")
        << QByteArray("b:5@link -> e:1\ns:10 -> c:5@link -> e")
        << QStringLiteral("b 5, c 0, e 0, s 0");
}

void TestSlack::opsHaveTheTimeThatNobodyNeeds()
{
    QFETCH(QByteArray, graph);
    QFETCH(QString, slack);
    const Graph g = graphFromText(graph.toStdString());
    const ReplayResult result = replay(g, {});
    QCOMPARE(slackText(g, slackBefore(g, result, lastOp(result), -1)), slack);
}

void TestSlack::thereIsNoneAlongTheCriticalPath()
{
    std::mt19937 random(7);
    for (int i = 0; i < 500; ++i) {
        const Graph graph = graphFromText(randomGraph(random, { "d0", "d1", "d2", "link2" }));
        const ReplayResult result = replay(graph, {});
        const std::vector<std::int64_t> slack = slackBefore(graph, result, lastOp(result), -1);
        for (const std::int64_t ns : slack)
            QVERIFY(ns >= 0);
        for (const OpId op : criticalPath(graph, result, lastOp(result)))
            QCOMPARE(slack[op.value], std::int64_t { 0 });
    }
}

void TestSlack::anOpMayGrowByItsSlackAndNotByMore()
{
    std::mt19937 random(11);
    for (int i = 0; i < 1000; ++i) {
        const Graph graph = graphFromText(randomGraph(random, { "d0", "d1", "d2", "d3" }));
        const ReplayResult result = replay(graph, {});
        const OpId last = lastOp(result);
        const std::vector<std::int64_t> slack = slackBefore(graph, result, last, -1);
        for (std::size_t op = 0; op < graph.size(); ++op) {
            const bool isLimited = slack[op] != NoSlackLimit;
            const auto endNs = [&](std::int64_t moreNs) {
                return endInSameOrder(graph, result, last, op, moreNs);
            };
            QCOMPARE(endNs(isLimited ? slack[op] : 1'000'000), result.endNs[last.value]);
            if (isLimited)
                QCOMPARE(endNs(slack[op] + 1), result.endNs[last.value] + 1);
        }
    }
}

void TestSlack::onlyWhatEndsLaterIsLookedAt()
{
    const Graph graph = graphFromText("a:10 -> b:5 -> c:5\nd:12 -> c");
    const ReplayResult result = replay(graph, {});
    QCOMPARE(slackText(graph, slackBefore(graph, result, lastOp(result), 10)),
             QStringLiteral("a -, b 0, c 0, d 3"));
}

/// Thousands of iterations are looked at with one Slack.
void TestSlack::oneAfterTheOtherAsEachAlone()
{
    std::mt19937 random(13);
    for (int i = 0; i < 200; ++i) {
        const Graph graph = graphFromText(randomGraph(random, { "d0", "d1", "d2", "link2" }));
        const ReplayResult result = replay(graph, {});
        Slack shared(graph, result);
        for (std::uint32_t op = 0; op < graph.size(); ++op) {
            const std::int64_t fromNs = static_cast<std::int64_t>(random() % 40);
            QCOMPARE(shared.before(OpId(op), fromNs),
                     Slack(graph, result).before(OpId(op), fromNs));
            for (const Slack::Entry &entry : shared.before(OpId(op), fromNs))
                QVERIFY(result.endNs[entry.op.value] > fromNs);
        }
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSlack)
#include "tst_slack.moc"
