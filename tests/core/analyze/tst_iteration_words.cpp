#include "core/analyze/iteration_words.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

class IterationWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void iterationsAreNamed();
    void aRecordingWithoutIterationsIsCalledSo();
};

namespace {

IterationWords ofIterations(int count)
{
    std::string text = "rank 0\n";
    for (int i = 0; i < count; ++i)
        text += "iteration " + std::to_string(i) + " " + std::to_string(100 * i) + " 100\n";
    return { tests::traceFromText(text + "thread main\nforward 0 350\n"), count };
}

} // namespace

void IterationWordsTest::iterationsAreNamed()
{
    QCOMPARE(ofIterations(3).one(), std::string("an iteration"));
    QCOMPARE(ofIterations(3).per(), std::string(" per iteration"));
    QCOMPARE(ofIterations(1).one(), std::string("the iteration"));
    QCOMPARE(ofIterations(1).per(), std::string());
}

void IterationWordsTest::aRecordingWithoutIterationsIsCalledSo()
{
    const IterationWords words(tests::traceFromText("rank 0\nthread main\nforward 0 40\n"), 1);
    QCOMPARE(words.one(), std::string("the recorded time"));
    QCOMPARE(words.per(), std::string());
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationWordsTest)
#include "tst_iteration_words.moc"
