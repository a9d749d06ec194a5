#include "core/scenario/extrapolation.h"
#include "core/scenario/link_model.h"
#include "core/scenario/link_text.h"
#include "core/scenario/nccl_choices.h"
#include "core/scenario/transfers.h"
#include "tests/core/scenario/link_jobs.h"

#include <QTest>

#include <cmath>
#include <utility>

using namespace core;

namespace {

constexpr double GBytesPerSec = 192; ///< of the all-reduces, as rings
constexpr std::uint64_t Small = 65'536, Large = 8'589'934'592;

/// All-reduces of all ranks, by kernels of that name.
Graph allReducesOf(std::uint32_t ranks, const std::vector<std::uint64_t> &payloads,
                   const char *kernel = "ncclDevKernel_AllReduce_Sum_f32_RING_LL")
{
    return tests::allReducesOf(
        ranks, payloads,
        [ranks](std::uint64_t bytes) {
            return 20'000
                + static_cast<std::int64_t>(wireBytes("all_reduce", bytes, ranks) / GBytesPerSec);
        },
        kernel);
}

/// `ofHost` 0: hosts are not recorded.
Trace ranksOn(int ranks, int ofHost)
{
    Trace trace;
    for (int rank = 0; rank < ranks; ++rank) {
        Worker worker;
        worker.id = WorkerId(static_cast<std::uint32_t>(rank));
        worker.rank = rank;
        if (ofHost > 0)
            worker.host = "host" + std::to_string(rank / ofHost);
        trace.workers.push_back(worker);
    }
    return trace;
}

void addDevices(Trace &trace, const std::string &name, int major, int count)
{
    std::string list;
    for (int i = 0; i < count; ++i)
        list += (i > 0 ? "," : "") + std::string("{\"name\":\"") + name
            + "\",\"computeMajor\":" + std::to_string(major) + ",\"computeMinor\":0}";
    trace.metadata.push_back({ "rank0.json#devices", "[" + list + "]" });
}

std::vector<std::string> choicesOf(const Graph &graph)
{
    std::vector<std::string> choices;
    for (const CollectiveNode &node : graph.collectives)
        choices.push_back(node.chosenAlgorithm);
    return choices;
}

using Choices = std::vector<std::string>;

} // namespace

class TestNcclChoices : public QObject
{
    Q_OBJECT

private slots:
    void theSystemIsReadFromTheTrace();
    void aNameTellsWhatTheAcceleratorsHave_data();
    void aNameTellsWhatTheAcceleratorsHave();
    void whatIsNotReadIsSaidToBeAssumed();
    void onlyNcclsOwnAreChosenFor();
    void theChoiceShapesTheTransfers();
    void moreRanksAndOtherRatesAreChosenForAgain();
    void aPredictionThatRestsOnItIsFairAtBest();
};

/// What NCCL logged for such a system (github.com/NVIDIA/nccl/issues/1453).
void TestNcclChoices::theSystemIsReadFromTheTrace()
{
    Trace trace = ranksOn(24, 8);
    addDevices(trace, "NVIDIA H100 80GB HBM3", 9, 8);
    const Graph graph = withNcclChoices(allReducesOf(24, { Small, Large }), trace);
    QCOMPARE(choicesOf(graph), (Choices { "TREE", "RING" }));
    QCOMPARE(graph.nccl->computeCapability, 90);
    QVERIFY(graph.nccl->hasNvLink);
    QVERIFY(qAbs(graph.nccl->networkGBytesPerSec - GBytesPerSec) < 1);
    QCOMPARE(graph.nccl->assumed, std::string());
    // A card without NVLink, of Nsight's list.
    trace.metadata = { { "rank0.sqlite#nsight", "{\"gpus\":[{\"name\":\"NVIDIA H100 PCIe\"}]}" } };
    const Graph cards = withNcclChoices(allReducesOf(24, { Small }), trace);
    QCOMPARE(cards.nccl->computeCapability, 90);
    QVERIFY(!cards.nccl->hasNvLink);
}

