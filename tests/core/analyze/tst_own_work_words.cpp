#include "core/analyze/own_work_words.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

namespace {

Graph graphOf(int ranks, const std::string &rows)
{
    std::string text;
    for (int rank = 0; rank < ranks; ++rank)
        text += "rank " + std::to_string(rank) + "\niteration 0 0 100\n" + rows;
    return measuredGraph(tests::traceFromText(text), {});
}

} // namespace

class OwnWorkWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void namesWhatIsSummed_data();
    void namesWhatIsSummed();
    void namesWhatItIsComparedWith();
};

void OwnWorkWordsTest::namesWhatIsSummed_data()
{
    QTest::addColumn<QByteArray>("rows");
    QTest::addColumn<double>("slowdown");
    QTest::addColumn<QString>("subject");
    QTest::newRow("one thread") << QByteArray("thread main\nforward 0 40\n") << 1.0
                                << QStringLiteral("own work (with gaps between operations)");
    QTest::newRow("two threads")
        << QByteArray("thread main\nforward 0 40\nthread autograd\nbackward 50 40\n") << 1.0
        << QStringLiteral("own work (with gaps between operations, on any of its 2 threads)");
    QTest::newRow("beside communication")
        << QByteArray("thread main\nforward 0 40\nthread autograd\nbackward 50 40\n") << 1.2
        << QStringLiteral("own work (with gaps between operations, on any of its 2 threads, "
                          "without the cost of overlap)");
}

void OwnWorkWordsTest::namesWhatIsSummed()
{
    QFETCH(const QByteArray, rows);
    QFETCH(const double, slowdown);
    QFETCH(const QString, subject);
    Graph graph = graphOf(1, rows.toStdString());
    graph.slowdown = slowdown;
    QCOMPARE(QString::fromStdString(OwnWorkWords(graph).subject()), subject);
}

/// With two ranks "the median rank" was neither of them.
void OwnWorkWordsTest::namesWhatItIsComparedWith()
{
    const std::string rows = "thread main\nforward 0 40\n";
    QCOMPARE(QString::fromStdString(OwnWorkWords(graphOf(2, rows)).reference()),
             QStringLiteral("the mean of both ranks"));
    QCOMPARE(QString::fromStdString(OwnWorkWords(graphOf(3, rows)).reference()),
             QStringLiteral("the median of all ranks"));
    std::string text;
    for (int rank = 0; rank < 4; ++rank) {
        text += "rank " + std::to_string(rank) + "\niteration 0 0 100\n";
        if (rank != 1)
            text += rows;
        if (rank == 2) // 0 and 2 of three work
            QCOMPARE(OwnWorkWords(measuredGraph(tests::traceFromText(text), {})).reference(),
                     std::string("the mean of the 2 ranks that work"));
    }
    QCOMPARE(OwnWorkWords(measuredGraph(tests::traceFromText(text), {})).reference(),
             std::string("the median of the 3 ranks that work"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(OwnWorkWordsTest)
#include "tst_own_work_words.moc"
