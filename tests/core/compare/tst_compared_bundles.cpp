#include "core/base/error.h"
#include "core/compare/comparison_words.h"
#include "core/compare/run_comparison.h"
#include "core/optimize/strategy_file.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/shared_data.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <filesystem>
#include <map>

using namespace core;

/// Recorded runs of the test bed: what was promised on one, and what the other measured.
class ComparedBundlesTest : public QObject
{
    Q_OBJECT

private slots:
    void aRunWithoutTheConfigIsInconclusive();
    void aStrategyThatCannotBeIsRefused();
    void promisesOfTheTestBed_data();
    void promisesOfTheTestBed();

private:
    const tests::SampleProject &project(const std::string &bundle);

    std::map<std::string, tests::SampleProject> m_projects;
};

namespace {

constexpr const char *Sample = "sample";

/// "bucket_cap_mb": 5, as a user writes it by hand.
std::string strategyOf(const std::string &key, const std::string &value)
{
    return R"({"schema":"longpole-strategy","version":1,"changes":[{"key":")" + key
        + R"(","value":)" + value + "}]}";
}

RunComparison compared(const tests::SampleProject &earlier, const tests::SampleProject &later,
                       const std::string &strategy)
{
    std::optional<Promise> promise;
    if (!strategy.empty()) {
        Predictor predictor = earlier.predictor();
        const StrategyFile file = parseStrategyFile(strategy, "s.json", predictor.job());
        promise = promiseOf(predictor, file.strategy, {});
    }
    return compareRuns(measuredRun(*earlier.loaded().trace, *earlier.loaded().graph, {}),
                       measuredRun(*later.loaded().trace, *later.loaded().graph, {}), promise);
}

} // namespace

const tests::SampleProject &ComparedBundlesTest::project(const std::string &bundle)
{
    if (bundle == Sample)
        return m_projects.try_emplace(bundle).first->second;
    return m_projects.try_emplace(bundle, *tests::sharedData() / "data" / "testbed" / bundle)
        .first->second;
}

void ComparedBundlesTest::aRunWithoutTheConfigIsInconclusive()
{
    const RunComparison comparison
        = compared(project(Sample), project(Sample), strategyOf("bucket_cap_mb", "5"));
    QVERIFY(comparison.verdict == RunVerdict::Inconclusive);
    QVERIFY(comparison.buckets == BucketUse::AsBefore);
    QCOMPARE(comparison.promise->buckets, (std::vector<std::size_t> { 4, 2, 12 }));
    const RunGain gain = comparison.promise->gain();
    QVERIFY(gain.lowNs > 0 && gain.lowNs < gain.ns && gain.ns < gain.highNs);
    const RunComparison same = compared(project(Sample), project(Sample), "");
    QVERIFY(same.verdict == RunVerdict::NoDifference);
    QCOMPARE(same.gain.ns, std::int64_t { 0 });
}

void ComparedBundlesTest::aStrategyThatCannotBeIsRefused()
{
    Predictor predictor = project(Sample).predictor();
    const Strategy pipeline { { "ideal_pipeline", 1.0 } };
    QVERIFY_THROWS_EXCEPTION(Error, promiseOf(predictor, pipeline, {}));
}

void ComparedBundlesTest::promisesOfTheTestBed_data()
{
    QTest::addColumn<QString>("earlier");
    QTest::addColumn<QString>("later");
    QTest::addColumn<QString>("key");
    QTest::addColumn<QString>("value");
    QTest::addColumn<QString>("verdict");
    const auto row = [](const char *earlier, const char *later, const char *key, const char *value,
                        const char *verdict) {
        QTest::addRow("%s, %s with %s=%s", earlier, later, key, value)
            << QString::fromLatin1(earlier) << QString::fromLatin1(later)
            << QString::fromLatin1(key) << QString::fromLatin1(value)
            << QString::fromLatin1(verdict);
    };
    row("vgg-w2-500mbit-b25", "vgg-w2-500mbit-b5", "bucket_cap_mb", "5", "kept");
    row("vgg-w2-500mbit-b25", "vgg-w2-500mbit-b1", "bucket_cap_mb", "1", "kept");
    row("vgg-w2-500mbit-b25", "vgg-w2-500mbit-b1", "bucket_cap_mb", "5", "inconclusive");
    row("vgg-w2-500mbit-b25", "vgg-w2-500mbit-b25-fp16", "compression", "2", "kept");
    row("vgg-w2-500mbit-b25", "vgg-w2-500mbit-b5", "compression", "2", "inconclusive");
    // A gain of 0.3 % is promised; the runs differ by 1 % anyway.
    row("resnet-w2-200mbit-b25", "resnet-w2-200mbit-b1", "bucket_cap_mb", "1", "inconclusive");
    row("resnet-w2-200mbit-b25", "resnet-w2-200mbit-b1", "", "", "no_difference");
    row("emuvgg-w4-1000mbit-b25", "emuvgg-w4-1000mbit-b5", "bucket_cap_mb", "5", "kept");
    // The gain is that of other buckets, of which the strategy says nothing.
    row("emuvgg-w4-1000mbit-b25", "emuvgg-w4-1000mbit-b5", "bandwidth_mbit", "2000",
        "inconclusive");
    // On links of half the rate nothing comes of it.
    row("vgg-w2-1000mbit-b25", "vgg-w2-500mbit-b5", "bucket_cap_mb", "5", "not_kept");
    row("vgg-w2-500mbit-b5", "vgg-w2-500mbit-b25", "", "", "slower");
    row("vgg-w2-500mbit-b25", "resnet-w2-200mbit-b1", "", "", "inconclusive");
}

void ComparedBundlesTest::promisesOfTheTestBed()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, earlier);
    QFETCH(const QString, later);
    QFETCH(const QString, key);
    QFETCH(const QString, value);
    QFETCH(const QString, verdict);
    const RunComparison comparison = compared(
        project(earlier.toStdString()), project(later.toStdString()),
        key.isEmpty() ? std::string() : strategyOf(key.toStdString(), value.toStdString()));
    QVERIFY2(verdictName(comparison.verdict) == verdict.toStdString(),
             comparisonHeadline(comparison).c_str());
    QVERIFY(comparisonHeadline(comparison).size() > 20);
}

LONGPOLE_TEST(ComparedBundlesTest)
#include "tst_compared_bundles.moc"
