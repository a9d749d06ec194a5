#include "core/compare/comparison_json.h"
#include "core/compare/comparison_rows.h"
#include "core/compare/comparison_words.h"
#include "core/compare/run_comparison.h"
#include "tests/core/compare/made_up_runs.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <nlohmann/json.hpp>

using namespace core;
using namespace tests;

class RunComparisonTest : public QObject
{
    Q_OBJECT

private slots:
    void thePromiseIsKeptOrNot_data();
    void thePromiseIsKeptOrNot();
    void aPromiseThatOnlyTheNoiseReachesSaysSo();
    void promisesCountFromTheMeasuredIteration_data();
    void promisesCountFromTheMeasuredIteration();
    void aStrategyThatChangesNothingPromisesNothing();
    void noiseOfAStrategyThatChangesNothingHidesNoGain();
    void noiseOfBothRunsAddsUpAsSquares();
    void moreIterationsWouldHelp();
    void noNumberOfIterationsWouldHelp();
    void otherRunsAreInconclusive_data();
    void otherRunsAreInconclusive();
    void aConfigThatWasNotUsedIsTold();
    void bucketsInAnotherOrderOfTensorsAreTheSame();
    void compressionIsSeenInTheBytes_data();
    void compressionIsSeenInTheBytes();
    void aStrategyOfMoreRanksWantsThem();
    void changesThatNoRecordingShowsAreNamed();
    void thePartThatBreaksThePromiseIsNamed();
    void withoutAPromiseTheDifferenceIsJudged_data();
    void withoutAPromiseTheDifferenceIsJudged();
    void rowsHaveTheIterationAndItsParts();
    void copiesAreShownWhereThereAreSome();
    void partsThatAreNotRecordedAreLeftOut();
    void unknownNoiseIsNullInJson();
};

namespace {

QByteArray verdictOf(const RunComparison &comparison)
{
    return QByteArray::fromStdString(std::string(verdictName(comparison.verdict)));
}

QByteArray doubtsOf(const RunComparison &comparison)
{
    QByteArrayList names;
    for (const Doubt doubt : comparison.doubts)
        names.append(QByteArray::fromStdString(std::string(doubtName(doubt))));
    return names.join(' ');
}

} // namespace

void RunComparisonTest::thePromiseIsKeptOrNot_data()
{
    QTest::addColumn<qint64>("laterNs");
    QTest::addColumn<double>("noiseNs");
    QTest::addColumn<QByteArray>("verdict");
    QTest::addColumn<QByteArray>("doubts");
    // Promised: 800 ns (780 to 820) instead of 1000, a gain of 180 to 220.
    QTest::newRow("kept") << qint64 { 810 } << 10.0 << QByteArray("kept") << QByteArray();
    QTest::newRow("better") << qint64 { 700 } << 10.0 << QByteArray("kept") << QByteArray();
    // Noise of both is 14, so the measured gain ends at 114.
    QTest::newRow("not kept") << qint64 { 900 } << 10.0 << QByteArray("not_kept") << QByteArray();
    QTest::newRow("too noisy") << qint64 { 810 } << 150.0 << QByteArray("inconclusive")
                               << QByteArray("noise");
}

void RunComparisonTest::thePromiseIsKeptOrNot()
{
    QFETCH(const qint64, laterNs);
    QFETCH(const double, noiseNs);
    QFETCH(const QByteArray, verdict);
    QFETCH(const QByteArray, doubts);
    const RunComparison comparison = compareRuns(
        madeUpRun(1000, noiseNs), laterRun(laterNs, noiseNs), madeUpPromise(800, 780, 820));
    QCOMPARE(verdictOf(comparison), verdict);
    QCOMPARE(doubtsOf(comparison), doubts);
}

void RunComparisonTest::aPromiseThatOnlyTheNoiseReachesSaysSo()
{
    const Promise promise = madeUpPromise(800, 780, 820);
    const auto headline = [&promise](std::int64_t laterNs) {
        return QByteArray::fromStdString(
            comparisonHeadline(compareRuns(madeUpRun(1000, 0), laterRun(laterNs, 50), promise)));
    };
    QCOMPARE(headline(810),
             QByteArray("Kept: 810 ns instead of 1.000 us, promised 800 ns (780 ns to 820 ns)."));
    QVERIFY(headline(840).startsWith("Kept within the noise (\u00b150 ns): 840 ns instead of "));
}

