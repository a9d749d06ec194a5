#include "core/change/change_text.h"
#include "core/measure/parts.h"
#include "ui/views/compare/result_text.h"

#include <QTest>

using namespace ui;

namespace {

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' ')).replace(QChar(0x2212), QLatin1Char('-'));
}

core::Prediction sixIterations()
{
    auto graph = std::make_shared<core::Graph>();
    graph->iterationCount = 6;
    graph->collectives.resize(1);
    core::Prediction result;
    result.graph = graph;
    result.measuredNs = 669'900'000;
    result.measuredParts = { 302'300'000, 364'600'000, 76'330'000, 0, 2'200'000 };
    return result;
}

} // namespace

class TestResultText : public QObject
{
    Q_OBJECT

private slots:
    void theMedianNamesTheMeanThatThePartsAddUpTo();
    void aWholeRecordingHasNoMedian();
    void theCaptionSaysTheIterationBeforeTheSettings();
    void whatReadsAlikeIsTheSame();
    void aWhatIfsChangeIsFromTheUnchangedReplayToo();
    void theSchedulingEfficiencyHasTheUnchangedOneAndExplainsItsScale();
    void theIntervalNamesTheBaselineOfAWhatIf();
    void whatIsYetToBeFoundHasItsPlace();
    void aWhatIfSaysWhatItIsTrustedFor();
    void theStatusEndsWhereJudgingDoes();
    void onlyAChangeIsAGainOrALoss();
};

/// "same" was written in the colour of a loss, and so was the replay error of an unchanged trace.
void TestResultText::onlyAChangeIsAGainOrALoss()
{
    core::Prediction result = sixIterations();
    const auto verdict = [&result](std::int64_t predictedNs, std::int64_t halfWidthNs) {
        result.predictedNs = predictedNs;
        result.ciLowNs = predictedNs - halfWidthNs;
        result.ciHighNs = predictedNs + halfWidthNs;
        return verdictOf(result);
    };
    const std::int64_t slower = result.measuredNs * 2, faster = result.measuredNs / 2;
    QVERIFY(verdict(slower, 0) == ChangeVerdict::Neither); // nothing is set
    result.strategy = core::parseStrategy({ "bucket_cap_mb=5" });
    QVERIFY(verdict(slower, 0) == ChangeVerdict::Worse);
    QVERIFY(verdict(faster, 0) == ChangeVerdict::Better);
    QVERIFY(verdict(slower, slower) == ChangeVerdict::Neither);
    QVERIFY(verdict(result.measuredNs + 1000, 0) == ChangeVerdict::Neither); // reads "same"
    result.unknownInterval = "one iteration";
    QVERIFY(verdict(result.measuredNs + 1000, 0) == ChangeVerdict::Neither);
    QVERIFY(verdict(result.measuredNs / 1000 * 1005, 0) == ChangeVerdict::Neither); // +0.5 %
    QVERIFY(verdict(slower, 0) == ChangeVerdict::Worse);
}

/// The interval comes after the timeline: no line moves then.
void TestResultText::whatIsYetToBeFoundHasItsPlace()
{
    core::Prediction result = sixIterations();
    result.strategy = core::parseStrategy({ "bucket_cap_mb=5" });
    result.predictedNs = result.ciLowNs = result.ciHighNs = result.measuredNs * 2;
    result.daydreamNs.reset();
    result.isJudged = false;
    QCOMPARE(intervalText(result),
             QStringLiteral("95 %: not yet found\nSize over rate alone: not yet found"));
    QVERIFY(verdictOf(result) == ChangeVerdict::Neither);
    QCOMPARE(schedulingText(result, result),
             QStringLiteral("Time saved by overlap: not yet found"));
    result.isJudged = true;
    result.daydreamNs = result.measuredNs;
    QCOMPARE(intervalText(result).count(u'\n'), 1);
    QVERIFY(verdictOf(result) == ChangeVerdict::Worse);
    result.isJudged = false;
    result.unknownInterval = "one iteration"; // which is known at once
    QVERIFY(intervalText(result).startsWith(QStringLiteral("interval not known")));
}

/// Cancelled, it said "Finding out" for ever.
void TestResultText::theStatusEndsWhereJudgingDoes()
{
    core::Prediction whatIf;
    QVERIFY(statusText(nullptr, false).isEmpty());
    whatIf.isJudged = false;
    QVERIFY(statusText(&whatIf, true).startsWith(QStringLiteral("Finding out")));
    QVERIFY(statusText(&whatIf, false).contains(QStringLiteral("was cancelled")));
    whatIf.isJudged = true;
    QVERIFY(statusText(&whatIf, false).startsWith(QStringLiteral("Predicted.")));
    whatIf.noEffect = "No effect.";
    QCOMPARE(statusText(&whatIf, false), QStringLiteral("No effect."));
    whatIf.noChange = "Changes nothing.";
    QCOMPARE(statusText(&whatIf, false), QStringLiteral("Changes nothing."));
}

