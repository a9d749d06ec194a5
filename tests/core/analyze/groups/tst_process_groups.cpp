#include "core/analyze/groups/process_group_text.h"
#include "core/analyze/groups/process_groups.h"
#include "core/analyze/groups/transfer_groups.h"
#include "core/fit/links/measured_graph.h"
#include "core/model/compared_iterations.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_builder.h"

#include <QStringList>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

using namespace core;
namespace fs = std::filesystem;

/// The process groups of a trace.
class TestProcessGroups : public QObject
{
    Q_OBJECT

private slots:
    void ranksAreListedShortly_data();
    void ranksAreListedShortly();
    void whatTheSourceSaysComesFirst();
    void oneNameMayBeSeveralGroups();
    void listsThatMakeNoSenseAreLeftOut();
    void phasesOfABackendComeFromTheHost();
    void withoutStepsNoneIsSpokenOf();
    void onlyStepsThatCountAreCounted();
    void asidesDoNotHideTheRole();
    void gradientsBehindTheBackwardPassAreNotOfTheForwardPass_data();
    void gradientsBehindTheBackwardPassAreNotOfTheForwardPass();
    void buffersAreBroadcastAmongTheSameRanks();
    void bucketRowsAreNoGroup();
    void theGroupOfACollectiveIsFound();
    void sendsOfAllRanksAreOnTheirGroup();
    void theSearchCanBeCancelledAtEachRank();
    void groupsOfRealTraces_data();
    void groupsOfRealTraces();
};

namespace {

QString titles(const std::vector<ProcessGroup> &groups)
{
    QStringList list;
    for (const ProcessGroup &group : groups)
        list.append(QString::fromStdString("'" + group.name + "'"
                                           + (group.kind.empty() ? "" : " " + group.kind) + ": "
                                           + titleOf(group)));
    return list.join(QStringLiteral("; "));
}

/// One step of a rank: `calls` lie on a backend's thread, or a stream.
std::string rankText(int rank, const std::string &calls)
{
    return "rank " + std::to_string(rank)
        + "\niteration 0 0 100\nthread main\nzero_grad 0 2 phase=optimizer\nforward 2 38 "
        + "phase=forward\nbackward 40 40 phase=backward\nupdate 80 20 phase=optimizer\n" + calls;
}

JobMetadata listOf(const std::string &entry, const std::string &groups)
{
    return { entry + "#process_groups", "[" + groups + "]" };
}

} // namespace

void TestProcessGroups::ranksAreListedShortly_data()
{
    QTest::addColumn<QVector<int>>("ranks");
    QTest::addColumn<QString>("text");
    QTest::newRow("none") << QVector<int> {} << QStringLiteral("ranks not known");
    QTest::newRow("one") << QVector<int> { 3 } << QStringLiteral("rank 3");
    QTest::newRow("neighbours") << QVector<int> { 4, 5, 6, 7, 8 } << QStringLiteral("ranks 4-8");
    QTest::newRow("two") << QVector<int> { 0, 4 } << QStringLiteral("ranks 0, 4");
    QTest::newRow("every fourth") << QVector<int> { 1, 5, 9, 13, 17 }
                                  << QStringLiteral("ranks 1, 5 ... 17");
    QTest::newRow("any") << QVector<int> { 0, 1, 5, 6, 9, 30 }
                         << QStringLiteral("ranks 0, 1, 5, 6 and 2 others");
}

void TestProcessGroups::ranksAreListedShortly()
{
    QFETCH(const QVector<int>, ranks);
    QFETCH(const QString, text);
    QCOMPARE(QString::fromStdString(ranksText({ ranks.begin(), ranks.end() })), text);
}

