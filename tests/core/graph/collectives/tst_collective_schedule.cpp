#include "core/graph/build/schedule_times.h"
#include "core/graph/collectives/binary_trees.h"
#include "core/graph/collectives/collective_schedule.h"

#include <QTest>

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <set>

using namespace core;

namespace {

constexpr std::uint64_t Bytes = 5'000'000;

/// By rank: its host.
using Layout = std::vector<std::uint32_t>;

Layout spread(std::uint32_t ranks, std::uint32_t hosts)
{
    Layout layout;
    for (std::uint32_t r = 0; r < ranks; ++r)
        layout.push_back(r * hosts / ranks);
    return layout;
}

/// One host; hosts of one rank; two halves, uneven where the number is odd; ranks dealt out in
/// turn; a large host and small ones.
std::vector<Layout> layouts(std::uint32_t ranks)
{
    std::vector<Layout> all { spread(ranks, 1), spread(ranks, ranks), spread(ranks, 2) };
    Layout dealt, uneven;
    for (std::uint32_t r = 0; r < ranks; ++r) {
        dealt.push_back(r % 3);
        uneven.push_back(r < ranks / 2 ? 7 : 100 + r / 2);
    }
    all.push_back(dealt);
    all.push_back(uneven);
    if (ranks % 4 == 0)
        all.push_back(spread(ranks, 4));
    return all;
}

/// What a member has of a chunk: whose parts, each how often.
using Parts = std::map<std::uint32_t, int>;
using Content = std::map<std::pair<std::uint32_t, std::uint32_t>, Parts>; // by (member, chunk)

/// Every transfer once all that it needs are done, in an order that is as wrong as that allows: the
/// last ones first.
Content flow(const CollectiveSchedule &schedule, Content content)
{
    std::vector<char> isDone(schedule.transfers.size(), 0);
    std::vector<std::uint32_t> missing(schedule.transfers.size());
    std::vector<std::vector<std::uint32_t>> next(schedule.transfers.size());
    std::vector<std::uint32_t> ready;
    for (std::uint32_t i = 0; i < missing.size(); ++i) {
        missing[i] = schedule.predOffset[i + 1] - schedule.predOffset[i];
        for (std::uint32_t k = schedule.predOffset[i]; k < schedule.predOffset[i + 1]; ++k)
            next[schedule.preds[k]].push_back(i);
        if (missing[i] == 0)
            ready.push_back(i);
    }
    while (!ready.empty()) {
        const std::uint32_t index = ready.back();
        ready.pop_back();
        const ChunkTransfer &t = schedule.transfers[index];
        for (std::uint32_t chunk = t.firstChunk; chunk < t.firstChunk + t.chunkCount; ++chunk) {
            const Parts sent = content[{ t.from, chunk }];
            Parts &target = content[{ t.to, chunk }];
            if (!t.isReduced)
                target.clear();
            for (const auto &[rank, count] : sent)
                target[rank] += count;
        }
        isDone[index] = 1;
        for (const std::uint32_t i : next[index])
            if (--missing[i] == 0)
                ready.push_back(i);
    }
    return std::count(isDone.begin(), isDone.end(), 1) == std::ssize(isDone) ? content : Content {};
}

Content ownParts(const CollectiveSchedule &schedule, std::uint32_t ranks)
{
    Content content;
    for (std::uint32_t r = 0; r < ranks; ++r)
        for (std::uint32_t c = 0; c < schedule.chunks; ++c)
            content[{ r, c }] = { { r, 1 } };
    return content;
}

Parts allOf(std::uint32_t ranks)
{
    Parts parts;
    for (std::uint32_t r = 0; r < ranks; ++r)
        parts[r] = 1;
    return parts;
}

ScheduleRequest request(const char *kind, const Layout &hosts,
                        CollectiveAlgorithm algorithm = CollectiveAlgorithm::Ring)
{
    ScheduleRequest wanted;
    wanted.kind = kind;
    wanted.hosts = hosts;
    wanted.bytes = Bytes;
    wanted.algorithm = algorithm;
    return wanted;
}

std::string textOf(const CollectiveSchedule &schedule)
{
    std::string text;
    for (std::size_t i = 0; i < schedule.transfers.size(); ++i) {
        const ChunkTransfer &t = schedule.transfers[i];
        text += std::to_string(t.step) + ": " + std::to_string(t.from) + ">" + std::to_string(t.to)
            + " chunk " + std::to_string(t.firstChunk) + (t.isReduced ? " added" : "");
        for (std::uint32_t k = schedule.predOffset[i]; k < schedule.predOffset[i + 1]; ++k)
            text += " <" + std::to_string(schedule.preds[k]);
        text += "\n";
    }
    return text;
}

std::vector<double> costByBytes(const CollectiveSchedule &schedule)
{
    std::vector<double> cost;
    for (const ChunkTransfer &t : schedule.transfers)
        cost.push_back(static_cast<double>(t.bytes));
    return cost;
}

} // namespace

