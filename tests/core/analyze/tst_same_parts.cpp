#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/change/change_text.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/parts.h"
#include "core/pipeline/pipeline.h"
#include "core/predict/prediction_json.h"
#include "tests/core/analyze/ps_job.h"
#include "tests/support/predict.h"
#include "tests/support/shared_data.h"
#include "tests/support/trace_builder.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <utility>

using namespace core;
using Json = nlohmann::ordered_json;

namespace {

struct Job
{
    std::shared_ptr<const Trace> trace;
    std::shared_ptr<const Graph> graph;
};

Job importedJob(const std::filesystem::path &bundle)
{
    const QTemporaryDir folder;
    const auto project = std::filesystem::path(folder.path().toStdString()) / "job.longpole";
    importBundle({ bundle }, project, {}, {});
    const LoadedProject loaded = loadProject(project, {});
    return { loaded.trace, loaded.graph };
}

Job parameterServerJob()
{
    const auto trace
        = std::make_shared<const Trace>(tests::traceFromText(tests::ParameterServerJob));
    return { trace, std::make_shared<const Graph>(measuredGraph(*trace, {})) };
}

/// The mean of a part over the compared iterations of the ranks that are no servers, from what
/// `longpole diagnose --json` says of each.
std::int64_t meanOf(const Json &diagnosis, const Json &servers, const char *key)
{
    std::int64_t sum = 0, count = 0;
    for (const Json &rank : diagnosis["ranks"]) {
        if (std::find(servers.begin(), servers.end(), rank["rank"]) != servers.end())
            continue;
        for (const Json &iteration : rank["iterations"])
            if (iteration["compared"].get<bool>()) {
                sum += iteration[key].is_null() ? 0 : iteration[key].get<std::int64_t>();
                ++count;
            }
    }
    return sum / std::max<std::int64_t>(1, count);
}

/// 0 where the recording does not tell.
std::int64_t measuredNs(const Json &replayed, const char *part)
{
    const Json &json = replayed["parts"][part];
    return json.is_null() ? 0 : json["measured_ns"].get<std::int64_t>();
}

Json measuredOnly(const Json &parts)
{
    Json measured;
    for (const auto &[name, part] : parts.items())
        measured[name] = part.is_null() ? Json() : part["measured_ns"];
    return measured;
}

} // namespace

/// How an iteration divides is one set of numbers, whoever asks.
class TestSameParts : public QObject
{
    Q_OBJECT

private slots:
    void diagnosisReplayAndWhatIfAgree_data();
    void diagnosisReplayAndWhatIfAgree();
    void waitingForTheSlowestPushIsNoTransfer();
    void aServerIsNotInTheMean();
};

void TestSameParts::diagnosisReplayAndWhatIfAgree_data()
{
    QTest::addColumn<QString>("bundle"); // empty: the parameter server in this file's text
    QTest::newRow("synthetic parameter server") << QString();
    QTest::newRow("sample") << QStringLiteral(LONGPOLE_SOURCE_DIR
                                              "/resources/samples/vgg-w2-500mbit-b25");
    const auto shared = tests::sharedData();
    for (const char *name : { "testbed/vgg-w3-300mbit-ps", "testbed/emuvgg-w4-500mbit-p3s1024",
                              "testbed/emuvgg-w3-500mbit-b25", "testbed/resnet-w2-200mbit-b25-fp16",
                              "real/megatron-tp8/kineto", "real/hta/sampled-2-of-128",
                              "real/torchrec/resnet18", "real/byteps/traces" })
        QTest::newRow(name) << (shared ? QString::fromStdString((*shared / "data" / name).string())
                                       : QStringLiteral("absent"));
}

void TestSameParts::diagnosisReplayAndWhatIfAgree()
{
    QFETCH(const QString, bundle);
    if (!bundle.isEmpty() && !std::filesystem::exists(bundle.toStdString()))
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    const Job job = bundle.isEmpty() ? parameterServerJob() : importedJob(bundle.toStdString());

    const Diagnosis diagnosis = diagnose(*job.trace, job.graph, {});
    const Json replayed = toJson(tests::predict(*job.trace, job.graph, {}, {}));
    const Json whatIf
        = toJson(tests::predict(*job.trace, job.graph, parseStrategy({ "comm_scale=0.5" }), {}));
    const Json diagnosed = toJson(diagnosis);

    QVERIFY(replayed["parts"] == toJson(diagnosis.selfReplay)["parts"]);
    QVERIFY(replayed["measured_ns"] == whatIf["measured_ns"]);
    QVERIFY(measuredOnly(replayed["parts"]) == measuredOnly(whatIf["parts"]));
    QCOMPARE(wholeNs(diagnosis.selfReplay.measuredParts),
             replayed["mean_iteration"]["measured_ns"].get<std::int64_t>());
    for (const auto &[key, part] :
         { std::pair { "compute_ns", "compute" }, std::pair { "overlap_ns", "overlap" },
           std::pair { "exposed_comm_ns", "exposed_comm" },
           std::pair { "exposed_wait_ns", "exposed_wait" }, std::pair { "mem_only_ns", "mem_only" },
           std::pair { "idle_ns", "idle" } })
        QVERIFY2(meanOf(diagnosed, replayed["servers"], key) == measuredNs(replayed, part), part);
}

/// It was counted and drawn as if the pull's bytes had taken that long.
void TestSameParts::waitingForTheSlowestPushIsNoTransfer()
{
    const Job job = parameterServerJob();
    const Diagnosis diagnosis = diagnose(*job.trace, job.graph, {});
    const auto waiting = std::count_if(diagnosis.transfers.begin(), diagnosis.transfers.end(),
                                       [](const auto &t) { return t.second.waitNs > 0; });
    QCOMPARE(waiting, 4); // both pulls and the server's receives
    QCOMPARE(diagnosis.ranks.size(), std::size_t { 3 });
    // Rank 1: pull from 40, sent from 90; rank 2: from 70, sent from 85.
    // The server receives from 20 to 40 and from 50 to 70, and sends from 85 on.
    const std::int64_t exposedNs[] = { 85'000, 80'000, 45'000 };
    const std::int64_t waitNs[] = { 30'000, 50'000, 15'000 };
    for (std::size_t rank = 0; rank < 3; ++rank) {
        const TimeBreakdown &time = diagnosis.ranks[rank].iterations.at(0).time;
        QCOMPARE(time.exposedCommNs, exposedNs[rank]);
        QCOMPARE(time.exposedWaitNs, std::optional<std::int64_t>(waitNs[rank]));
        // Both workers wait for the server, which waits most for the slower of them.
        QCOMPARE(diagnosis.ranks[rank].waits.front().rank, rank == 0 ? 2 : 0);
    }
}

/// Its 0 of computation made the workers' mean a third less.
void TestSameParts::aServerIsNotInTheMean()
{
    const Job job = parameterServerJob();
    const std::vector<WorkerId> servers = serverWorkers(*job.graph);
    QCOMPARE(servers.size(), std::size_t { 1 });
    QCOMPARE(servers.front().value, 0U);
    QCOMPARE(ranksInMean(*job.graph), std::size_t { 2 });
    const Prediction result = tests::predict(*job.trace, job.graph, {}, {});
    QVERIFY(result.serverRanks == std::vector<int> { 0 });
    QCOMPARE(result.measuredParts.computeNs, std::int64_t { 35'000 });
    QCOMPARE(result.predictedParts.computeNs, std::int64_t { 35'000 });
    QCOMPARE(result.measuredParts.exposedWaitNs, std::optional<std::int64_t>(32'500));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSameParts)
#include "tst_same_parts.moc"
