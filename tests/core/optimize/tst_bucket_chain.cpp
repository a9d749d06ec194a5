#include "core/optimize/bucket_chain.h"
#include "tests/core/optimize/sample_project.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>

using namespace core;

namespace {

/// Least end of all 2^(n-1) ways to cut the chain.
double leastEndNs(const BucketChain &chain)
{
    const std::size_t tensors = chain.bytes.size();
    double leastNs = std::numeric_limits<double>::max();
    for (std::uint32_t cuts = 0; cuts < (1U << (tensors - 1)); ++cuts) {
        std::vector<std::size_t> counts { 1 };
        for (std::size_t tensor = 1; tensor < tensors; ++tensor)
            if ((cuts >> (tensor - 1) & 1U) != 0)
                counts.push_back(1);
            else
                ++counts.back();
        leastNs = std::min(leastNs, chainEndNs(chain, counts));
    }
    return leastNs;
}

BucketChain randomChain(std::mt19937_64 &random)
{
    const auto upTo
        = [&random](std::uint64_t most) { return static_cast<double>(random() % most); };
    BucketChain chain;
    const std::size_t tensors = 1 + random() % 12;
    double readyNs = 0;
    for (std::size_t i = 0; i < tensors; ++i) {
        readyNs += upTo(2000);
        chain.readyNs.push_back(readyNs);
        chain.bytes.push_back(1 + upTo(100) * upTo(100));
    }
    chain.alphaNs = upTo(3000);
    chain.nsPerByte = upTo(200) / 100;
    return chain;
}

std::size_t sum(const std::vector<std::size_t> &counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::size_t { 0 });
}

} // namespace

class BucketChainTest : public QObject
{
    Q_OBJECT

private slots:
    void theEndIsThatOfTheLastBucket();
    void theBestCutsAreThoseOfBruteForce();
    void mergingWaitsForWhatComesWithinTheLatency();
    void theChainIsThatOfTheEnvironment();
};

/// Buckets of 100 and 300 bytes at 1 ns, with 50 ns of latency: ready at 0, 10, 500.
void BucketChainTest::theEndIsThatOfTheLastBucket()
{
    const BucketChain chain { { 0, 10, 500 }, { 100, 100, 200 }, 50, 1 };
    QCOMPARE(chainEndNs(chain, { 1, 2 }), 500.0 + 50 + 300);
    QCOMPARE(chainEndNs(chain, { 2, 1 }), 500.0 + 50 + 200);
    QCOMPARE(chainEndNs(chain, { 1, 1, 1 }), 500.0 + 50 + 200);
    QCOMPARE(bestCuts(chain), (std::vector<std::size_t> { 2, 1 })); // the fewer buckets
}

void BucketChainTest::theBestCutsAreThoseOfBruteForce()
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const BucketChain chain = randomChain(random);
        const std::vector<std::size_t> cuts = bestCuts(chain);
        QCOMPARE(sum(cuts), chain.bytes.size());
        QVERIFY(chainEndNs(chain, cuts) <= leastEndNs(chain) * (1 + 1e-12));
        QVERIFY(chainEndNs(chain, mergedCuts(chain)) >= chainEndNs(chain, cuts) * (1 - 1e-12));
    }
}

void BucketChainTest::mergingWaitsForWhatComesWithinTheLatency()
{
    const BucketChain chain { { 0, 49, 200, 260 }, { 10, 10, 10, 10 }, 50, 1 };
    QCOMPARE(mergedCuts(chain), (std::vector<std::size_t> { 2, 1, 1 }));
    BucketChain slow = chain;
    slow.alphaNs = 300;
    QCOMPARE(mergedCuts(slow), (std::vector<std::size_t> { 4 }));
}

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
