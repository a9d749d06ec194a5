#include "core/graph/common_iterations.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

namespace {

/// Iterations of 100 us from `first` on, each with ops at its begin and its end, but for the last
/// `cut` of which only the begin is there.
std::string rank(int number, int first, int count, int cut = 0)
{
    std::string text = "rank " + std::to_string(number) + "\nthread main\n";
    for (int i = first; i < first + count; ++i) {
        const int begin = 100 * i;
        text += "iteration " + std::to_string(i) + " " + std::to_string(begin) + " 100\n";
        text += "forward " + std::to_string(begin + 2) + " 20\n";
        if (i < first + count - cut)
            text += "update " + std::to_string(begin + 95) + " 5\n";
    }
    return text;
}

/// "0:1 0:2 1:1 1:2": worker and number of each.
QString printed(const std::vector<Iteration> &iterations)
{
    QStringList list;
    for (const Iteration &iteration : iterations)
        list << QStringLiteral("%1:%2").arg(iteration.worker.value).arg(iteration.index);
    return list.join(QLatin1Char(' '));
}

} // namespace

class CommonIterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void thoseOfEveryRankAreKept_data();
    void thoseOfEveryRankAreKept();
    void ranksOfAnotherJobAreNotAsked();
    void ranksWithoutAnyAreNotAsked();
};

void CommonIterationsTest::thoseOfEveryRankAreKept_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("kept");
    QTest::addColumn<int>("notes");
    QTest::newRow("all") << rank(0, 0, 2) + rank(1, 0, 2) << QStringLiteral("0:0 0:1 1:0 1:1") << 0;
    QTest::newRow("one began later")
        << rank(0, 0, 3) + rank(1, 1, 2) << QStringLiteral("0:1 0:2 1:1 1:2") << 1;
    QTest::newRow("one breaks off inside of its last")
        << rank(0, 0, 3) + rank(1, 0, 3, 1) << QStringLiteral("0:0 0:1 1:0 1:1") << 2;
    QTest::newRow("none in common")
        << rank(0, 0, 2) + rank(1, 5, 2) << QStringLiteral("0:0 0:1 1:5 1:6") << 0;
    QTest::newRow("always quiet at the end")
        << rank(0, 0, 2) + rank(1, 0, 2, 2) << QStringLiteral("0:0 0:1 1:0 1:1") << 0;
}

void CommonIterationsTest::thoseOfEveryRankAreKept()
{
    QFETCH(const std::string, text);
    QFETCH(const QString, kept);
    QFETCH(const int, notes);
    std::vector<std::string> told;
    QCOMPARE(printed(commonIterations(tests::traceFromText(text), told)), kept);
    QCOMPARE(static_cast<int>(told.size()), notes);
}

/// A foreign trace in the folder, with other numbers, kept every iteration in the replay.
void CommonIterationsTest::ranksOfAnotherJobAreNotAsked()
{
    Trace trace = tests::traceFromText(rank(0, 0, 3) + rank(1, 1, 2) + rank(2, 2, 2));
    trace.workers[0].worldSize = trace.workers[1].worldSize = 2;
    trace.workers[2].worldSize = 64;
    std::vector<std::string> told;
    QCOMPARE(printed(commonIterations(trace, told)), QStringLiteral("0:1 0:2 1:1 1:2 2:2"));
}

void CommonIterationsTest::ranksWithoutAnyAreNotAsked()
{
    Trace trace = tests::traceFromText(rank(0, 0, 3) + rank(1, 1, 2));
    Worker graphOnly;
    graphOnly.id = WorkerId(2);
    graphOnly.rank = 2;
    trace.workers.push_back(graphOnly);
    std::vector<std::string> told;
    QCOMPARE(printed(commonIterations(trace, told)), QStringLiteral("0:1 0:2 1:1 1:2"));
}

QTEST_GUILESS_MAIN(CommonIterationsTest)
#include "tst_common_iterations.moc"
