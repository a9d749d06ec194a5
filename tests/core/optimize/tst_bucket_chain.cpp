#include "core/optimize/bucket_chain.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <cmath>

using namespace core;

class BucketChainTest : public QObject
{
    Q_OBJECT

private slots:
    void theChainIsThatOfTheEnvironment();
};

/// As recorded it is the fitted model of the link: 2 ranks send 2 (2 - 1) / 2 of a payload. At half
/// the rate all bytes take twice as long, but for what is no time on the line.
void BucketChainTest::theChainIsThatOfTheEnvironment()
{
    const tests::SampleProject sample;
    Predictor predictor = sample.predictor();
    const LinkModel &link = predictor.job().links.begin()->second;
    const auto recorded = bucketChain(predictor, {}, {});
    const auto near
        = [](double found, double wanted) { return std::abs(found - wanted) <= 1e-3 * wanted; };
    QVERIFY(recorded.has_value());
    QVERIFY(near(recorded->nsPerByte, link.betaNsPerByte));
    QVERIFY(near(recorded->alphaNs, link.alphaNs));
    const Strategy environment { { "bandwidth_scale", 0.5 } };
    QVERIFY(predictor.iterationNs(environment, {}).has_value());
    const auto slow = bucketChain(predictor, environment, {});
    QVERIFY(slow.has_value());
    QVERIFY(near(slow->nsPerByte, link.betaNsPerByte * (1 + link.lineShare())));
    const auto late = bucketChain(predictor, { { "latency_us", 1e4 } }, {});
    QVERIFY(near(late->alphaNs, 2 * 1e7)); // two hops
}

LONGPOLE_TEST(BucketChainTest)
#include "tst_bucket_chain.moc"
