#include "core/bundle/bundle.h"
#include "core/change/change_text.h"
#include "core/change/gradients/rebucket.h"
#include "core/change/gradients/whole_iterations.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

using namespace core;

namespace {

constexpr const char *Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

/// A copy of the sample in which rank 1's recording lacks these all-reduces (of 12, two in each
/// iteration, by time).
LoadedProject withoutReductions(const std::vector<std::size_t> &lacking)
{
    const QTemporaryDir folder;
    const std::filesystem::path root = folder.path().toStdString(), run = root / "run";
    std::filesystem::create_directory(run);
    const auto bundle = openBundle({ Sample });
    for (std::size_t i = 0; i < bundle->items().size(); ++i) {
        const auto entry = bundle->open(i);
        const std::filesystem::path name
            = std::filesystem::path(entry->name()).filename().replace_extension();
        auto json = nlohmann::json::parse(readWhole(*entry, std::size_t { 1 } << 28U).value());
        if (name == "rank1.pt.trace.json") {
            auto &events = json["traceEvents"];
            std::vector<double> starts;
            for (const auto &event : events)
                if (event.value("name", "") == "gloo:all_reduce")
                    starts.push_back(event["ts"].get<double>());
            std::sort(starts.begin(), starts.end());
            std::erase_if(events.get_ref<nlohmann::json::array_t &>(), [&](const auto &event) {
                return event.value("name", "") == "gloo:all_reduce"
                    && std::any_of(lacking.begin(), lacking.end(),
                                   [&](std::size_t n) { return event["ts"] == starts.at(n); });
            });
        }
        std::ofstream(run / (name == "meta" ? "meta.json" : name)) << json;
    }
    const std::filesystem::path project = root / "damaged.longpole";
    importBundle({ run }, project, {}, {});
    return loadProject(project, {});
}

Prediction run(const LoadedProject &project, const char *setting)
{
    return tests::predict(*project.trace, project.graph, parseStrategy({ setting }), {});
}

/// In few partitions: what one waits for its peers is known from the twelve transfers to some
/// percent.
Prediction runPartitioned(const LoadedProject &project)
{
    return tests::predict(*project.trace, project.graph,
                          parseStrategy({ "schedule=p3", "partition_bytes=4194304" }), {});
}

bool isNamed(const Prediction &result, const std::string &words)
{
    return std::any_of(
        result.trustReasons.begin(), result.trustReasons.end(),
        [&](const std::string &text) { return text.find(words) != std::string::npos; });
}

} // namespace

/// Recordings of DDP in which a rank lacks an all-reduce of some iteration. What-ifs of buckets
/// were refused for all of them, or took the bucket's gradients for another bucket's.
class TestWholeIterations : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void anIterationThatLacksABucketIsLeftOut_data();
    void anIterationThatLacksABucketIsLeftOut();
    void aLackingRecordDoesNotMoveLaterOnes();
    void severalAreCounted();
    void tooFewWholeIterationsAreRefused();
    void partitionsLeaveOutTheFollowingOneToo();

private:
    LoadedProject m_whole;
};

void TestWholeIterations::initTestCase()
{
    m_whole = withoutReductions({});
    QCOMPARE(m_whole.graph->iterationCount, 6);
    const WholeIterations all = wholeIterations(*m_whole.graph);
    QCOMPARE(all.whole.size(), std::size_t { 6 });
    QVERIFY(all.unfit.empty());
    QCOMPARE(leftOutText(all, *m_whole.graph, *m_whole.trace), std::string());
}

void TestWholeIterations::anIterationThatLacksABucketIsLeftOut_data()
{
    QTest::addColumn<std::size_t>("lacking");
    QTest::newRow("its first bucket") << std::size_t { 4 };
    QTest::newRow("its last bucket") << std::size_t { 5 };
}

void TestWholeIterations::anIterationThatLacksABucketIsLeftOut()
{
    QFETCH(const std::size_t, lacking);
    const LoadedProject damaged = withoutReductions({ lacking });
    const WholeIterations iterations = wholeIterations(*damaged.graph);
    QCOMPARE(iterations.unfit.size(), std::size_t { 1 });
    QCOMPARE(iterations.unfit.front(), 2);
    QVERIFY(!iterations.contains(2) && iterations.contains(1));

    const Prediction unchanged = run(damaged, "bucket_cap_mb=25");
    QVERIFY(unchanged.noChange.has_value());
    QVERIFY(unchanged.counts(2));

    const Prediction smaller = run(damaged, "bucket_cap_mb=2");
    const Prediction expected = run(m_whole, "bucket_cap_mb=2");
    for (std::size_t i = 0; i < 6; ++i)
        QCOMPARE(smaller.counts(i), i != 2);
    QVERIFY(smaller.typicalIteration != 2);
    QVERIFY(isNamed(smaller, "1 of 6 iterations (number 2)"));
    QVERIFY(!isNamed(smaller, "compresses"));
    // The other iterations are those of the whole recording.
    QVERIFY2(std::abs(smaller.predictedNs - expected.predictedNs) * 50 < expected.predictedNs,
             qPrintable(QString::number(smaller.predictedNs)));
}

/// Calls of a backend were tied to what hands them over by their number: from the lacking one on,
/// each was taken to be handed over a bucket too early.
void TestWholeIterations::aLackingRecordDoesNotMoveLaterOnes()
{
    const LoadedProject damaged = withoutReductions({ 4 });
    const Prediction unchanged = tests::predict(*damaged.trace, damaged.graph, {}, {});
    QVERIFY(std::abs(unchanged.replayErrorFraction) < 0.01);
    const std::int64_t measuredNs = unchanged.measuredParts.overlapNs;
    QVERIFY2(std::abs(unchanged.predictedParts.overlapNs - measuredNs) * 10 < measuredNs,
             qPrintable(QString::number(unchanged.predictedParts.overlapNs)));
}

void TestWholeIterations::severalAreCounted()
{
    const LoadedProject damaged = withoutReductions({ 0, 5 });
    QVERIFY(!rebucketObstacle(*damaged.graph));
    const Prediction smaller = run(damaged, "bucket_cap_mb=2");
    QVERIFY(isNamed(smaller, "2 of 6 iterations"));
    QVERIFY(isNamed(smaller, "(0, 2)"));
    QVERIFY(!smaller.counts(0) && smaller.counts(1) && !smaller.counts(2));
}

void TestWholeIterations::tooFewWholeIterationsAreRefused()
{
    const LoadedProject damaged = withoutReductions({ 0, 2, 5 });
    const auto obstacle = rebucketObstacle(*damaged.graph);
    QVERIFY(obstacle.has_value());
    QVERIFY2(obstacle->find("of 12 rank iterations") != std::string::npos, obstacle->c_str());
}

/// It begins without partitions left over from the one before.
void TestWholeIterations::partitionsLeaveOutTheFollowingOneToo()
{
    const Prediction partitioned = runPartitioned(withoutReductions({ 4 }));
    QVERIFY(!partitioned.counts(2) && !partitioned.counts(3) && partitioned.counts(4)
            && partitioned.counts(5));
    QVERIFY(isNamed(partitioned, "Iteration 3 follows one that stays as measured and begins "));
    const Prediction expected = runPartitioned(m_whole);
    QVERIFY(!isNamed(expected, " that stay"));
    QVERIFY2(
        std::abs(partitioned.predictedNs - expected.predictedNs) * 50 < expected.predictedNs,
        qPrintable(QStringLiteral("%1 %2").arg(partitioned.predictedNs).arg(expected.predictedNs)));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestWholeIterations)
#include "tst_whole_iterations.moc"
