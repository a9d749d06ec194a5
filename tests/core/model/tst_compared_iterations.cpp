#include "core/model/compared_iterations.h"
#include "tests/support/trace_builder.h"

#include <QElapsedTimer>
#include <QTest>

#include <limits>

using namespace core;

namespace {

/// Iterations of 100 us from `first` on, each with ops at its begin and its end, but for the last
/// `cut` of which only the begin is there.
std::string steps(int first, int count, int cut = 0)
{
    std::string text;
    for (int i = first; i < first + count; ++i) {
        const int begin = 100 * i;
        text += "iteration " + std::to_string(i) + " " + std::to_string(begin) + " 100\n";
        text += "forward " + std::to_string(begin + 2) + " 20\n";
        if (i < first + count - cut)
            text += "update " + std::to_string(begin + 95) + " 5\n";
    }
    return text;
}

std::string rank(int number, int first, int count, int cut = 0)
{
    return "rank " + std::to_string(number) + "\nthread main\n" + steps(first, count, cut);
}

/// "0:1 0:2 1:1 1:2": worker and number of each.
QString printed(const std::vector<Iteration> &iterations)
{
    QStringList list;
    for (const Iteration &iteration : iterations)
        list << QStringLiteral("%1:%2").arg(iteration.worker.value).arg(iteration.index);
    return list.join(QLatin1Char(' '));
}

/// Where what some ranks lack lies between what all have.
void addRowsOfRuns()
{
    // A replay took the time of the one between for a part of the one before.
    QTest::newRow("one lacks one between")
        << rank(0, 0, 6) + rank(1, 0, 3) + steps(4, 2) << QStringLiteral("0:0 0:1 0:2 1:0 1:1 1:2")
        << QStringLiteral("3 of 6")
        << QStringLiteral("Iteration 3 of rank 1 was not recorded whole. Figures are "
                          "of iterations 0 to 2 (3 of 6), the longest run that every rank has.");
    QTest::newRow("of runs of the same length the last")
        << rank(0, 0, 5) + rank(1, 0, 2) + steps(3, 2) << QStringLiteral("0:3 0:4 1:3 1:4")
        << QStringLiteral("2 of 5")
        << QStringLiteral("Iteration 2 of rank 1 was not recorded whole. Figures are "
                          "of iterations 3 and 4 (2 of 5), the longest run that every rank has.");
}

} // namespace

class ComparedIterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void thoseOfEveryRankAreKept_data();
    void thoseOfEveryRankAreKept();
    void numbersAreListedShortly();
    void ranksOfAnotherJobAreNotAsked();
    void eachWorkerHasAsMany();
    void ranksWithoutAnyAreNotAsked();
    void manyAreFoundSoon();
};

void ComparedIterationsTest::thoseOfEveryRankAreKept_data()
{
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("kept");
    QTest::addColumn<QString>("counts"); ///< compared of recorded
    QTest::addColumn<QString>("leftOut");
    QTest::newRow("all") << rank(0, 0, 2) + rank(1, 0, 2) << QStringLiteral("0:0 0:1 1:0 1:1")
                         << QStringLiteral("2 of 2") << QString();
    QTest::newRow("one began later")
        << rank(0, 0, 3) + rank(1, 1, 2) << QStringLiteral("0:1 0:2 1:1 1:2")
        << QStringLiteral("2 of 3")
        << QStringLiteral("Iteration 0 of rank 1 was not recorded whole. Figures are "
                          "of iterations 1 and 2 (2 of 3), which every rank has.");
    QTest::newRow("one breaks off inside of its last")
        << rank(0, 0, 3) + rank(1, 0, 3, 1) << QStringLiteral("0:0 0:1 1:0 1:1")
        << QStringLiteral("2 of 3")
        << QStringLiteral("Iteration 2 of rank 1 (its recording breaks off inside of iteration 2) "
                          "was not recorded whole. Figures are of iterations 0 and 1 "
                          "(2 of 3), which every rank has.");
    // Two processes on one core: all ops are there, and the last one's step ends late.
    QTest::newRow("one waits at the end of its last")
        << rank(0, 0, 3) + rank(1, 0, 2) + "iteration 2 200 140\nforward 202 20\nupdate 222 5\n"
        << QStringLiteral("0:0 0:1 0:2 1:0 1:1 1:2") << QStringLiteral("3 of 3") << QString();
    // A cut file: the window said 4 iterations, 3, and 0 to 5.
    QTest::newRow("one was cut")
        << rank(0, 0, 6) + rank(1, 0, 6) + rank(2, 0, 4, 1)
        << QStringLiteral("0:0 0:1 0:2 1:0 1:1 1:2 2:0 2:1 2:2") << QStringLiteral("3 of 6")
        << QStringLiteral("Iterations 3 to 5 of rank 2 (its recording breaks off inside of "
                          "iteration 3) were not recorded whole. Figures are of "
                          "iterations 0 to 2 (3 of 6), which every rank has.");
    QTest::newRow("several lack different ones")
        << rank(0, 0, 6) + rank(1, 0, 4) + rank(2, 0, 4) + rank(3, 2, 4)
        << QStringLiteral("0:2 0:3 1:2 1:3 2:2 2:3 3:2 3:3") << QStringLiteral("2 of 6")
        << QStringLiteral("Iterations 0 and 1 of rank 3 and iterations 4 and 5 of ranks 1-2 were "
                          "not recorded whole. Figures are of iterations 2 and 3 "
                          "(2 of 6), which every rank has.");
    addRowsOfRuns();
    QTest::newRow("the only rank breaks off")
        << rank(0, 0, 3, 1) << QStringLiteral("0:0 0:1") << QStringLiteral("2 of 3")
        << QStringLiteral("Iteration 2 of rank 0 (its recording breaks off inside of iteration 2) "
                          "was not recorded whole. Figures are of iterations 0 and 1 "
                          "(2 of 3).");
    QTest::newRow("none in common")
        << rank(0, 0, 2) + rank(1, 5, 3) << QStringLiteral("0:0 0:1 1:5 1:6")
        << QStringLiteral("2 of 3")
        << QStringLiteral("The ranks have no number of an iteration in common, so that the first "
                          "2 of each are compared, of up to 3.");
    QTest::newRow("as many of other numbers")
        << rank(0, 0, 2) + rank(1, 5, 2) << QStringLiteral("0:0 0:1 1:5 1:6")
        << QStringLiteral("2 of 2")
        << QStringLiteral("The ranks number their iterations differently: the first of each are "
                          "compared, then the second, and so on.");
    QTest::newRow("always quiet at the end")
        << rank(0, 0, 2) + rank(1, 0, 2, 2) << QStringLiteral("0:0 0:1 1:0 1:1")
        << QStringLiteral("2 of 2") << QString();
}