void TestNcclChoices::aNameTellsWhatTheAcceleratorsHave_data()
{
    QTest::addColumn<QByteArray>("name");
    QTest::addColumn<int>("capability");
    QTest::addColumn<bool>("hasNvLink");
    QTest::newRow("V100") << QByteArray("Tesla V100-SXM2-32GB") << 70 << true;
    QTest::newRow("A100 card") << QByteArray("NVIDIA A100-PCIE-40GB") << 80 << false;
    QTest::newRow("H800") << QByteArray("NVIDIA H800") << 90 << true;
    QTest::newRow("H800 card") << QByteArray("NVIDIA H800 PCIe") << 90 << false;
    QTest::newRow("H20") << QByteArray("NVIDIA H20") << 90 << true;
    QTest::newRow("H200 card") << QByteArray("NVIDIA H200 NVL") << 90 << false;
    QTest::newRow("GB200") << QByteArray("NVIDIA GB200") << 100 << true;
    QTest::newRow("Turing card") << QByteArray("Quadro RTX 4000") << 75 << false;
    QTest::newRow("Ada card") << QByteArray("NVIDIA GeForce RTX 4090") << 89 << false;
}

void TestNcclChoices::aNameTellsWhatTheAcceleratorsHave()
{
    QFETCH(const QByteArray, name);
    Trace trace = ranksOn(24, 8);
    trace.metadata
        = { { "rank0.sqlite#nsight", "{\"gpus\":[{\"name\":\"" + name.toStdString() + "\"}]}" } };
    const Graph graph = withNcclChoices(allReducesOf(24, { Small }), trace);
    QTEST(graph.nccl->computeCapability, "capability");
    QTEST(graph.nccl->hasNvLink, "hasNvLink");
}

void TestNcclChoices::whatIsNotReadIsSaidToBeAssumed()
{
    const Graph unknown = withNcclChoices(allReducesOf(24, { Small }), ranksOn(24, 8));
    QCOMPARE(unknown.nccl->assumed, std::string("compute capability 8.0, NVLink in each host"));
    // No host is recorded: as many ranks a host as it lists accelerators.
    Trace trace = ranksOn(24, 0);
    addDevices(trace, "NVIDIA A100-SXM4-80GB", 8, 4);
    QCOMPARE(withNcclChoices(allReducesOf(24, { Small }), trace).nccl->assumed,
             std::string("4 ranks a host"));
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "TREE" });
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(4, { Small }), trace)), Choices { "RING" });
    // Where ranks are without a recording, nothing tells how many of them share a host.
    Graph some = allReducesOf(8, { Small });
    some.collectives.front().statedRanks = 24;
    const Graph seen = withNcclChoices(std::move(some), ranksOn(8, 8));
    QCOMPARE(seen.nccl->assumed,
             std::string("compute capability 8.0, NVLink in each host, 8 ranks a host"));
    QCOMPARE(choicesOf(seen), Choices { "TREE" });
    // Damaged lists tell nothing.
    for (const char *text :
         { "[", "{}", "[1,{\"name\":2}]", "[{\"name\":\"x\",\"computeMajor\":-1}]" }) {
        trace.metadata = { { "rank0.json#devices", text } };
        QCOMPARE(withNcclChoices(allReducesOf(24, { Small }), trace).nccl->computeCapability, 80);
    }
}

void TestNcclChoices::onlyNcclsOwnAreChosenFor()
{
    Trace trace = ranksOn(24, 8);
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }, "allreduce_xpu"), trace)),
             Choices { "" });
    Graph gloo = allReducesOf(24, { Small });
    gloo.devices.front().isHostLink = true;
    QVERIFY(!withNcclChoices(gloo, trace).nccl);
    // Two ranks have one way.
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(2, { Small }), trace)), Choices { "" });
    Graph stated = allReducesOf(24, { Small });
    stated.collectives.front().algorithm = "NVLS_TREE";
    QCOMPARE(choicesOf(withNcclChoices(stated, trace)), Choices { "" });
    // RCCL's kernels have NCCL's names, and its rule is another one.
    addDevices(trace, "AMD Instinct MI300X", 9, 8);
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "" });
    trace.metadata = { { "rank0.json#profiler", "{\"hip_runtime_version\":60000}" } };
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "" });
    trace.metadata.clear();
    trace.names = { "hipLaunchKernel" };
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "" });
}