void TestProcessGroups::whatTheSourceSaysComesFirst()
{
    const std::string calls
        = "stream 7 gpu=0\n"
          "ncclKernel 50 5 comm_kernel kind=all_reduce group=3 phase=backward\n"
          "ncclKernel 60 5 comm_kernel kind=all_reduce group=4 phase=backward\n";
    Trace trace = tests::traceFromText(rankText(0, calls) + rankText(1, calls));
    trace.metadata.push_back(
        listOf("r0.json",
               R"({"pg_name": "3", "pg_desc": "TENSOR_MODEL_PARALLEL_GROUP", "ranks": [0, 1]},
                  {"pg_name": "4", "pg_desc": "undefined", "ranks": [1, 0, 2, 3]})"));
    const std::vector<ProcessGroup> groups = processGroups(trace, {});
    QCOMPARE(titles(groups),
             QStringLiteral("'3': tensor parallel, ranks 0-1; "
                            "'4': data parallel, ranks 0-3 (inferred)"));
    QVERIFY(groups[0].areRanksStated && groups[0].calls == 2);
    const auto json = toJson(groups);
    QCOMPARE(json[0]["basis"], "stated");
    QCOMPARE(json[1]["basis"], "inferred");
    QCOMPARE(json[1]["ranks"].size(), std::size_t { 4 });
}

/// Each rank's file numbers its own groups.
void TestProcessGroups::oneNameMayBeSeveralGroups()
{
    const std::string calls
        = "stream 7 gpu=0\n"
          "ncclKernel 50 5 comm_kernel kind=all_reduce group=3 phase=backward\n";
    Trace trace = tests::traceFromText(rankText(0, calls) + rankText(1, calls));
    trace.workers[0].files = { "r0.json" };
    trace.workers[1].files = { "r1.json" };
    trace.metadata.push_back(listOf("r0.json", R"({"pg_name": "3", "ranks": [0, 2]})"));
    trace.metadata.push_back(listOf("r1.json", R"({"pg_name": "3", "ranks": [1, 3]})"));
    QCOMPARE(titles(processGroups(trace, {})),
             QStringLiteral("'3': data parallel, ranks 0, 2 (inferred); "
                            "'3': data parallel, ranks 1, 3 (inferred)"));
}

void TestProcessGroups::listsThatMakeNoSenseAreLeftOut()
{
    Trace trace = tests::traceFromText(
        rankText(0, "stream 7 gpu=0\nncclKernel 50 5 comm_kernel kind=all_gather group=3\n"));
    for (const char *text :
         { "", "{", "{}", "7", R"([3, {"pg_name": 3}, {"ranks": 1}])",
           R"([{"pg_name": "3", "pg_desc": ["tp"], "ranks": [0, -4, 1e300, "x", 99999999999]}])" })
        trace.metadata.push_back({ "a#process_groups", text });
    const std::vector<ProcessGroup> groups = processGroups(trace, {});
    QCOMPARE(titles(groups), QStringLiteral("'3': role not known, rank 0"));
    QVERIFY(groups[0].basis == RoleBasis::Unknown && !groups[0].evidence.empty());
}

void TestProcessGroups::phasesOfABackendComeFromTheHost()
{
    const auto use = [](int startUs) {
        const std::string call = "comm gloo\ngloo:all_reduce " + std::to_string(startUs)
            + " 5 kind=all_reduce bytes=900000\n";
        Trace trace = tests::traceFromText(rankText(0, call) + rankText(1, call));
        for (Iteration &iteration : trace.iterations)
            iteration.isStated = true; // a step, not just all that was recorded
        return processGroups(trace, {}).at(0).evidence;
    };
    QCOMPARE(use(10), std::string("1 all_reduce in the forward pass a step"));
    QCOMPARE(use(70),
             std::string("1 all_reduce in the backward pass a step: gradients are reduced"));
    QCOMPARE(use(90), std::string("1 all_reduce in the optimizer a step"));
}

/// A recording without a step had "2 broadcast a step".
void TestProcessGroups::withoutStepsNoneIsSpokenOf()
{
    Trace trace = tests::traceFromText("rank 0\niteration 0 10 25\ncomm gloo\n"
                                       "gloo:broadcast 10 5 kind=broadcast bytes=900000\n"
                                       "gloo:broadcast 30 5 kind=broadcast bytes=900000\n");
    QCOMPARE(processGroups(trace, {}).at(0).evidence,
             std::string("2 broadcast of each rank in the recording"));
    trace.iterations[0].isStated = true;
    QCOMPARE(processGroups(trace, {}).at(0).evidence, std::string("2 broadcast a step"));
}

/// Calls before the first step, and of one that the recording breaks off, made "38.9 of 45.2".
void TestProcessGroups::onlyStepsThatCountAreCounted()
{
    std::string text = "rank 0\n", calls = "comm gloo\n";
    for (int i = 0; i < 4; ++i) {
        text += "iteration " + std::to_string(i) + " " + std::to_string(100 + i * 100) + " 100\n";
        for (int call = 0; call < (i == 3 ? 1 : 4); ++call)
            calls += "gloo:all_reduce " + std::to_string(110 + i * 100 + call * 10)
                + " 5 kind=all_reduce bytes=900000\n";
    }
    const std::string before = "gloo:all_reduce 20 5 kind=all_reduce bytes=900000\n";
    calls.insert(calls.find('\n') + 1, before);
    Trace trace = tests::traceFromText(text + calls);
    trace.iterations.back().isWhole = false;
    trace.compared = comparedIterations(trace);
    QCOMPARE(processGroups(trace, {}).at(0).evidence, std::string("4 all_reduce a step"));
    trace.iterations.back().isWhole = true;
    trace.compared = comparedIterations(trace);
    QCOMPARE(processGroups(trace, {}).at(0).evidence, std::string("1 to 4 all_reduce a step"));
    QCOMPARE(
        processGroups(tests::traceFromText("rank 0\niteration 0 100 100\ncomm gloo\n" + before), {})
            .at(0)
            .evidence,
        std::string("1 all_reduce of each rank, outside of the steps that count"));
}

/// Statistics that layers exchange forward are small beside the gradients.
void TestProcessGroups::asidesDoNotHideTheRole()
{
    const std::string calls = "comm gloo\n"
                              "gloo:all_reduce 10 2 kind=all_reduce bytes=512\n"
                              "gloo:all_reduce 20 2 kind=all_reduce bytes=512\n"
                              "gloo:all_reduce 60 5 kind=all_reduce bytes=900000\n";
    QCOMPARE(titles(processGroups(tests::traceFromText(rankText(0, calls)), {})),
             QStringLiteral("'' all_reduce: data parallel, rank 0 (inferred)"));
}

void TestProcessGroups::gradientsBehindTheBackwardPassAreNotOfTheForwardPass_data()
{
    QTest::addColumn<QByteArray>("reduction"); ///< of gradients, twice
    QTest::addColumn<QByteArray>("other"); ///< within both passes: kind and group
    QTest::addColumn<QString>("roles");
    QTest::newRow("TP2 x PP2 x DP2")
        << QByteArray("all_reduce") << QByteArray("all_reduce group=tp")
        << QStringLiteral(
               "'dp': data parallel, ranks 0-7 (inferred); 'pp': pipeline parallel, ranks "
               "0-7 (inferred); 'tp': tensor parallel, ranks 0-7 (inferred)");
    QTest::newRow("gradients to shards, experts beside")
        << QByteArray("reduce_scatter") << QByteArray("all_to_all group=x")
        << QStringLiteral(
               "'dp': data parallel, ranks 0-7 (inferred); 'pp': pipeline parallel, ranks "
               "0-7 (inferred); 'x': expert parallel, ranks 0-7 (inferred)");
}

/// Megatron reduces gradients from its main thread, outside of autograd: reduce-scatters behind the
/// backward pass were those of a tensor parallel group, and all-reduces had no role.
void TestProcessGroups::gradientsBehindTheBackwardPassAreNotOfTheForwardPass()
{
    QFETCH(const QByteArray, reduction);
    QFETCH(const QByteArray, other);
    QFETCH(const QString, roles);
    const auto call = [](int startUs, const std::string &kindAndGroup, const char *phase) {
        return "nccl " + std::to_string(startUs)
            + " 2 comm_kernel bytes=900000 kind=" + kindAndGroup + " phase=" + phase + "\n";
    };
    std::string calls = "stream 7 gpu=0\n";
    for (const int startUs : { 6, 12 })
        calls += call(startUs, other.toStdString(), "forward");
    calls += call(20, "send group=pp", "forward") + call(24, "recv group=pp", "forward");
    for (const int startUs : { 50, 60 })
        calls += call(startUs, other.toStdString(), "backward");
    for (const int startUs : { 70, 74 })
        calls += call(startUs, reduction.toStdString() + " group=dp", "forward");
    calls += call(85, "all_gather group=dp", "optimizer");
    std::string text;
    for (int rank = 0; rank < 8; ++rank)
        text += rankText(rank, calls);
    QCOMPARE(titles(processGroups(tests::traceFromText(text), {})), roles);
}

void TestProcessGroups::buffersAreBroadcastAmongTheSameRanks()
{
    const std::string buffers = "comm gloo\ngloo:broadcast 4 2 kind=broadcast bytes=160\n";
    const std::string gradients = "gloo:all_reduce 60 5 kind=all_reduce bytes=900000\n";
    QCOMPARE(titles(processGroups(tests::traceFromText(rankText(0, buffers + gradients)), {})),
             QStringLiteral("'' all_reduce: data parallel, rank 0 (inferred); "
                            "'' broadcast: data parallel, rank 0 (inferred)"));
    QCOMPARE(titles(processGroups(tests::traceFromText(rankText(0, buffers)), {})),
             QStringLiteral("'' broadcast: role not known, rank 0"));
}

void TestProcessGroups::bucketRowsAreNoGroup()
{
    const std::string bucket
        = "comm bucket\nallreduce~bucket=0 55 15 kind=all_reduce group=bucket bytes=900000\n";
    const std::string own = "comm gloo\ngloo:all_reduce 60 5 kind=all_reduce bytes=900000\n";
    QCOMPARE(titles(processGroups(tests::traceFromText(rankText(0, own + bucket)), {})),
             QStringLiteral("'' all_reduce: data parallel, rank 0 (inferred)"));
}

void TestProcessGroups::theGroupOfACollectiveIsFound()
{
    std::vector<ProcessGroup> groups(4);
    groups[0].name = groups[1].name = "tp";
    groups[0].ranks = { 0, 1 };
    groups[1].ranks = { 2, 3 };
    groups[2].kind = "all_reduce";
    groups[3].kind = "broadcast";
    groups[2].ranks = groups[3].ranks = { 0, 2 };
    const ProcessGroupIndex index(groups);
    QCOMPARE(index.find("tp", "all_gather", 1), &groups[0]);
    QCOMPARE(index.find("tp", "all_gather", 3), &groups[1]);
    QCOMPARE(index.find("", "broadcast", 2), &groups[3]);
    QVERIFY(index.find("tp", "all_gather", 4) == nullptr);
    QVERIFY(index.find("", "all_gather", 2) == nullptr);
    QVERIFY(index.find("dp", "broadcast", 2) == nullptr);
}

/// A kernel of sends and receives was looked for among the messages, which are on no group.
void TestProcessGroups::sendsOfAllRanksAreOnTheirGroup()
{
    const std::string sends
        = "stream 7 gpu=0\nncclSendRecv 10 20 comm_kernel kind=send_recv group=ep\n";
    const Trace trace = tests::traceFromText(rankText(0, sends) + rankText(1, sends));
    const std::vector<ProcessGroup> groups = processGroups(trace, {});
    const Graph graph = measuredGraph(trace, {});
    QCOMPARE(graph.collectives.size(), std::size_t { 1 });
    const TransferGroups index(trace, groups);
    const ProcessGroup *found = index.find(graph.collectives.front());
    QVERIFY(found != nullptr);
    QCOMPARE(found->name, std::string("ep"));
}

void TestProcessGroups::theSearchCanBeCancelledAtEachRank()
{
    const Trace trace = tests::traceFromText(rankText(0, "") + rankText(1, ""));
    int looks = 0;
    const JobControl control([&looks] { return ++looks == 2; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, processGroups(trace, control));
}

void TestProcessGroups::groupsOfRealTraces_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<QString>("expected");
    const QString real = QStringLiteral("data/real/"), testbed = QStringLiteral("data/testbed/");
    const QString data2 = QStringLiteral("'' all_reduce: data parallel, ranks 0-1 (inferred)");
    QTest::newRow("the forward pass of a Megatron layer stack")
        << real + QStringLiteral("megatron-tp8/kineto")
        << QStringLiteral("'' all_reduce: tensor parallel, ranks 0-7 (inferred)");
    QTest::newRow("DDP whose file lists its groups")
        << real + QStringLiteral("hta/nccl_parser_config")
        << QStringLiteral("'0': data parallel, ranks 0-1 (inferred)");
    QTest::newRow("TorchRec: all-to-alls are kernels of sends and receives")
        << real + QStringLiteral("torchrec/sst_long_a2a_optimizer_qcomm_trace")
        << QStringLiteral("'' all_reduce: data parallel, ranks 0-3 (inferred); "
                          "'' all_to_all: embedding parallel, ranks 0-3 (inferred); "
                          // launched before the recording
                          "'' send_recv: role not known, ranks 0, 1, 3");
    QTest::newRow("DDP, gloo") << testbed + QStringLiteral("vgg-w2-500mbit-b25") << data2;
    QTest::newRow("DDP, checkpointed")
        << testbed + QStringLiteral("bert-w2-500mbit-b25-ckpt") << data2;
    QTest::newRow("DDP with buffers and rows of its buckets")
        << testbed + QStringLiteral("resnet-w2-500mbit-b25-markers")
        << data2 + QStringLiteral("; '' broadcast: data parallel, ranks 0-1 (inferred)");
    QTest::newRow("a reducer of its own")
        << testbed + QStringLiteral("emuvgg-w4-500mbit-p3s1024")
        << QStringLiteral("'' all_reduce: data parallel, ranks 0-3 (inferred)");
}

/// The outline that `longpole info` reads gives the same.
void TestProcessGroups::groupsOfRealTraces()
{
    const auto shared = tests::sharedData();
    if (!shared)
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, folder);
    QFETCH(const QString, expected);
    const QTemporaryDir place;
    const fs::path path = place.filePath(QStringLiteral("p.longpole")).toStdString();
    importBundle({ *shared / folder.toStdString() }, path, {}, {});
    const ProjectReader reader(path);
    const std::vector<ProcessGroup> groups = processGroups(reader.readTrace({}), {});
    QCOMPARE(titles(groups), expected);
    const auto outlined = processGroups(reader.readOutline(marksGroupUse, {}), {});
    QCOMPARE(toJson(outlined), toJson(groups));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestProcessGroups)
#include "tst_process_groups.moc"