class CollectiveScheduleTest : public QObject
{
    Q_OBJECT

private slots:
    void aRingOfTwoIsWrittenOut();
    void everyNodeIsInsideOfAtMostOneTree();
    void everyRankHasEveryPartOnce_data();
    void everyRankHasEveryPartOnce();
    void everyRankHasItsShare();
    void everyRankHasWhatWasSentToIt();
    void chainsReachAndComeFromTheRoot();
    void aRingGoesThroughHostsOneByOne();
    void bytesAreThoseOfTheChunks();
    void chunksAreMadeLargerRatherThanTooMany();
    void whatIsUnknownHasNoSchedule();
    void aRingTakesItsTimeOnEveryLink();
    void aTreeIsPipelined();
    void bothTreesCarryAsMuch();
    void aServersLinkIsShared();
    void colocatedServersShareTheRanksLinks();
};

void CollectiveScheduleTest::aRingOfTwoIsWrittenOut()
{
    ScheduleRequest two = request("all_reduce", { 0, 1 });
    two.bytes = 10;
    QCOMPARE(textOf(collectiveSchedule(two)),
             std::string("0: 0>1 chunk 1 added\n"
                         "0: 1>0 chunk 0 added\n"
                         "1: 0>1 chunk 0 <1\n"
                         "1: 1>0 chunk 1 <0\n"));
}

void CollectiveScheduleTest::everyNodeIsInsideOfAtMostOneTree()
{
    // The seven of Sanders, Speck and Traeff's kind: 4 under the root, then 2 and 6, then leaves.
    const TreeParents seven = doubleBinaryTree(7).first;
    QCOMPARE(seven, (TreeParents { std::nullopt, 2, 4, 2, 0, 6, 4 }));
    for (std::uint32_t n = 2; n <= 33; ++n) {
        const DoubleTree trees = doubleBinaryTree(n);
        std::vector<int> inside(n, 0);
        for (const TreeParents &tree : { trees.first, trees.second }) {
            std::vector<int> children(n, 0);
            for (std::uint32_t i = 0; i < n; ++i)
                if (tree[i])
                    ++children[*tree[i]];
            QCOMPARE(std::count(tree.begin(), tree.end(), std::nullopt), 1);
            QVERIFY(*std::max_element(children.begin(), children.end()) <= 2);
            for (std::uint32_t i = 0; i < n; ++i)
                inside[i] += children[i];
        }
        // Both trees together: about as many chunks sent down as received.
        QVERIFY(*std::max_element(inside.begin(), inside.end()) <= 3);
    }
}

void CollectiveScheduleTest::everyRankHasEveryPartOnce_data()
{
    QTest::addColumn<int>("algorithm");
    QTest::newRow("ring") << static_cast<int>(CollectiveAlgorithm::Ring);
    QTest::newRow("tree") << static_cast<int>(CollectiveAlgorithm::Tree);
    QTest::newRow("hierarchical") << static_cast<int>(CollectiveAlgorithm::Hierarchical);
    QTest::newRow("colocated") << static_cast<int>(CollectiveAlgorithm::ColocatedServers);
    QTest::newRow("servers") << static_cast<int>(CollectiveAlgorithm::ParameterServer);
}

void CollectiveScheduleTest::everyRankHasEveryPartOnce()
{
    QFETCH(const int, algorithm);
    for (std::uint32_t n = 2; n <= 17; ++n)
        for (const Layout &layout : layouts(n))
            for (const std::uint32_t channels : { 1U, 2U }) {
                ScheduleRequest wanted
                    = request("all_reduce", layout, static_cast<CollectiveAlgorithm>(algorithm));
                wanted.channels = channels;
                wanted.servers = 3;
                const CollectiveSchedule schedule = collectiveSchedule(wanted);
                QVERIFY(!schedule.transfers.empty());
                Content content = flow(schedule, ownParts(schedule, n));
                for (std::uint32_t r = 0; r < n; ++r)
                    for (std::uint32_t c = 0; c < schedule.chunks; ++c)
                        QCOMPARE((content[{ r, c }]), allOf(n));
            }
}