void RunComparisonTest::promisesCountFromTheMeasuredIteration_data()
{
    QTest::addColumn<qint64>("replayedNs");
    QTest::addColumn<qint64>("laterNs");
    QTest::addColumn<double>("noiseNs");
    QTest::addColumn<QString>("headline");
    // A gain of 200 ns (180 to 220) is promised, whatever the replay is off.
    const QString promised = QStringLiteral(" instead of 1.000 us, promised 800 ns (780 ns to "
                                            "820 ns).");
    const auto row = [&promised](const char *name, qint64 replayedNs, qint64 laterNs,
                                 double noiseNs, const QString &beginning) {
        QTest::newRow(name) << replayedNs << laterNs << noiseNs << beginning + promised;
    };
    const QString within = QStringLiteral("Kept within the noise (\u00b150 ns): ");
    row("slow replay, kept", 1030, 810, 5, QStringLiteral("Kept: 810 ns"));
    row("slow replay, not kept", 1030, 830, 5, QStringLiteral("Not kept: 830 ns"));
    row("slow replay, noise", 1030, 830, 50, within + QStringLiteral("830 ns"));
    row("fast replay, kept", 970, 810, 5, QStringLiteral("Kept: 810 ns"));
    row("fast replay, not kept", 970, 830, 5, QStringLiteral("Not kept: 830 ns"));
    row("fast replay, noise", 970, 830, 50, within + QStringLiteral("830 ns"));
}

void RunComparisonTest::promisesCountFromTheMeasuredIteration()
{
    QFETCH(const qint64, replayedNs);
    QFETCH(const qint64, laterNs);
    QFETCH(const double, noiseNs);
    QFETCH(const QString, headline);
    const Promise promise = promiseOfReplay(madeUpPromise(800, 780, 820), replayedNs);
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, 0), laterRun(laterNs, noiseNs), promise);
    const QString answer = QString::fromStdString(comparisonHeadline(comparison));
    QCOMPARE(answer, headline);
    QVERIFY(answer.split(u' ').size() <= 20);
    const std::vector<ComparedRow> rows = comparedRows(comparison);
    QVERIFY(rows.front().promisedNs.has_value());
    QCOMPARE(*rows.front().promisedNs, std::int64_t { 800 });
    const auto json = toJson(comparison);
    QCOMPARE(json["promise"]["iteration_ns"].get<int>(), 800);
    QCOMPARE(json["promise"]["iteration_ci95_ns"].get<std::vector<int>>(),
             (std::vector<int> { 780, 820 }));
}

/// A promised gain of 0 ns is no gain that noise could be compared with.
void RunComparisonTest::noiseOfAStrategyThatChangesNothingHidesNoGain()
{
    Promise promise = madeUpPromise(1000, 1000, 1000);
    promise.noChange = "The job already has these buckets.";
    promise.buckets = { 1, 3 };
    const RunComparison comparison = compareRuns(madeUpRun(1000, 300), madeUpRun(1000, 0), promise);
    QCOMPARE(doubtsOf(comparison), QByteArray("noise"));
    const QString answer = QString::fromStdString(comparisonHeadline(comparison));
    QVERIFY2(answer.startsWith(
                 QStringLiteral("Inconclusive: the noise of both runs, \u00b1300 ns, hides what "
                                "changed.")),
             qPrintable(answer));
}

void RunComparisonTest::aStrategyThatChangesNothingPromisesNothing()
{
    Promise promise = madeUpPromise(1000, 1000, 1000);
    promise.noChange = "The job already has these buckets.";
    promise.buckets = { 1, 3 };
    const RunComparison comparison = compareRuns(madeUpRun(1000, 10), madeUpRun(1000, 10), promise);
    QCOMPARE(verdictOf(comparison), QByteArray("no_difference"));
    QCOMPARE(QByteArray::fromStdString(comparisonHeadline(comparison)),
             QByteArray("No difference: 1.000 us instead of 1.000 us, within the noise of "
                        "\u00b114 ns."));
    QCOMPARE(QByteArray::fromStdString(comparisonNotes(comparison).front()),
             QByteArray("The job already has these buckets."));
}