void TestNcclChoices::theChoiceShapesTheTransfers()
{
    const Trace trace = ranksOn(24, 8);
    const Graph graph = withNcclChoices(allReducesOf(24, { Small, 2 * Small, Large }), trace);
    QCOMPARE(wireBytes(graph.collectives[0], Small, trace), 2.0 * Small); // a tree's
    QCOMPARE(wireBytes(graph.collectives[2], 24, trace), 46.0); // a ring's
    const LinkModel link = fitLinks(graph, trace).begin()->second;
    QCOMPARE(link.chosenAlgorithms,
             (std::map<std::string, std::size_t> { { "RING", 1 }, { "TREE", 2 } }));
    QCOMPARE(link.assumedRings, std::size_t { 0 });
    QCOMPARE(linkAlgorithmText(link),
             std::string("1 of them ring by NCCL's rule; 2 of them tree by NCCL's rule (assumed: "
                         "compute capability 8.0, NVLink in each host)"));
}

void TestNcclChoices::moreRanksAndOtherRatesAreChosenForAgain()
{
    // Eight ranks of one host are a ring; of three hosts a tree: chains of eight, then one step up.
    Trace trace = ranksOn(8, 8);
    addDevices(trace, "NVIDIA A100-SXM4-80GB", 8, 8);
    const Graph one = withNcclChoices(allReducesOf(8, { Small, 4 * Small }), trace);
    QCOMPARE(choicesOf(one), (Choices { "RING", "RING" }));
    const NcclChange more { Small, 24 };
    QCOMPARE(takenAfter(one.collectives[0], more, one, trace), std::string("TREE"));
    const LinkModels links = fitLinks(one, trace);
    const Graph grown = rewriteTransfers(one, trace, links, parseSettings({ "world_size=24" }));
    const LinkModel &link = links.begin()->second;
    const double expectedNs
        = (14 + 2 * std::log2(3)) * link.alphaNs / 14 + link.betaNsPerByte * 2 * Small;
    QVERIFY(qAbs(static_cast<double>(grown.durationNs[0]) - expectedNs) < 0.01 * expectedNs);
    // What is stated stays.
    CollectiveNode stated = one.collectives[0];
    stated.algorithm = "RING";
    stated.chosenAlgorithm.clear();
    QCOMPARE(takenAfter(stated, more, one, trace), std::string("RING"));
    // A slower network makes bytes count more, of which a ring sends fewer.
    const Trace three = ranksOn(24, 8);
    const Graph graph = withNcclChoices(allReducesOf(24, { 16 * Small }), three);
    QCOMPARE(choicesOf(graph), Choices { "TREE" });
    QCOMPARE(takenAfter(graph.collectives[0], { 16 * Small, 24, 0.02 }, graph, three),
             std::string("RING"));
}

void TestNcclChoices::aPredictionThatRestsOnItIsFairAtBest()
{
    const Trace trace = ranksOn(24, 8);
    const Graph graph = withNcclChoices(allReducesOf(24, { Small, Large }), trace);
    const auto saysRule = [&graph](const char *word) {
        ScenarioResult result;
        result.settings = parseSettings({ word });
        for (const Extrapolation &found : extrapolations(graph, result))
            if (found.reason.find("by its rule") != std::string::npos)
                return found.level == TrustLevel::Fair;
        return false;
    };
    QVERIFY(saysRule("world_size=48"));
    QVERIFY(saysRule("bandwidth_scale=2"));
    QVERIFY(saysRule("bucket_cap_mb=10"));
    QVERIFY(saysRule("first_bucket_mb=10"));
    QVERIFY(saysRule("schedule=fifo"));
    QVERIFY(!saysRule("compute_scale=0.9"));
    QVERIFY(!saysRule("collective=ring"));
}

QTEST_GUILESS_MAIN(TestNcclChoices)
#include "tst_nccl_choices.moc"
