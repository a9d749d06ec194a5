#include "core/change/schedules/us_byte.h"
#include "tests/support/unit_test.h"

#include <QTest>

#include <algorithm>
#include <cmath>
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

/// Phase 1 as it is written: of all layers in the order the first that is ready and not sent.
UsByteSchedule byDefinition(const LayerChain &chain, const std::vector<std::size_t> &order)
{
    const std::size_t layers = order.size();
    std::vector<double> left = chain.bytes, readyNs(layers), endNs(layers, 0);
    double ns = 0, nowNs = 0, lastEndNs = 0;
    for (std::size_t layer = layers; layer-- > 0;)
        readyNs[layer] = ns += chain.backwardNs[layer];
    UsByteSchedule found;
    const auto latencyNs = [&](std::size_t layer) {
        return !found.messages.empty() && found.messages.back().layer == layer && nowNs == lastEndNs
            ? 0
            : chain.alphaNs;
    };
    const auto send = [&](std::size_t layer, double bytes) {
        const double alphaNs = latencyNs(layer);
        nowNs += alphaNs + chain.nsPerByte * bytes;
        if (alphaNs == 0 && !found.messages.empty() && found.messages.back().layer == layer)
            found.messages.back().bytes += bytes;
        else
            found.messages.push_back({ layer, bytes });
        left[layer] = std::max(0.0, left[layer] - bytes);
        endNs[layer] = lastEndNs = nowNs;
    };
    for (std::size_t first = layers;;) {
        while (first > 0 && readyNs[first - 1] <= nowNs)
            --first;
        if (first == 0)
            break;
        const auto next = std::find_if(order.begin(), order.end(), [&](std::size_t layer) {
            return layer >= first && left[layer] > 0;
        });
        if (next == order.end()) {
            nowNs = std::max(nowNs, readyNs[first - 1]);
            continue;
        }
        const double slackNs = readyNs[first - 1] - nowNs, alphaNs = latencyNs(*next);
        const double blocks = slackNs <= alphaNs
            ? 1
            : std::max(1.0, std::ceil((slackNs - alphaNs) / (chain.nsPerByte * chain.blockBytes)));
        send(*next,
             slackNs >= alphaNs + chain.nsPerByte * left[*next]
                 ? left[*next]
                 : std::min(left[*next], blocks * chain.blockBytes));
    }
    for (std::size_t layer = 0; layer < layers; ++layer)
        if (left[layer] > 0)
            send(layer, left[layer]);
    found.iterationNs = layers == 0 ? 0 : readyNs.front();
    for (std::size_t layer = 0; layer < layers; ++layer)
        found.iterationNs = std::max(found.iterationNs, endNs[layer]) + chain.forwardNs[layer];
    return found;
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

/// Two to `mostLayers` layers. `mostAlphaNs`: of a latency, beside blocks that take up to 20.
LayerChain randomLayers(std::mt19937_64 &random, std::uint64_t mostAlphaNs,
                        std::size_t mostLayers = 6)
{
    const auto upTo
        = [&random](std::uint64_t most) { return static_cast<double>(1 + random() % most); };
    LayerChain chain;
    const std::size_t layers = 2 + random() % (mostLayers - 1);
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
    void messagesAreThoseOfTheDefinition();
    void aCancelledSearchEnds();
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

void UsByteTest::messagesAreThoseOfTheDefinition()
{
    std::mt19937_64 random(1);
    for (int i = 0; i < 1000; ++i) {
        const LayerChain chain = randomLayers(random, i % 2 == 0 ? 5 : 100, 40);
        std::vector<std::size_t> order = forwardOrderOf(chain);
        if (i % 3 != 0)
            std::shuffle(order.begin(), order.end(), random);
        const UsByteSchedule found = usByteSchedule(chain, order);
        const UsByteSchedule wanted = byDefinition(chain, order);
        QCOMPARE(found.iterationNs, wanted.iterationNs);
        QCOMPARE(found.messages.size(), wanted.messages.size());
        for (std::size_t message = 0; message < found.messages.size(); ++message) {
            QCOMPARE(found.messages[message].layer, wanted.messages[message].layer);
            QCOMPARE(found.messages[message].bytes, wanted.messages[message].bytes);
        }
    }
}

void UsByteTest::aCancelledSearchEnds()
{
    std::mt19937_64 random(1);
    const LayerChain chain = randomLayers(random, 100, 40);
    int checks = 0;
    const JobControl control([&checks] { return ++checks > 1; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, usByte(chain, control));
    QCOMPARE(checks, 2);
}

LONGPOLE_TEST(UsByteTest)
#include "tst_us_byte.moc"