void CollectiveScheduleTest::everyRankHasItsShare()
{
    for (std::uint32_t n = 2; n <= 17; ++n)
        for (const Layout &layout : layouts(n)) {
            const CollectiveSchedule schedule
                = collectiveSchedule(request("reduce_scatter", layout));
            Content content = flow(schedule, ownParts(schedule, n));
            for (std::uint32_t c = 0; c < schedule.chunks; ++c)
                QCOMPARE((content[{ c % n, c }]), allOf(n));
        }
}

void CollectiveScheduleTest::everyRankHasWhatWasSentToIt()
{
    for (std::uint32_t n = 2; n <= 17; ++n)
        for (const Layout &layout : layouts(n)) {
            const CollectiveSchedule gather = collectiveSchedule(request("all_gather", layout));
            Content shards;
            for (std::uint32_t c = 0; c < gather.chunks; ++c)
                shards[{ c % n, c }] = { { c % n, 1 } };
            shards = flow(gather, shards);
            for (std::uint32_t r = 0; r < n; ++r)
                for (std::uint32_t c = 0; c < gather.chunks; ++c)
                    QCOMPARE((shards[{ r, c }]), (Parts { { c % n, 1 } }));

            const CollectiveSchedule pairs = collectiveSchedule(request("all_to_all", layout));
            Content blocks;
            for (std::uint32_t c = 0; c < pairs.chunks; ++c)
                blocks[{ c / n % n, c }] = { { c / n % n, 1 } };
            blocks = flow(pairs, blocks);
            for (std::uint32_t c = 0; c < pairs.chunks; ++c)
                QCOMPARE((blocks[{ c % n, c }]), (Parts { { c / n % n, 1 } }));
        }
}

void CollectiveScheduleTest::chainsReachAndComeFromTheRoot()
{
    for (std::uint32_t n = 2; n <= 17; ++n)
        for (const Layout &layout : layouts(n)) {
            ScheduleRequest wanted = request("broadcast", layout);
            wanted.root = n / 2;
            const CollectiveSchedule down = collectiveSchedule(wanted);
            Content content = flow(down, ownParts(down, n));
            for (std::uint32_t r = 0; r < n; ++r)
                for (std::uint32_t c = 0; c < down.chunks; ++c)
                    QCOMPARE((content[{ r, c }]), (Parts { { n / 2, 1 } }));
            wanted.kind = "reduce";
            const CollectiveSchedule up = collectiveSchedule(wanted);
            content = flow(up, ownParts(up, n));
            for (std::uint32_t c = 0; c < up.chunks; ++c)
                QCOMPARE((content[{ n / 2, c }]), allOf(n));
        }
}

void CollectiveScheduleTest::aRingGoesThroughHostsOneByOne()
{
    const CollectiveSchedule schedule
        = collectiveSchedule(request("all_gather", { 5, 9, 5, 9, 5 }));
    std::set<std::pair<std::uint32_t, std::uint32_t>> links;
    for (const ChunkTransfer &t : schedule.transfers)
        links.emplace(t.from, t.to);
    QCOMPARE(links,
             (std::set<std::pair<std::uint32_t, std::uint32_t>> {
                 { 0, 2 }, { 2, 4 }, { 4, 1 }, { 1, 3 }, { 3, 0 } }));
}

void CollectiveScheduleTest::bytesAreThoseOfTheChunks()
{
    const CollectiveSchedule schedule = collectiveSchedule(request("all_reduce", spread(4, 4)));
    // 2 (n - 1) / n of the payload leave every rank, in chunks of no more than 1 MiB.
    std::map<std::uint32_t, std::uint64_t> sent;
    for (const ChunkTransfer &t : schedule.transfers) {
        sent[t.from] += t.bytes;
        QVERIFY(t.bytes <= 1 << 20);
    }
    for (const auto &[rank, bytes] : sent)
        QCOMPARE(bytes, Bytes / 4 * 6);
    QVERIFY(!schedule.isCoarsened);
}

void CollectiveScheduleTest::chunksAreMadeLargerRatherThanTooMany()
{
    ScheduleRequest large = request("all_reduce", spread(8, 8));
    large.bytes = std::uint64_t { 1 } << 40;
    const CollectiveSchedule schedule = collectiveSchedule(large);
    QVERIFY(schedule.isCoarsened);
    QVERIFY(schedule.transfers.size() <= large.mostTransfers);
    QVERIFY(schedule.transfers.size() > large.mostTransfers / 2);
    // A ring of 100 has 19,800 transfers at least.
    QVERIFY(collectiveSchedule(request("all_reduce", spread(100, 100))).transfers.empty());
}