/// The window's grade is that of the unchanged replay. Where a what-if was graded alike, or changed
/// nothing, no grade stood above its reasons; what it is trusted for like the unchanged replay, as
/// `longpole replay` prints it, was nowhere to be read.
void TestResultText::aWhatIfSaysWhatItIsTrustedFor()
{
    core::Prediction unchanged, whatIf;
    whatIf.strategy = core::parseStrategy({ "bucket_cap_mb=5" });
    unchanged.trustReasons = whatIf.trustReasons = { "It is replayed well." };
    const QString asUnchanged
        = QStringLiteral("Trust in this what-if: good, as in the unchanged replay.");
    const QString shared
        = QStringLiteral("\nAs for the unchanged replay:\n\u2022 It is replayed well.");
    QCOMPARE(trustNote(whatIf, unchanged), asUnchanged + shared);
    whatIf.trustReasons.emplace_back("64 ranks.");
    QCOMPARE(trustNote(whatIf, unchanged),
             asUnchanged + QStringLiteral("\n\u2022 64 ranks.") + shared);
    whatIf.trust = core::TrustLevel::Poor;
    QCOMPARE(trustNote(whatIf, unchanged),
             QStringLiteral("Trust in this what-if: poor.\n\u2022 64 ranks.") + shared);
    QCOMPARE(trustNote(unchanged, unchanged),
             QStringLiteral("Trust in replays of this trace: good.\n\u2022 It is replayed well."));
}

void TestResultText::theMedianNamesTheMeanThatThePartsAddUpTo()
{
    const core::Prediction result = sixIterations();
    QCOMPARE(plain(measuredNote(result)),
             QStringLiteral("median of 6, slowest rank; mean of all ranks 669.1 ms"));
    QCOMPARE(meanTitle(result), QStringLiteral("Mean of 6 iterations, all ranks"));
    core::Prediction fillingUp = result;
    fillingUp.iterations.resize(1);
    fillingUp.iterations.front().warmUp = 1;
    QCOMPARE(meanTitle(fillingUp),
             QStringLiteral("Mean of 6 (predicted: last 5) iterations, all ranks"));
    const auto parts = resultParts(result.measuredParts, {});
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        sum += parts[i].measuredNs;
    QCOMPARE(parts[3].measuredNs, sum);
    QCOMPARE(parts[3].name, QStringLiteral("Total"));
    QVERIFY(!parts[4].isOfSum);
    core::Prediction copying = result;
    copying.measuredParts.memOnlyNs = 2'000'000;
    const auto withCopies = resultParts(copying.measuredParts, {});
    QCOMPARE(withCopies.size(), parts.size() + 1);
    QCOMPARE(withCopies[2].name, QStringLiteral("Copies"));
    QCOMPARE(withCopies[2].measuredNs, 2'000'000);
    QCOMPARE(withCopies[4].measuredNs, sum + 2'000'000);
    // What of the exposed communication is waiting, where that is known.
    core::Prediction waiting = result;
    waiting.measuredParts.exposedWaitNs = 64'600'000;
    const auto withWaits = resultParts(waiting.measuredParts, {});
    QCOMPARE(withWaits.size(), parts.size() + 1);
    QCOMPARE(withWaits[1].measuredNs, 300'000'000);
    QCOMPARE(withWaits[2].name, QStringLiteral("Waiting for other ranks"));
    QCOMPARE(withWaits[2].measuredNs, 64'600'000);
    QCOMPARE(withWaits[4].measuredNs, sum);
}

void TestResultText::aWholeRecordingHasNoMedian()
{
    core::Prediction result = sixIterations();
    result.hasIterations = false;
    QCOMPARE(plain(measuredNote(result)),
             QStringLiteral("the whole recording, slowest rank; mean over ranks 669.1 ms"));
    QCOMPARE(meanTitle(result), QStringLiteral("Mean over ranks"));
}

void TestResultText::theCaptionSaysTheIterationBeforeTheSettings()
{
    const auto settings = core::parseStrategy({ "bucket_cap_mb=5", "bandwidth_scale=2" });
    const QString iteration = iterationCaption({ 3, 6, 556'000'000, 560'000'000 });
    QCOMPARE(plain(iteration), QStringLiteral("iteration 3, 556.0 ms (median of 6: 560.0 ms)"));
    // A prediction is no median of its own iterations.
    QCOMPARE(plain(iterationCaption({ 3, 6, 556'000'000, 560'000'000, true })),
             QStringLiteral("iteration 3, 556.0 ms (typical: 560.0 ms)"));
    QCOMPARE(predictedCaption(settings, iteration),
             QStringLiteral("Predicted: ") + iteration
                 + QStringLiteral("; with Bucket size 5 MiB, Bandwidth factor 2 \u00d7"));
    QCOMPARE(predictedCaption({}, iteration),
             QStringLiteral("Predicted: the unchanged graph, replayed; ") + iteration);
    QCOMPARE(predictedCaption(settings, {}),
             QStringLiteral("Predicted with Bucket size 5 MiB, Bandwidth factor 2 \u00d7"));
    QCOMPARE(plain(iterationCaption({ 0, 1, 5'000'000, 5'000'000 })),
             QStringLiteral("iteration 0, 5.000 ms"));
}

