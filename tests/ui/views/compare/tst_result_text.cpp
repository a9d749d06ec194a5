#include "core/scenario/parts.h"
#include "ui/views/compare/result_text.h"

#include <QTest>

using namespace ui;

namespace {

QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' '));
}

core::ScenarioResult sixIterations()
{
    auto graph = std::make_shared<core::Graph>();
    graph->iterationCount = 6;
    core::ScenarioResult result;
    result.graph = graph;
    result.measuredNs = 669'900'000;
    result.measuredParts = { 302'300'000, 364'600'000, 76'330'000, 2'200'000 };
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
    void theIntervalNamesTheBaselineOfAWhatIf();
};

void TestResultText::theMedianNamesTheMeanThatThePartsAddUpTo()
{
    const core::ScenarioResult result = sixIterations();
    QCOMPARE(plain(measuredNote(result)),
             QStringLiteral("median of 6, slowest rank; mean of all ranks 669.1 ms"));
    QCOMPARE(meanTitle(result), QStringLiteral("Mean of 6 iterations, all ranks"));
    const auto parts = resultParts(result.measuredParts, {});
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < 3; ++i)
        sum += parts[i].measuredNs;
    QCOMPARE(parts[3].measuredNs, sum);
    QVERIFY(parts[3].name.contains(QStringLiteral("mean")));
    QVERIFY(!parts[4].isOfSum);
}

void TestResultText::aWholeRecordingHasNoMedian()
{
    core::ScenarioResult result = sixIterations();
    result.hasIterations = false;
    QCOMPARE(plain(measuredNote(result)),
             QStringLiteral("the whole recording, slowest rank; mean over ranks 669.1 ms"));
    QCOMPARE(meanTitle(result), QStringLiteral("Mean over ranks"));
}

void TestResultText::theCaptionSaysTheIterationBeforeTheSettings()
{
    const auto settings = core::parseSettings({ "bucket_cap_mb=5", "bandwidth_scale=2" });
    const QString iteration = QStringLiteral("iteration 3, 556.0 ms");
    QCOMPARE(predictedCaption(settings, iteration, true),
             QStringLiteral("Predicted: iteration 3, 556.0 ms, nearest to the median; with "
                            "bucket_cap_mb=5 bandwidth_scale=2"));
    QCOMPARE(predictedCaption({}, iteration, true),
             QStringLiteral("Predicted: the unchanged graph, replayed; iteration 3, 556.0 ms"));
    QCOMPARE(predictedCaption(settings, {}, false),
             QStringLiteral("Predicted with bucket_cap_mb=5 bandwidth_scale=2"));
}

void TestResultText::theIntervalNamesTheBaselineOfAWhatIf()
{
    core::ScenarioResult result = sixIterations();
    result.ciLowNs = -5;
    result.ciHighNs = 20'000'000;
    result.daydreamNs = 12'000'000;
    QCOMPARE(plain(intervalText(result)), QStringLiteral("95 %: 0 ns to 20.00 ms"));
    result.settings.bandwidthScale = 2;
    QVERIFY(plain(intervalText(result)).endsWith(QStringLiteral("(Daydream): 12.00 ms")));
}

QTEST_GUILESS_MAIN(TestResultText)
#include "tst_result_text.moc"