void RunComparisonTest::noiseOfBothRunsAddsUpAsSquares()
{
    MeasuredRun earlier = madeUpRun(1000, 0), later = madeUpRun(900, 0);
    earlier.iteration = { 1000, 30, 50 };
    later.iteration = { 900, 120, 40 };
    const RunGain gain = compareRuns(earlier, later, {}).gain;
    QCOMPARE(gain.ns, std::int64_t { 100 });
    QCOMPARE(gain.lowNs, std::int64_t { 50 }); // 30 and 40: 50 down
    QCOMPARE(gain.highNs, std::int64_t { 230 }); // 50 and 120: 130 up
}

/// Student's t of 6 iterations is 2.57, and the noise 257: 100 for each of it. 200 is promised, so
/// t must be below 2; 1.96 + 2.5 / 63 is 1.9997, that of 64 iterations.
void RunComparisonTest::moreIterationsWouldHelp()
{
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, 257), laterRun(800, 0), madeUpPromise(800, 780, 820));
    QCOMPARE(doubtsOf(comparison), QByteArray("noise"));
    QVERIFY(comparison.neededIterations.has_value());
    QCOMPARE(*comparison.neededIterations, std::size_t { 64 });
    const std::string headline = comparisonHeadline(comparison);
    QVERIFY2(headline.find("64 iterations") != std::string::npos, headline.c_str());
}

void RunComparisonTest::noNumberOfIterationsWouldHelp()
{
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, 300), laterRun(800, 0), madeUpPromise(800, 780, 820));
    QCOMPARE(doubtsOf(comparison), QByteArray("noise"));
    QVERIFY(!comparison.neededIterations.has_value());
}

void RunComparisonTest::otherRunsAreInconclusive_data()
{
    QTest::addColumn<QByteArray>("change");
    QTest::addColumn<QByteArray>("doubts");
    QTest::addColumn<QByteArray>("word");
    const auto row = [](const char *change, const char *doubts, const char *word) {
        QTest::newRow(change) << QByteArray(change) << QByteArray(doubts) << QByteArray(word);
    };
    row("two iterations", "few_iterations", "later run has 2 iterations");
    row("no iterations", "no_iterations", "iterations of the later run");
    row("framework", "other_framework", "tensorflow");
    row("ranks", "other_ranks", "4 ranks");
    row("tensors", "other_tensors", "3 gradients");
}

void RunComparisonTest::otherRunsAreInconclusive()
{
    QFETCH(const QByteArray, change);
    QFETCH(const QByteArray, doubts);
    QFETCH(const QByteArray, word);
    MeasuredRun later = madeUpRun(500, 1);
    if (change == "two iterations")
        later.iterationCount = 2;
    else if (change == "no iterations")
        later.iterationCount = 0;
    else if (change == "framework")
        later.framework = Framework::TensorFlowOrJax;
    else if (change == "ranks")
        later.ranks = 4;
    else
        later.tensorBytes = { 10, 20, 30 };
    const RunComparison comparison = compareRuns(madeUpRun(1000, 1), later, {});
    QCOMPARE(verdictOf(comparison), QByteArray("inconclusive"));
    QCOMPARE(doubtsOf(comparison), doubts);
    const std::string headline = comparisonHeadline(comparison);
    QVERIFY2(headline.find(word.toStdString()) != std::string::npos, headline.c_str());
}

void RunComparisonTest::aConfigThatWasNotUsedIsTold()
{
    const RunComparison unused
        = compareRuns(madeUpRun(1000, 1), madeUpRun(1000, 1), madeUpPromise(800, 780, 820));
    QCOMPARE(doubtsOf(unused), QByteArray("other_buckets"));
    QVERIFY(unused.buckets == BucketUse::AsBefore);
    QCOMPARE(QByteArray::fromStdString(comparisonHeadline(unused)),
             QByteArray("Inconclusive: the later run still has 2 buckets of 1,3 tensors, but the "
                        "strategy makes 3 buckets of 1,1,2 tensors: the config was not used."));
    MeasuredRun other = madeUpRun(800, 1);
    other.buckets = { 2, 2 };
    const RunComparison another
        = compareRuns(madeUpRun(1000, 1), other, madeUpPromise(800, 780, 820));
    QCOMPARE(doubtsOf(another), QByteArray("other_buckets"));
    QVERIFY(another.buckets == BucketUse::Other);
}

