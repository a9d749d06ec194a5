#include "core/change/fusion/op_fusion_change.h"
#include "core/change/gradients/cuts_change.h"
#include "core/optimize/search.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>

using namespace core;

class FusionPassesTest : public QObject
{
    Q_OBJECT

private slots:
    /// XLA's default loses where communication takes longest (dPRO, section 7.4).
    void fusingAllIsSlowerThanTheJobAsItIs()
    {
        Predictor predictor = m_sample.predictor();
        const auto all
            = predictor.iterationNs({ { std::string(OpFusionKey), std::string(FuseAll) } }, {});
        QVERIFY(all && *all > predictor.base().predictedNs * 105 / 100);
    }

    /// The part's gradients wait for its end: one bucket for all is no slower then.
    void partsAsLargeAsBucketsDelayNothing()
    {
        Predictor predictor = m_sample.predictor();
        const std::string buckets = "4,14";
        const auto apart = predictor.iterationNs({ { std::string(CutsKey), buckets } }, {});
        const auto joined = predictor.iterationNs(
            { { std::string(CutsKey), buckets }, { std::string(OpFusionKey), buckets } }, {});
        QVERIFY(apart && joined);
        QCOMPARE(predictor.iterationNs({ { std::string(CutsKey), buckets },
                                         { std::string(OpFusionKey), std::string(FuseBuckets) } },
                                       {}),
                 joined);
        QCOMPARE(predictor.iterationNs({ { std::string(OpFusionKey), std::string(FuseNone) } }, {}),
                 std::optional(predictor.base().predictedNs));
        QVERIFY2(*joined <= *apart * 1005 / 1000, qPrintable(QString::number(*joined - *apart)));
    }

    void algorithm1JoinsTensorsAndParts()
    {
        const SearchResult result = run("dpro");
        QVERIFY(result.steps.size() >= 3);
        for (const SearchStep &step : result.steps)
            QCOMPARE(step.strategy.text(CutsKey), step.strategy.text(OpFusionKey)); // theorem 3
        QVERIFY(std::any_of(result.steps.begin(), result.steps.end(), [](const SearchStep &step) {
            return step.reason.find("theorem 2") != std::string::npos;
        }));
        QVERIFY(result.advised() != nullptr);
        QVERIFY(result.advised()->predictedNs < result.baselineNs);
    }

    void theWalkByChanceIsReproducible()
    {
        const SearchResult result = run("joint"), again = run("joint");
        QVERIFY(result.guesses > 50);
        QVERIFY(!result.steps.empty());
        QCOMPARE(again.steps.size(), result.steps.size());
        QVERIFY(std::equal(result.steps.begin(), result.steps.end(), again.steps.begin(),
                           [](const SearchStep &a, const SearchStep &b) {
                               return a.strategy == b.strategy && a.predictedNs == b.predictedNs;
                           }));
        QVERIFY(result.advised() != nullptr);
    }

private:
    SearchResult run(const std::string &pass) const
    {
        SearchRequest request;
        request.passes = { pass };
        request.seconds = 1000; // whatever the machine
        return Search(m_sample.predictor(), std::move(request), {}, {}).run();
    }

    tests::SampleProject m_sample;
};

LONGPOLE_TEST(FusionPassesTest)
#include "tst_fusion_passes.moc"
