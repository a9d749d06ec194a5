#include "core/change/schedules/us_byte.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <numeric>
#include <random>

using namespace core;

namespace {

std::vector<std::size_t> forwardOrderOf(const LayerChain &chain)
{
    std::vector<std::size_t> order(chain.bytes.size());
    std::iota(order.begin(), order.end(), std::size_t { 0 });
    return order;
}

/// Whole layers in the order of readiness; the forward pass waits for all of them.
double wfbpNs(const LayerChain &chain)
{
    double readyNs = 0, linkNs = 0, forwardNs = 0;
    for (std::size_t layer = chain.bytes.size(); layer-- > 0;) {
        readyNs += chain.backwardNs[layer];
        forwardNs += chain.forwardNs[layer];
        linkNs = std::max(linkNs, readyNs) + chain.alphaNs + chain.nsPerByte * chain.bytes[layer];
    }
    return linkNs + forwardNs;
}

/// Of all orders in phase 1, and of whole layers.
double leastNs(const LayerChain &chain)
{
    std::vector<std::size_t> order = forwardOrderOf(chain);
    double least = wholeLayers(chain).iterationNs;
    do
        least = std::min(least, usByteSchedule(chain, order).iterationNs);
    while (std::next_permutation(order.begin(), order.end()));
    return least;
}

/// Two to six layers. `mostAlphaNs`: of a latency, beside blocks that take up to 20.
LayerChain randomLayers(std::mt19937_64 &random, std::uint64_t mostAlphaNs)
{
    const auto upTo
        = [&random](std::uint64_t most) { return static_cast<double>(1 + random() % most); };
    LayerChain chain;
    const std::size_t layers = 2 + random() % 5;
    for (std::size_t layer = 0; layer < layers; ++layer) {
        chain.forwardNs.push_back(upTo(100));
        chain.backwardNs.push_back(upTo(200));
        chain.bytes.push_back(upTo(20) * upTo(20));
    }
    chain.alphaNs = upTo(mostAlphaNs);
    chain.nsPerByte = upTo(200) / 100;
    chain.blockBytes = 10;
    return chain;
}

} // namespace

class UsByteTest : public QObject
{
    Q_OBJECT

private slots:
    void aFreeLinkTakesBlocksUntilTheNextGradient();
    void blocksThatFollowTheirOwnAreOneMessage();
    void aLayerIsMovedBeforeThatInWhosePassItEnds();
    void allBytesAreSentOnce();
    void itIsNeverSlowerThanWfbp();
    void itIsMostlyTheBestOrder();
};

/// The last layer is ready at 10, the first at 30. In these 20 the link sends a latency of 2 and
/// two blocks of 10, which exceed it by 2. Then the first layer goes, which is needed first.
void UsByteTest::aFreeLinkTakesBlocksUntilTheNextGradient()
{
    const LayerChain chain { { 5, 5 }, { 20, 10 }, { 10, 100 }, 2, 1, 10 };
    const UsByteSchedule found = usByteSchedule(chain, { 0, 1 });
    QCOMPARE(found.messages.size(), std::size_t { 3 });
    QCOMPARE(found.messages[0].layer, std::size_t { 1 });
    QCOMPARE(found.messages[0].bytes, 20.0);
    QCOMPARE(found.messages[1].layer, std::size_t { 0 });
    QCOMPARE(found.messages[2].bytes, 80.0);
    // 10 + 22, 12 for the first layer, 82 for the rest, then its forward pass.
    QCOMPARE(found.iterationNs, 10.0 + 22 + 12 + 82 + 5);
    QCOMPARE(wholeLayers(chain).iterationNs, 10.0 + 102 + 12 + 5 + 5);
}

/// Three layers: the last one's message goes on when the middle one, of which there is none less
/// urgent, becomes ready.
void UsByteTest::blocksThatFollowTheirOwnAreOneMessage()
{
    const LayerChain chain { { 1, 1, 1 }, { 10, 10, 10 }, { 10, 10, 40 }, 3, 1, 10 };
    const UsByteSchedule found = usByteSchedule(chain, { 2, 0, 1 });
    QCOMPARE(found.messages.front().layer, std::size_t { 2 });
    QCOMPARE(found.messages.front().bytes, 20.0); // from 10 to 33, with one latency
    QCOMPARE(found.messages.size(), std::size_t { 4 });
    QCOMPARE(found.messages.back().bytes, 20.0);
    QCOMPARE(found.iterationNs, 33.0 + 13 + 13 + 23 + 1);
}

/// Without moves the last layer's rest is sent at the end, with another latency.
void UsByteTest::aLayerIsMovedBeforeThatInWhosePassItEnds()
{
    std::mt19937_64 random(1);
    int shorter = 0;
    for (int i = 0; i < 200; ++i) {
        const LayerChain chain = randomLayers(random, 100);
        const double fixedNs = usByteSchedule(chain, forwardOrderOf(chain)).iterationNs;
        const double foundNs = usByte(chain).iterationNs;
        QVERIFY(foundNs <= fixedNs);
        shorter += foundNs < fixedNs ? 1 : 0;
    }
    QVERIFY(shorter > 50);
}

void UsByteTest::allBytesAreSentOnce()
{
    std::mt19937_64 random(2);
    for (int i = 0; i < 500; ++i) {
        const LayerChain chain = randomLayers(random, 50);
        std::vector<double> bytes(chain.bytes.size(), 0);
        for (const BlockMessage &message : usByte(chain).messages)
            bytes[message.layer] += message.bytes;
        QCOMPARE(bytes, chain.bytes);
    }
}

void UsByteTest::itIsNeverSlowerThanWfbp()
{
    std::mt19937_64 random(3);
    int faster = 0;
    for (int i = 0; i < 1000; ++i) {
        const LayerChain chain = randomLayers(random, 100);
        const double foundNs = usByte(chain).iterationNs, wfbp = wfbpNs(chain);
        QVERIFY(foundNs <= wfbp * (1 + 1e-12));
        faster += foundNs < wfbp * (1 - 1e-12) ? 1 : 0;
    }
    qInfo("US-Byte is faster than WFBP on %d", faster);
    QVERIFY(faster > 350); // on others the link is free when the last gradient is ready
}

/// As published the search is greedy: it finds the best of all orders for most chains, and never
/// misses it by far.
void UsByteTest::itIsMostlyTheBestOrder()
{
    std::mt19937_64 random(4);
    int best = 0;
    double worst = 1;
    for (int i = 0; i < 1000; ++i) {
        const LayerChain chain = randomLayers(random, 10);
        const double foundNs = usByte(chain).iterationNs, least = leastNs(chain);
        best += foundNs <= least * (1 + 1e-12) ? 1 : 0;
        worst = std::max(worst, foundNs / least);
    }
    qInfo("US-Byte's search finds the best order of %d, worst %.3f", best, worst);
    QVERIFY(best >= 700);
    QVERIFY(worst <= 1.1);
}

LONGPOLE_TEST(UsByteTest)
#include "tst_us_byte.moc"