/// "-35.33 us" beside two times of 2.676 s, and a change of "0.0 %".
void TestResultText::whatReadsAlikeIsTheSame()
{
    QCOMPARE(differenceText(2'676'000'000, 2'675'964'670), QStringLiteral("same"));
    QCOMPARE(differenceText(0, 0), QStringLiteral("same"));
    QCOMPARE(plain(differenceText(8'320'000, 8'363'000)), QStringLiteral("+43.00 \u00b5s"));
    QCOMPARE(changeText(1'000'000, 1'000'400), QStringLiteral("same"));
    QCOMPARE(plain(changeText(1'000'000, 1'000'600)), QStringLiteral("+0.1 %"));
    core::Prediction result = sixIterations();
    result.replayErrorFraction = 0.012;
    result.predictedNs = result.measuredNs + 1;
    QCOMPARE(plain(changeNote(result)),
             QStringLiteral("within 0.1 % of the measured iteration; replay error 1.2 %"));
    result.predictedNs *= 2;
    QCOMPARE(plain(changeNote(result)),
             QStringLiteral("of the measured iteration; replay error 1.2 %"));
}

/// A rank that computes longer seemed to gain, by less than what the replay is too short by.
void TestResultText::aWhatIfsChangeIsFromTheUnchangedReplayToo()
{
    core::Prediction result = sixIterations();
    result.strategy = core::parseStrategy({ "compute_scale:0=1.05" });
    result.unchangedNs = result.measuredNs / 1000 * 990;
    result.predictedNs = result.measuredNs / 1000 * 997;
    QCOMPARE(plain(changeText(result.measuredNs, result.predictedNs)), QStringLiteral("-0.3 %"));
    QCOMPARE(plain(changeNote(result)),
             QStringLiteral("of the measured iteration; +0.7 % of the unchanged replay"));
    result.predictedNs = result.unchangedNs;
    QCOMPARE(plain(changeNote(result)),
             QStringLiteral("of the measured iteration; the same as the unchanged replay"));
}

void TestResultText::theSchedulingEfficiencyHasTheUnchangedOneAndExplainsItsScale()
{
    core::Prediction unchanged = sixIterations();
    QCOMPARE(schedulingText(unchanged, unchanged), QString()); // nothing could overlap
    unchanged.scheduling = { .efficiency = 0.62, .speedup = 1.4 };
    QCOMPARE(plain(schedulingText(unchanged, unchanged)),
             QStringLiteral("Time saved by overlap: 62 % of the most possible"));
    core::Prediction whatIf = unchanged;
    whatIf.strategy.set({ "bandwidth_scale", 2 });
    whatIf.scheduling = { .efficiency = 0.82, .speedup = 0.25 };
    QCOMPARE(plain(schedulingText(whatIf, unchanged)),
             QStringLiteral("Time saved by overlap: 82 % of the most possible (unchanged: 62 %)"));
    QVERIFY(plain(schedulingExplanation(unchanged, {}))
                .contains(QStringLiteral("100 %: the busiest device is never idle")));
    QVERIFY(plain(schedulingExplanation(unchanged, {})) // 1 - 1 / (1 + 1.4 * 0.38)
                .contains(QStringLiteral("at most 35 % less time than this one. Try other ")));
    QVERIFY(plain(schedulingExplanation(whatIf, {})) // 1 - 1 / (1 + 0.25 * 0.18)
                .endsWith(QStringLiteral("at most 4.3 % less time than this one.")));
    // Of a job with a parameter server both were advised.
    core::ChangeObstacles obstacles { { "schedule", "there are no all-reduced buckets." },
                                      { "bucket_cap_mb", "there are no all-reduced buckets." } };
    QVERIFY(plain(schedulingExplanation(unchanged, obstacles))
                .endsWith(QStringLiteral("at most 35 % less time than this one.")));
    obstacles.pop_back();
    QVERIFY(plain(schedulingExplanation(unchanged, obstacles))
                .endsWith(QStringLiteral("this one. Try another bucket size.")));
    unchanged.graph = std::make_shared<core::Graph>(); // sends nothing: there is nothing to try
    QVERIFY(plain(schedulingExplanation(unchanged, {}))
                .endsWith(QStringLiteral("at most 35 % less time than this one.")));
}

void TestResultText::theIntervalNamesTheBaselineOfAWhatIf()
{
    core::Prediction result = sixIterations();
    result.ciLowNs = -5;
    result.ciHighNs = 20'000'000;
    result.daydreamNs = 12'000'000;
    QCOMPARE(plain(intervalText(result)), QStringLiteral("95 %: 0 ns to 20.00 ms"));
    result.strategy.set({ "bandwidth_scale", 2 });
    QVERIFY(plain(intervalText(result)).endsWith(QStringLiteral("Size over rate alone: 12.00 ms")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestResultText)
#include "tst_result_text.moc"
