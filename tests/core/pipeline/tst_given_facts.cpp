#include "core/bundle/bundle.h"
#include "core/change/gradients/rebucket.h"
#include "core/measure/job_metadata.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/predictor.h"
#include "core/project/job_facts.h"

#include <QTemporaryDir>
#include <QTest>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <string>

using namespace core;

/// A recorded job of the test bed without its sizes, which the user gives.
class GivenFactsTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void sizesThatTheUserGivesCountAsRecordedOnes();
    void theRateOfLinksCanBeGiven();

private:
    QTemporaryDir m_folder;
    std::filesystem::path m_whole, m_without; ///< projects
    std::vector<std::uint64_t> m_sizes;
};

namespace {

const std::filesystem::path &sample()
{
    static const std::filesystem::path path
        = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";
    return path;
}

/// As recorded without record_shapes=True.
std::string withoutShapes(std::string text)
{
    const std::string shapes = "\"Input Dims\"";
    for (std::size_t at = text.find(shapes); at != std::string::npos; at = text.find(shapes, at))
        text.replace(at, shapes.size(), "\"Left Away\"");
    return text;
}

std::int64_t iterationOf(const std::filesystem::path &path, const Strategy &strategy)
{
    const LoadedProject loaded = loadProject(path, {});
    const ProjectReader reader(path);
    return predictorOf(loaded, reader, {}).predict(strategy, {}).predictedNs;
}

} // namespace

void GivenFactsTest::initTestCase()
{
    const std::filesystem::path folder = m_folder.path().toStdString();
    m_whole = folder / "whole.longpole";
    m_without = folder / "without.longpole";
    importBundle({ sample() }, m_whole, {}, {});
    m_sizes = loadProject(m_whole, {}).graph->gradientSteps.front().parameterBytes;
    const auto bundle = openBundle({ sample() });
    std::vector<std::filesystem::path> traces;
    for (std::size_t i = 0; i < bundle->items().size(); ++i) {
        const auto entry = bundle->open(i);
        if (entry->name().find("trace") == std::string::npos)
            continue; // meta.json, which states the sizes
        const auto text = readWhole(*entry, std::size_t { 256 } << 20U);
        QVERIFY(text.has_value());
        traces.push_back(folder / ("rank" + std::to_string(traces.size()) + ".pt.trace.json"));
        std::ofstream(traces.back(), std::ios::binary) << withoutShapes(*text);
    }
    QCOMPARE(traces.size(), std::size_t { 2 });
    importBundle(traces, m_without, {}, {});
}

void GivenFactsTest::sizesThatTheUserGivesCountAsRecordedOnes()
{
    const LoadedProject before = loadProject(m_without, {});
    QVERIFY(rebucketObstacle(*before.graph).value_or("").find("sizes") != std::string::npos);
    GivenFacts facts;
    facts.gradientBytes = m_sizes;
    saveJobMetadata(m_without, givenFactsEntry(facts));
    const LoadedProject after = loadProject(m_without, {});
    QCOMPARE(rebucketObstacle(*after.graph), std::nullopt);
    QVERIFY(after.graph->gradientSteps.front().parameterBytes == m_sizes);
    QVERIFY(givenFacts(after.trace->metadata) == facts);
    // Small buckets are predicted about as with the recorded sizes.
    const Strategy small { { "bucket_cap_mb", 5.0 } };
    const auto with = static_cast<double>(iterationOf(m_without, small));
    const auto recorded = static_cast<double>(iterationOf(m_whole, small));
    QVERIFY2(qAbs(with / recorded - 1) < 0.05, qPrintable(QString::number(with / recorded)));
    // Taken back, they are missing again.
    saveJobMetadata(m_without, givenFactsEntry({}));
    const LoadedProject again = loadProject(m_without, {});
    QVERIFY(rebucketObstacle(*again.graph).has_value());
    QVERIFY(givenFacts(again.trace->metadata).isEmpty());
}

void GivenFactsTest::theRateOfLinksCanBeGiven()
{
    QVERIFY(!loadProject(m_without, {}).trace->stated.bandwidthMbit);
    GivenFacts facts;
    facts.linkMbit = 500;
    saveJobMetadata(m_without, givenFactsEntry(facts));
    QCOMPARE(loadProject(m_without, {}).trace->stated.bandwidthMbit, std::optional(500.0));
    // It comes before what the bundle states.
    facts.linkMbit = 750;
    saveJobMetadata(m_whole, givenFactsEntry(facts));
    QCOMPARE(loadProject(m_whole, {}).trace->stated.bandwidthMbit, std::optional(750.0));
    saveJobMetadata(m_whole, givenFactsEntry({}));
    QCOMPARE(loadProject(m_whole, {}).trace->stated.bandwidthMbit, std::optional(500.0));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(GivenFactsTest)
#include "tst_given_facts.moc"
