#include "core/analyze/diagnosis.h"
#include "core/analyze/groups/slow_groups.h"
#include "core/fit/links/measured_graph.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// "tp0" of ranks 0 and 1, "tp1" of ranks 2 and 3, ... as PyTorch lists its groups.
std::string groupsText(std::size_t pairs)
{
    std::string list;
    for (std::size_t i = 0; i < pairs; ++i)
        list += std::string(i == 0 ? "[" : ", ") + "{\"pg_name\": \"tp" + std::to_string(i)
            + "\", \"pg_desc\": \"TENSOR_MODEL_PARALLEL_GROUP\", \"ranks\": ["
            + std::to_string(2 * i) + ", " + std::to_string(2 * i + 1) + "]}";
    return list + "]";
}

/// Pairs of ranks that divide layers: twice in each of three iterations, 10 ms of a layer and an
/// all-reduce of its parts, which takes `transferMs` of the pair; then one of all ranks, 10 ms from
/// the last on, and 10 ms of updates. Rank 1 takes `lateMs` longer for a layer, and rank 0 waits.
struct Pairs
{
    explicit Pairs(const std::vector<int> &transferMs, int lateMs = 0, bool areSizesAlike = true)
    {
        std::vector<int> layerMs = transferMs; // of the pairs
        for (int &ms : layerMs)
            ms += 10;
        layerMs[0] += lateMs;
        const int lastMs = 2 * *std::max_element(layerMs.begin(), layerMs.end());
        const auto at = [](int beginMs, int endMs) {
            return " " + std::to_string(beginMs * 1000) + " "
                + std::to_string((endMs - beginMs) * 1000);
        };
        const auto allReduce = [&at](int beginMs, int endMs, const std::string &group) {
            return "ncclAllReduce" + at(beginMs, endMs)
                + " comm_kernel kind=all_reduce group=" + group;
        };
        std::string text;
        for (int rank = 0; rank < 2 * static_cast<int>(transferMs.size()); ++rank) {
            const auto pair = static_cast<std::size_t>(rank) / 2;
            const std::string bytes
                = std::to_string(areSizesAlike ? 1'000'000 : 1'000'000 + rank / 2);
            std::string stream = "stream 7 gpu=0\n", marks;
            for (int i = 0; i < 3; ++i) {
                const int beginMs = i * (lastMs + 20), endMs = beginMs + lastMs + 20;
                marks += "iteration " + std::to_string(i) + at(beginMs, endMs) + "\n";
                for (int layer = 0; layer < 2; ++layer) {
                    const int fromMs = beginMs + layer * layerMs[pair];
                    const int readyMs = fromMs + 10 + (rank == 1 ? lateMs : 0);
                    stream += "aten::mm" + at(fromMs, readyMs) + " phase=forward\n"
                        + allReduce(readyMs, fromMs + layerMs[pair], "tp" + std::to_string(pair))
                        + " phase=forward bytes=" + bytes + "\n";
                }
                stream += allReduce(beginMs + 2 * layerMs[pair], endMs - 10, "all")
                    + " bytes=2000000\nupdate" + at(endMs - 10, endMs) + "\n";
            }
            text += "rank " + std::to_string(rank) + "\n" + marks + stream;
        }
        trace = tests::traceFromText(text);
        trace.metadata.push_back({ "trace.json#process_groups", groupsText(transferMs.size()) });
        graph = std::make_shared<const Graph>(measuredGraph(trace, {}));
    }

    std::vector<SlowGroup> slow(GroupRole role = GroupRole::Tensor) const
    {
        std::vector<ProcessGroup> groups = processGroups(trace, {});
        for (ProcessGroup &group : groups)
            group.role = role;
        return slowGroups(trace, *graph, groups);
    }

    Trace trace;
    std::shared_ptr<const Graph> graph;
};

} // namespace

class SlowGroupsTest : public QObject
{
    Q_OBJECT

private slots:
    void aGroupIsComparedWithOthersOfItsRole();
    void groupsThatAreAlikeAreNotNamed();
    void waitingForARankIsNoSlowTransfer();
    void transfersOfOtherSizesAreNotCompared();
    void theGainIsThatOfTransfersLikeTheOthers();
};

void SlowGroupsTest::aGroupIsComparedWithOthersOfItsRole()
{
    const Pairs job({ 5, 5, 20, 5 });
    const std::vector<SlowGroup> slow = job.slow();
    QCOMPARE(slow.size(), std::size_t { 1 });
    QCOMPARE(slow[0].ranks, (std::vector<int> { 4, 5 }));
    QCOMPARE(slow[0].ns, 20 * Ms);
    QCOMPARE(slow[0].othersNs, 5 * Ms);
    QCOMPARE(slow[0].others, std::size_t { 3 });
    QCOMPARE(slow[0].transfers, std::size_t { 6 });
    QCOMPARE(slow[0].excessNs, 6 * 15 * Ms);
    QCOMPARE(slow[0].factor, 0.25);
    QVERIFY(job.slow(GroupRole::Unknown).empty());
}

void SlowGroupsTest::groupsThatAreAlikeAreNotNamed()
{
    QVERIFY(Pairs({ 10, 11, 12 }).slow().empty());
    QVERIFY(Pairs({ 10 }).slow().empty());
    QCOMPARE(Pairs({ 20, 10 }).slow().size(), std::size_t { 1 });
    // A fast one beside two that are alike.
    QVERIFY(Pairs({ 10, 3, 10 }).slow().empty());
}

void SlowGroupsTest::waitingForARankIsNoSlowTransfer()
{
    QVERIFY(Pairs({ 5, 5, 5 }, 15).slow().empty());
}

void SlowGroupsTest::transfersOfOtherSizesAreNotCompared()
{
    QVERIFY(Pairs({ 5, 20, 5 }, 0, false).slow().empty());
}

/// A slow link between two ranks of a job with several groups was not named.
void SlowGroupsTest::theGainIsThatOfTransfersLikeTheOthers()
{
    Pairs job({ 5, 5, 20, 5 });
    const Diagnosis diagnosis = diagnose(job.trace, job.graph, {});
    const auto found = std::find_if(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                                    [](const Bottleneck &one) { return one.kind == "slow-group"; });
    QVERIFY(found != diagnosis.bottlenecks.end());
    QCOMPARE(found->title, std::string("Tensor-parallel transfers between ranks 4-5 are slow"));
    QVERIFY2(found->reason.starts_with("They take 4 times as long as in the 3 other groups"),
             found->reason.c_str());
    QVERIFY(diagnosis.verdict.starts_with(found->title));
    QCOMPARE(found->gainNs, 30 * Ms);
    QCOMPARE(found->strategy.list(),
             (std::vector<std::pair<std::string, std::string>> { { "comm_scale:4,5", "0.25" } }));
    QVERIFY(!found->range.isEmpty());
    QVERIFY(found->advice.find("NVLink") != std::string::npos);
    QVERIFY(tests::obstacle(*diagnosis.selfReplay.graph, "schedule"));
    QVERIFY(tests::obstacle(*diagnosis.selfReplay.graph, "bucket_cap_mb"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SlowGroupsTest)
#include "tst_slow_groups.moc"
