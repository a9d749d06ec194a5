#include "core/change/change_text.h"
#include "core/change/gradients/cuts_change.h"
#include "core/change/gradients/whole_iterations.h"
#include "tests/core/change/plans/loaded_sample.h"
#include "tests/support/predict.h"
#include "tests/support/unit_test.h"

#include <QTest>

using namespace core;

class MergedPlanTest : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { m_loaded = tests::loadedSample(); }
    void theBucketsAreThoseOfTheRule();
    void aLongerLatencyMergesMore();

private:
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy(words), {});
    }
    static std::vector<std::size_t> countsOf(const Graph &graph)
    {
        std::vector<std::size_t> counts;
        for (const GradientStep::Bucket &bucket : usualStep(graph)->buckets)
            counts.push_back(bucket.parameterCount);
        return counts;
    }

    LoadedProject m_loaded;
};

/// The same buckets, given one by one, are predicted alike.
void MergedPlanTest::theBucketsAreThoseOfTheRule()
{
    const Prediction merged = run({ "schedule=mgwfbp" });
    const std::vector<std::size_t> counts = countsOf(*merged.graph);
    QVERIFY(counts.size() > 1 && counts != countsOf(*m_loaded.graph));
    QCOMPARE(merged.predictedNs, run({ "gradients=" + bucketCountsText(counts) }).predictedNs);
    QVERIFY(merged.predictedNs < run({ "schedule=wfbp" }).predictedNs);
}

void MergedPlanTest::aLongerLatencyMergesMore()
{
    const auto buckets = [this](const std::string &latency) {
        return countsOf(*run({ "schedule=mgwfbp", latency }).graph).size();
    };
    QVERIFY(buckets("latency_us=0") >= buckets("latency_us=10000"));
    QVERIFY(buckets("latency_us=10000") > buckets("latency_us=1000000"));
    QCOMPARE(buckets("latency_us=1000000"), std::size_t { 1 });
}

LONGPOLE_TEST(MergedPlanTest)
#include "tst_merged_plan.moc"