void CollectiveScheduleTest::whatIsUnknownHasNoSchedule()
{
    QVERIFY(collectiveSchedule(request("all_reduce", {})).transfers.empty());
    QVERIFY(collectiveSchedule(request("all_reduce", { 0 })).transfers.empty());
    QVERIFY(collectiveSchedule(request("permute", { 0, 1 })).transfers.empty());
    QVERIFY(collectiveSchedule(request("send_recv", { 0, 1 })).transfers.empty());
    ScheduleRequest empty = request("barrier", { 0, 1 });
    empty.bytes = 0;
    QCOMPARE(collectiveSchedule(empty).transfers.size(), std::size_t { 4 });
}

void CollectiveScheduleTest::aRingTakesItsTimeOnEveryLink()
{
    for (const std::uint32_t n : { 2U, 4U, 5U, 8U }) {
        ScheduleRequest wanted = request("all_reduce", spread(n, n));
        wanted.bytes = std::uint64_t { n } << 22;
        const CollectiveSchedule schedule = collectiveSchedule(wanted);
        const ScheduleTimes times = scheduleTimes(schedule, costByBytes(schedule));
        QCOMPARE(times.makespan, static_cast<double>(2 * (n - 1)) * (1 << 22));
        // One at a time, without a pause.
        for (std::uint32_t i = 0; i < schedule.transfers.size(); ++i)
            if (times.before[i] == i)
                QCOMPARE(times.start[i], 0.0);
            else
                QCOMPARE(times.start[i], times.end[times.before[i]]);
    }
}

void CollectiveScheduleTest::aTreeIsPipelined()
{
    ScheduleRequest wanted = request("all_reduce", spread(8, 8), CollectiveAlgorithm::Tree);
    wanted.bytes = 1 << 28;
    const CollectiveSchedule schedule = collectiveSchedule(wanted);
    const double makespan = scheduleTimes(schedule, costByBytes(schedule)).makespan;
    // Two payloads on every link, and a few chunks until the pipe is full; not 2 log2(8) payloads.
    QVERIFY(makespan >= 1.75 * (1 << 28));
    QVERIFY2(makespan < 2.3 * (1 << 28), qPrintable(QString::number(makespan / (1 << 28))));
}

/// Of three pieces one tree had two.
void CollectiveScheduleTest::bothTreesCarryAsMuch()
{
    ScheduleRequest wanted = request("all_reduce", spread(8, 8), CollectiveAlgorithm::Tree);
    wanted.bytes = 3 << 20;
    const CollectiveSchedule schedule = collectiveSchedule(wanted);
    QCOMPARE(schedule.chunks, 4U);
    std::array<std::uint64_t, 2> bytes { 0, 0 };
    for (const ChunkTransfer &t : schedule.transfers)
        bytes[t.firstChunk % 2] += t.bytes;
    QCOMPARE(bytes[0], bytes[1]);
}

void CollectiveScheduleTest::aServersLinkIsShared()
{
    ScheduleRequest wanted
        = request("all_reduce", spread(4, 4), CollectiveAlgorithm::ParameterServer);
    wanted.bytes = 1 << 26;
    const CollectiveSchedule schedule = collectiveSchedule(wanted);
    const double makespan = scheduleTimes(schedule, costByBytes(schedule)).makespan;
    // Four payloads into the server; those out of it go the other way at the same time.
    QVERIFY(makespan >= 4.0 * (1 << 26));
    QVERIFY2(makespan < 4.2 * (1 << 26), qPrintable(QString::number(makespan / (1 << 26))));
}

/// Three quarters of the payload leave a rank for the others' servers, as much its own server for
/// them, over one link.
void CollectiveScheduleTest::colocatedServersShareTheRanksLinks()
{
    ScheduleRequest wanted
        = request("all_reduce", spread(4, 4), CollectiveAlgorithm::ColocatedServers);
    wanted.bytes = 1 << 26;
    const CollectiveSchedule schedule = collectiveSchedule(wanted);
    QCOMPARE(schedule.members, 4U);
    std::map<std::uint32_t, std::uint64_t> sent;
    for (const ChunkTransfer &t : schedule.transfers)
        sent[t.from] += t.bytes;
    for (const auto &[rank, bytes] : sent)
        QCOMPARE(bytes, std::uint64_t { 3 } << 25);
    const double makespan = scheduleTimes(schedule, costByBytes(schedule)).makespan;
    QVERIFY2(makespan >= 1.5 * (1 << 26) && makespan < 1.6 * (1 << 26),
             qPrintable(QString::number(makespan / (1 << 26))));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CollectiveScheduleTest)
#include "tst_collective_schedule.moc"
