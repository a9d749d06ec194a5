#include "core/change/schedules/bucket_chain.h"
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

class BucketCutsTest : public QObject
{
    Q_OBJECT

private slots:
    void theEndIsThatOfTheLastBucket();
    void theBestCutsAreThoseOfBruteForce();
    void mergingWaitsForWhatComesWithinTheLatency();
    void mergingIsNotAlwaysBest();
    void mergingIsMostlyBest();
};

/// Buckets of 100 and 300 bytes at 1 ns, with 50 ns of latency: ready at 0, 10, 500.
void BucketCutsTest::theEndIsThatOfTheLastBucket()
{
    const BucketChain chain { { 0, 10, 500 }, { 100, 100, 200 }, 50, 1 };
    QCOMPARE(chainEndNs(chain, { 1, 2 }), 500.0 + 50 + 300);
    QCOMPARE(chainEndNs(chain, { 2, 1 }), 500.0 + 50 + 200);
    QCOMPARE(chainEndNs(chain, { 1, 1, 1 }), 500.0 + 50 + 200);
    QCOMPARE(bestCuts(chain), (std::vector<std::size_t> { 2, 1 })); // the fewer buckets
}

void BucketCutsTest::theBestCutsAreThoseOfBruteForce()
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

void BucketCutsTest::mergingWaitsForWhatComesWithinTheLatency()
{
    const BucketChain chain { { 0, 49, 200, 260 }, { 10, 10, 10, 10 }, 50, 1 };
    QCOMPARE(mergedCuts(chain), (std::vector<std::size_t> { 2, 1, 1 }));
    BucketChain slow = chain;
    slow.alphaNs = 300;
    QCOMPARE(mergedCuts(slow), (std::vector<std::size_t> { 4 }));
}

/// As published: the second tensor joins the first, as it comes within the latency. The third comes
/// later, but while the first would have been sent alone: then one bucket of the last two ends
/// earlier by the time that the first waits for the second.
void BucketCutsTest::mergingIsNotAlwaysBest()
{
    const BucketChain chain { { 0, 40, 140 }, { 100, 10, 10 }, 50, 1 };
    QCOMPARE(mergedCuts(chain), (std::vector<std::size_t> { 2, 1 }));
    QCOMPARE(chainEndNs(chain, { 2, 1 }), 40.0 + 50 + 110 + 50 + 10);
    QCOMPARE(bestCuts(chain), (std::vector<std::size_t> { 1, 2 }));
    QCOMPARE(chainEndNs(chain, { 1, 2 }), 0.0 + 50 + 100 + 50 + 20);
}

/// Of 1,000 chains.
void BucketCutsTest::mergingIsMostlyBest()
{
    std::mt19937_64 random(1);
    int best = 0;
    double worst = 1;
    for (int i = 0; i < 1000; ++i) {
        const BucketChain chain = randomChain(random);
        const double leastNs = leastEndNs(chain), endNs = chainEndNs(chain, mergedCuts(chain));
        best += endNs <= leastNs * (1 + 1e-12) ? 1 : 0;
        worst = std::max(worst, endNs / leastNs);
    }
    qInfo("MG-WFBP's rule is best of %d, worst %.3f", best, worst);
    QVERIFY(best >= 400 && best < 1000);
    QVERIFY(worst <= 1.4);
}

LONGPOLE_TEST(BucketCutsTest)
#include "tst_bucket_cuts.moc"
