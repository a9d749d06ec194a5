#include "core/change/change_text.h"
#include "core/change/transfers/link_changes.h"
#include "core/change/transfers/transfers.h"
#include "core/fit/links/link_models.h"
#include "core/fit/links/link_text.h"
#include "core/fit/links/nccl_choices.h"
#include "tests/core/fit/links/link_jobs.h"
#include "tests/support/predict.h"

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
    void theStatedVersionsRuleIsTaken();
    void anotherLinksRateIsSaidToBeAssumed();
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
    QCOMPARE(graph.nccl->assumed,
             std::string("NCCL 2.20, no NVLS (sums in the switch; not weighed)"));
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
    QTest::newRow("GH200") << QByteArray("NVIDIA GH200 480GB") << 90 << true;
    QTest::newRow("A30") << QByteArray("NVIDIA A30") << 80 << false;
    QTest::newRow("A800") << QByteArray("NVIDIA A800-SXM4-80GB") << 80 << true;
    QTest::newRow("L4") << QByteArray("NVIDIA L4") << 89 << false;
    QTest::newRow("L40S") << QByteArray("NVIDIA L40S") << 89 << false;
    QTest::newRow("B100") << QByteArray("NVIDIA B100") << 100 << true;
    QTest::newRow("B300") << QByteArray("NVIDIA B300 SXM6 AC") << 103 << true;
    QTest::newRow("GB200") << QByteArray("NVIDIA GB200") << 100 << true;
    QTest::newRow("GB300") << QByteArray("NVIDIA GB300") << 103 << true;
    QTest::newRow("Turing GeForce") << QByteArray("NVIDIA GeForce RTX 2080 Ti") << 75 << false;
    QTest::newRow("Blackwell GeForce") << QByteArray("NVIDIA GeForce RTX 5090") << 120 << false;
    QTest::newRow("Ampere workstation") << QByteArray("NVIDIA RTX A3000") << 86 << false;
    QTest::newRow("Ada workstation") << QByteArray("NVIDIA RTX 5000 Ada Generation") << 89 << false;
    QTest::newRow("Blackwell workstation")
        << QByteArray("NVIDIA RTX PRO 6000 Blackwell Server Edition") << 120 << false;
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
    QCOMPARE(unknown.nccl->assumed,
             std::string("compute capability 8.0, NVLink in each host, NCCL 2.20"));
    // No host is recorded: as many ranks a host as it lists accelerators.
    Trace trace = ranksOn(24, 0);
    addDevices(trace, "NVIDIA A100-SXM4-80GB", 8, 4);
    QCOMPARE(withNcclChoices(allReducesOf(24, { Small }), trace).nccl->assumed,
             std::string("NCCL 2.20, 4 ranks a host, between hosts the rate of all transfers"));
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "TREE" });
    QCOMPARE(choicesOf(withNcclChoices(allReducesOf(4, { Small }), trace)), Choices { "RING" });
    // Where ranks are without a recording, nothing tells how many of them share a host.
    Graph some = allReducesOf(8, { Small });
    some.collectives.front().statedRanks = 24;
    const Graph seen = withNcclChoices(std::move(some), ranksOn(8, 8));
    QCOMPARE(seen.nccl->assumed,
             std::string("compute capability 8.0, NVLink in each host, NCCL 2.20, 8 ranks a "
                         "host"));
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
    for (const char *name :
         { "hipLaunchKernel", "rcclGenericKernel", "Cijk_Ailk_Bljk_SB_MT64x64x8" }) {
        trace.names = { name };
        QCOMPARE(choicesOf(withNcclChoices(allReducesOf(24, { Small }), trace)), Choices { "" });
    }
    // Which is said.
    const Graph rccl = withNcclChoices(allReducesOf(24, { Small, Large }), trace);
    const LinkModel link = fitLinks(rccl, trace).begin()->second;
    QCOMPARE(link.assumedRings, std::size_t { 2 });
    QCOMPARE(linkAlgorithmText(link),
             "assumed to be rings: the trace does not state the algorithm (" + rccl.nccl->notApplied
                 + ")");
    QVERIFY(rccl.nccl->notApplied.starts_with("RCCL"));
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
                         "compute capability 8.0, NVLink in each host, NCCL 2.20)"));
}