void RunComparisonTest::bucketsInAnotherOrderOfTensorsAreTheSame()
{
    MeasuredRun later = laterRun(800, 1);
    later.tensorBytes = { 10, 20, 40, 30 };
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, 1), later, madeUpPromise(800, 780, 820));
    QCOMPARE(verdictOf(comparison), QByteArray("kept"));
    QVERIFY(comparison.buckets == BucketUse::AsPromised);
}

void RunComparisonTest::compressionIsSeenInTheBytes_data()
{
    QTest::addColumn<double>("sentShare");
    QTest::addColumn<QByteArray>("doubts");
    QTest::newRow("half the bytes") << 0.5 << QByteArray();
    QTest::newRow("half the bytes and headers") << 0.52 << QByteArray();
    QTest::newRow("all bytes") << 1.0 << QByteArray("other_bytes");
}

void RunComparisonTest::compressionIsSeenInTheBytes()
{
    QFETCH(const double, sentShare);
    QFETCH(const QByteArray, doubts);
    Promise promise = madeUpPromise(800, 780, 820);
    promise.strategy = { { "compression", 2.0 } };
    promise.buckets.clear();
    MeasuredRun later = madeUpRun(800, 1);
    later.sentShare = sentShare;
    const RunComparison comparison = compareRuns(madeUpRun(1000, 1), later, promise);
    QCOMPARE(doubtsOf(comparison), doubts);
    QCOMPARE(comparison.sendsAsPromised, doubts.isEmpty());
    QVERIFY(comparison.unseen.empty());
}

void RunComparisonTest::aStrategyOfMoreRanksWantsThem()
{
    Promise promise = madeUpPromise(800, 780, 820);
    promise.strategy = { { "world_size", 4.0 } };
    promise.buckets.clear();
    MeasuredRun later = madeUpRun(800, 1);
    QCOMPARE(doubtsOf(compareRuns(madeUpRun(1000, 1), later, promise)), QByteArray("other_ranks"));
    later.ranks = 4;
    QCOMPARE(doubtsOf(compareRuns(madeUpRun(1000, 1), later, promise)), QByteArray());
}

void RunComparisonTest::changesThatNoRecordingShowsAreNamed()
{
    Promise promise = madeUpPromise(800, 780, 820);
    promise.strategy.set({ "latency_us", 10.0 });
    MeasuredRun later = laterRun(800, 1);
    QCOMPARE(compareRuns(madeUpRun(1000, 1), later, promise).unseen,
             (std::vector<std::string> { "latency_us" }));
    later.buckets.clear();
    const RunComparison blind = compareRuns(madeUpRun(1000, 1), later, promise);
    QCOMPARE(blind.unseen, (std::vector<std::string> { "bucket_cap_mb", "latency_us" }));
    QCOMPARE(verdictOf(blind), QByteArray("kept"));
}

void RunComparisonTest::thePartThatBreaksThePromiseIsNamed()
{
    MeasuredRun later = laterRun(900, 1);
    later.parts.computeNs = 405;
    later.parts.exposedCommNs = 495;
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, 1), later, madeUpPromise(800, 780, 820));
    QCOMPARE(verdictOf(comparison), QByteArray("not_kept"));
    QVERIFY(comparison.brokenPart.has_value());
    QCOMPARE(comparison.parts[*comparison.brokenPart].part.key, std::string_view("exposed_comm"));
    QVERIFY(comparisonNotes(comparison).front().find("495 ns, predicted 400 ns")
            != std::string::npos);
}

