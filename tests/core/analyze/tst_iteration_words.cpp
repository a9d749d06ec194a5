#include "core/analyze/iteration_words.h"
#include "tests/support/trace_builder.h"

#include <QTest>

using namespace core;

class IterationWordsTest : public QObject
{
    Q_OBJECT

private slots:
    void aGainNamesTheReplayedAndTheMeasuredIteration();
    void aMeasuredMeanIsOfTheMeanIteration();
    void aRecordingWithoutIterationsIsCalledSo();
};

namespace {

constexpr std::int64_t Ms = 1'000'000;

IterationWords ofIterations(int count)
{
    std::string text = "rank 0\n";
    for (int i = 0; i < count; ++i)
        text += "iteration " + std::to_string(i) + " " + std::to_string(100 * i) + " 100\n";
    return { tests::traceFromText(text + "thread main\nforward 0 350\n"), count };
}

} // namespace

/// A length was called the iteration's that was the replay's.
void IterationWordsTest::aGainNamesTheReplayedAndTheMeasuredIteration()
{
    const IterationWords words = ofIterations(3);
    QCOMPARE(words.ofEach(110 * Ms, 109 * Ms),
             std::string("of each 110.0 ms iteration (replayed; 109.0 ms measured)"));
    QCOMPARE(words.ofEach(110 * Ms, 110 * Ms + 1), std::string("of each 110.0 ms iteration"));
    QCOMPARE(words.ofThe(110 * Ms, 109 * Ms),
             std::string("of the 110.0 ms iteration (replayed; 109.0 ms measured)"));
    QCOMPARE(ofIterations(1).ofEach(110 * Ms, 109 * Ms),
             std::string("of the 110.0 ms iteration (replayed; 109.0 ms measured)"));
}

void IterationWordsTest::aMeasuredMeanIsOfTheMeanIteration()
{
    QCOMPARE(ofIterations(3).ofEachMeasured(110 * Ms),
             std::string("of each 110.0 ms iteration (measured, mean)"));
    QCOMPARE(ofIterations(1).ofEachMeasured(110 * Ms),
             std::string("of the 110.0 ms iteration (measured)"));
}

void IterationWordsTest::aRecordingWithoutIterationsIsCalledSo()
{
    const IterationWords words(tests::traceFromText("rank 0\nthread main\nforward 0 40\n"), 1);
    QVERIFY(words.isWholeRecording());
    QCOMPARE(words.ofEach(40 * Ms, 41 * Ms),
             std::string("of the 40.00 ms that the recording takes (replayed; 41.00 ms measured)"));
    QCOMPARE(words.ofEachMeasured(40 * Ms),
             std::string("of the 40.00 ms that the recording takes (measured)"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(IterationWordsTest)
#include "tst_iteration_words.moc"