/// Version 2.20's rule was applied to all, of which others choose otherwise in a tenth of cases.
void TestNcclChoices::theStatedVersionsRuleIsTaken()
{
    const auto with = [](const char *version, const char *file = "rank0.json#profiler") {
        Trace trace = ranksOn(24, 8);
        addDevices(trace, "NVIDIA H100 80GB HBM3", 9, 8);
        trace.metadata.push_back({ file, std::string("{\"nccl_version\":\"") + version + "\"}" });
        return withNcclChoices(allReducesOf(24, { 256 * Small }), trace);
    };
    const std::string noNvls = "no NVLS (sums in the switch; not weighed)";
    QCOMPARE(choicesOf(with("2.17.1")), Choices { "TREE" });
    QCOMPARE(choicesOf(with("2.21.5")), Choices { "RING" });
    QCOMPARE(with("2.21.5").nccl->version, 221);
    QCOMPARE(with("2.21.5").nccl->assumed, noNvls);
    QCOMPARE(with("2.27.3", "meta.json").nccl->version, 227);
    QCOMPARE(with("22705").nccl->version, 227); // as NCCL's header writes it
    QCOMPARE(with("2708").nccl->version, 207);
    QCOMPARE(with("2.23.4").nccl->assumed, "NCCL 2.23 chooses as 2.28, " + noNvls);
    QCOMPARE(with("2.14.3").nccl->assumed, std::string("NCCL 2.14 chooses as 2.17"));
    for (const char *nonsense : { "unknown", "", "2", "2.", "-1.5", "99999999999", "2.x" }) {
        QCOMPARE(with(nonsense).nccl->version, 220);
        QCOMPARE(with(nonsense).nccl->assumed, "NCCL 2.20, " + noNvls);
    }
    // Those that know Blackwell.
    Trace trace = ranksOn(24, 8);
    addDevices(trace, "NVIDIA B200", 10, 8);
    QVERIFY(withNcclChoices(allReducesOf(24, { Small }), trace)
                .nccl->assumed.starts_with("NCCL 2.28, "));
}

/// The rate within hosts stood for the network's, unsaid.
void TestNcclChoices::anotherLinksRateIsSaidToBeAssumed()
{
    Trace trace = ranksOn(8, 8);
    addDevices(trace, "NVIDIA A100-SXM4-80GB", 8, 8);
    const Graph graph = withNcclChoices(allReducesOf(8, { Small }), trace);
    QCOMPARE(graph.nccl->assumed, std::string("NCCL 2.20")); // within a host it does not matter
    const auto reasonOf = [&graph](const char *word) {
        Prediction result;
        result.strategy = parseStrategy({ word });
        for (const TrustReason &found : tests::doubts(graph, result))
            if (found.text.find("NCCL's rule is used") != std::string::npos)
                return found.text;
        return std::string();
    };
    const char *assumed = "between hosts the rate measured within them";
    QVERIFY(reasonOf("world_size=24").find(assumed) != std::string::npos);
    QVERIFY(reasonOf("bucket_cap_mb=10").find(assumed) == std::string::npos);
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
    const Graph grown = rewriteTransfers(one, trace, links,
                                         core::linkChanges(parseStrategy({ "world_size=24" })));
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
        Prediction result;
        result.strategy = parseStrategy({ word });
        for (const TrustReason &found : tests::doubts(graph, result))
            if (found.text.find("NCCL's rule is used") != std::string::npos)
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestNcclChoices)
#include "tst_nccl_choices.moc"