void RunComparisonTest::withoutAPromiseTheDifferenceIsJudged_data()
{
    QTest::addColumn<qint64>("laterNs");
    QTest::addColumn<double>("noiseNs");
    QTest::addColumn<QByteArray>("verdict");
    QTest::newRow("faster") << qint64 { 900 } << 30.0 << QByteArray("faster");
    QTest::newRow("slower") << qint64 { 1100 } << 30.0 << QByteArray("slower");
    QTest::newRow("the same") << qint64 { 1030 } << 30.0 << QByteArray("no_difference");
    // 10 % of the earlier iteration are 100, the noise of both is 113.
    QTest::newRow("nothing can be told") << qint64 { 1030 } << 80.0 << QByteArray("inconclusive");
    QTest::newRow("far slower") << qint64 { 1500 } << 80.0 << QByteArray("slower");
}

void RunComparisonTest::withoutAPromiseTheDifferenceIsJudged()
{
    QFETCH(const qint64, laterNs);
    QFETCH(const double, noiseNs);
    QFETCH(const QByteArray, verdict);
    const RunComparison comparison
        = compareRuns(madeUpRun(1000, noiseNs), madeUpRun(laterNs, noiseNs), {});
    QCOMPARE(verdictOf(comparison), verdict);
    QCOMPARE(comparison.doubts.empty(), verdict != "inconclusive");
    for (const ComparedPart &part : comparison.parts)
        QVERIFY(!part.promisedNs.has_value());
}

void RunComparisonTest::rowsHaveTheIterationAndItsParts()
{
    const std::vector<ComparedRow> rows = comparedRows(
        compareRuns(madeUpRun(1000, 0), laterRun(900, 50), madeUpPromise(800, 780, 820)));
    QCOMPARE(rows.size(), RunParts.size()); // no copies, but the iteration
    QCOMPARE(rows[0].title, std::string("iteration (median of 6 and 6, slowest rank)"));
    QCOMPARE(rows[1].title, std::string("mean compute"));
    QCOMPARE(rows[1].earlierNs, std::int64_t { 500 });
    QCOMPARE(rows[1].laterNs, std::int64_t { 450 });
    QCOMPARE(rows[1].promisedNs.value_or(0), std::int64_t { 400 });
    for (const ComparedRow &row : rows)
        QCOMPARE(row.noiseNs.value_or(0), std::int64_t { 50 });
    MeasuredRun single = madeUpRun(900, 0);
    single.iterationCount = 1;
    for (const ComparedRow &row : comparedRows(compareRuns(madeUpRun(1000, 0), single, {})))
        QVERIFY(!row.noiseNs && !row.promisedNs);
}

void RunComparisonTest::copiesAreShownWhereThereAreSome()
{
    MeasuredRun later = madeUpRun(1000, 1);
    QCOMPARE(compareRuns(madeUpRun(1000, 1), later, {}).parts.size(), RunParts.size() - 1);
    later.parts.memOnlyNs = 5;
    QCOMPARE(compareRuns(madeUpRun(1000, 1), later, {}).parts.size(), RunParts.size());
}

void RunComparisonTest::partsThatAreNotRecordedAreLeftOut()
{
    MeasuredRun later = madeUpRun(500, 1);
    later.parts = {};
    const RunComparison comparison = compareRuns(madeUpRun(1000, 1), later, {});
    QVERIFY(comparison.parts.empty());
    QCOMPARE(verdictOf(comparison), QByteArray("faster"));
    QVERIFY(comparisonNotes(comparison).back().find("spend their time") != std::string::npos);
}

void RunComparisonTest::unknownNoiseIsNullInJson()
{
    MeasuredRun later = madeUpRun(1000, 0);
    later.iterationCount = 1;
    const auto json = toJson(compareRuns(madeUpRun(1000, 1), later, {}));
    QVERIFY(json["gain_ci95_ns"].is_null());
    QVERIFY(json["parts"]["compute"]["noise_ns"].is_null());
    QVERIFY(json["promise"].is_null());
    QCOMPARE(json["doubts"][0].get<std::string>(), std::string("few_iterations"));
    QCOMPARE(json["needed_iterations"].get<int>(), 3);
}

LONGPOLE_TEST(RunComparisonTest)
#include "tst_run_comparison.moc"