void ComparedIterationsTest::thoseOfEveryRankAreKept()
{
    QFETCH(const std::string, text);
    QFETCH(const QString, kept);
    QFETCH(const QString, counts);
    QFETCH(const QString, leftOut);
    const ComparedIterations compared = comparedIterations(tests::traceFromText(text));
    QCOMPARE(printed(compared.iterations), kept);
    QCOMPARE(QStringLiteral("%1 of %2").arg(compared.count).arg(compared.recordedCount), counts);
    QCOMPARE(QString::fromStdString(compared.leftOut), leftOut);
}

void ComparedIterationsTest::numbersAreListedShortly()
{
    QCOMPARE(iterationNumbersText({}), std::string("no iteration"));
    QCOMPARE(iterationNumbersText({ 7 }), std::string("iteration 7"));
    QCOMPARE(iterationNumbersText({ 0, 1 }), std::string("iterations 0 and 1"));
    QCOMPARE(iterationNumbersText({ 0, 2, 5 }), std::string("iterations 0, 2 and 5"));
    QCOMPARE(iterationNumbersText({ 3, 4, 5, 6 }), std::string("iterations 3 to 6"));
    QCOMPARE(iterationNumbersText({ 0, 2, 4, 6, 8, 9 }),
             std::string("iterations 0, 2, 4 and 3 more"));
    constexpr auto Smallest = std::numeric_limits<std::int64_t>::min();
    constexpr auto Largest = std::numeric_limits<std::int64_t>::max();
    QCOMPARE(iterationNumbersText({ Smallest, 0, Largest }),
             std::string("iterations -9223372036854775808, 0 and 9223372036854775807"));
}

/// A foreign trace in the folder, with other numbers, kept every iteration in the replay.
void ComparedIterationsTest::ranksOfAnotherJobAreNotAsked()
{
    Trace trace = tests::traceFromText(rank(0, 0, 3) + rank(1, 1, 2) + rank(2, 2, 2));
    trace.workers[0].worldSize = trace.workers[1].worldSize = 2;
    trace.workers[2].worldSize = 64;
    QCOMPARE(printed(comparedIterations(trace).iterations), QStringLiteral("0:1 0:2 1:1 1:2"));
    trace = tests::traceFromText(rank(0, 0, 3) + rank(1, 1, 2) + rank(2, 1, 2));
    trace.workers[0].worldSize = trace.workers[1].worldSize = 2;
    trace.workers[2].worldSize = 64;
    QCOMPARE(printed(comparedIterations(trace).iterations),
             QStringLiteral("0:1 0:2 1:1 1:2 2:1 2:2"));
}

/// What is found by place in one worker's list is looked up in the others'.
void ComparedIterationsTest::eachWorkerHasAsMany()
{
    const std::string twice = "rank 1\nthread main\n" + steps(0, 2)
        + "iteration 1 300 100\nforward 302 20\nupdate 395 5\n";
    QCOMPARE(printed(comparedIterations(tests::traceFromText(rank(0, 0, 2) + twice)).iterations),
             QStringLiteral("0:0 0:1 1:0 1:1"));
    Trace apart = tests::traceFromText(rank(0, 0, 3) + rank(1, 5, 2) + rank(2, 9, 1));
    apart.workers[0].worldSize = apart.workers[1].worldSize = 2;
    apart.workers[2].worldSize = 64;
    QCOMPARE(printed(comparedIterations(apart).iterations), QStringLiteral("0:0 0:1 1:5 1:6"));
}

void ComparedIterationsTest::ranksWithoutAnyAreNotAsked()
{
    Trace trace = tests::traceFromText(rank(0, 0, 3) + rank(1, 1, 2));
    Worker graphOnly;
    graphOnly.id = WorkerId(2);
    graphOnly.rank = 2;
    trace.workers.push_back(graphOnly);
    QCOMPARE(printed(comparedIterations(trace).iterations), QStringLiteral("0:1 0:2 1:1 1:2"));
}

/// It copied all that were found at each: half a minute.
void ComparedIterationsTest::manyAreFoundSoon()
{
    constexpr std::size_t Count = 200'000;
    const std::vector<Worker> workers(1);
    std::vector<Iteration> iterations(Count);
    for (std::size_t i = 0; i < Count; ++i) {
        const auto number = static_cast<std::int64_t>(i);
        iterations[i].index = number;
        iterations[i].range = { 10 * number, 10 * number + 9 };
    }
    QElapsedTimer timer;
    timer.start();
    QCOMPARE(comparedIterations(workers, iterations).count, Count);
    QVERIFY2(timer.elapsed() < 5'000, qPrintable(QString::number(timer.elapsed())));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ComparedIterationsTest)
#include "tst_compared_iterations.moc"
