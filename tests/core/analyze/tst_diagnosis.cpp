#include "core/analyze/diagnosis.h"
#include "core/analyze/diagnosis_json.h"
#include "core/analyze/iterations.h"
#include "core/base/error.h"
#include "core/graph/build_graph.h"
#include "tests/support/trace_builder.h"

#include <QtTest>

#include <nlohmann/json.hpp>

using namespace core;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// Two ranks, three iterations of 110 ms. Rank 0 computes 40 ms, rank 1 80 ms; the all-reduce takes
/// 20 ms once both have come; 10 ms of update follow.
///
///     rank 0  |forward 40|---- waits ----|transfer 20|update 10|
///     rank 1  |forward 80                |transfer 20|update 10|
Trace slowSecondRank()
{
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        text += "rank " + std::to_string(rank) + "\n";
        std::string host = "thread main\n", backend = "comm gloo\n";
        for (int i = 0; i < 3; ++i) {
            const int begin = i * 110'000, compute = rank == 0 ? 40'000 : 80'000;
            const auto line
                = [](const std::string &name, int start, int duration, const std::string &rest) {
                      return name + " " + std::to_string(start) + " " + std::to_string(duration)
                          + " " + rest + "\n";
                  };
            host += line("ProfilerStep#" + std::to_string(i), begin, 110'000, "user_annotation");
            host += line("forward", begin, compute, "");
            host += line("c10d::allreduce_", begin + compute, 0, "");
            host += line("update", begin + 100'000, 10'000, "");
            backend += line("gloo:all_reduce", begin + compute, 100'000 - compute,
                            "kind=all_reduce bytes=1000000");
        }
        text += host + backend;
    }
    Trace trace = tests::traceFromText(text);
    trace.iterations = detectIterations(trace);
    // Its transfers are all alike; what is stated tells that their time goes with their bytes.
    trace.metadata.push_back({ "meta.json", R"({"bandwidth_mbit": 420})" });
    return trace;
}

Diagnosis diagnosed(const Trace &trace)
{
    return diagnose(trace, std::make_shared<Graph>(buildGraph(trace, {})), {});
}

const Bottleneck *find(const Diagnosis &diagnosis, const std::string &kind)
{
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks)
        if (bottleneck.kind == kind)
            return &bottleneck;
    return nullptr;
}

/// Empty where nothing of the kind is found.
QString adviceOn(const Trace &trace, const std::string &kind)
{
    const Diagnosis diagnosis = diagnosed(trace);
    const Bottleneck *found = find(diagnosis, kind);
    return found ? QString::fromStdString(found->advice) : QString();
}

bool isNear(std::int64_t value, std::int64_t expected)
{
    return std::abs(value - expected) < Ms / 10;
}

} // namespace

class DiagnosisTest : public QObject
{
    Q_OBJECT

private slots:
    void theSlowRankIsTheVerdict();
    void aRankIsNotBlamedForWhatTheClocksCannotTell();
    void aMixtureOfJobsHasNoVerdictButThat();
    void advicePointsToTheFrameworkOfTheTrace();
    void adviceFitsTheWayInWhichRanksExchange();
    void aProgramWithoutAFrameworkIsNotToldToUseOne();
    void aHostThatIsNotRecordedIsNotBlamed();
    void gainsAreThoseOfTheReplayWithoutTheCause();
    void replayWithABottlenecksSettingsGivesItsGain();
    void theCriticalPathAddsUpToTheIteration();
    void opsThatAreNearlyCriticalHaveTheirSlack();
    void whatIsNearlyCriticalOnceIsNotSpreadOverAllIterations();
    void theOpThatMadeARankLateIsNamed();
    void slowRanksAreToldByTypeOfOp();
    void anOpIsNotBlamedForTheGapBeforeIt();
    void bottlenecksPointIntoTheTimeline();
    void jsonHasTheKeysOfTheContract();
    void cancelStopsIt();
};

void DiagnosisTest::theSlowRankIsTheVerdict()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    QCOMPARE(
        QString::fromStdString(diagnosis.verdict),
        QStringLiteral("Rank 1 makes the others wait: 40.00 ms of each 110.0 ms iteration, as its "
                       "forward takes 80.00 ms (rank 0: 40.00 ms). To gain: 18 % of an iteration."));
    QCOMPARE(diagnosis.collectives.size(), std::size_t { 3 });
    QCOMPARE(diagnosis.collectives[0].lastRank, 1);
    QCOMPARE(diagnosis.collectives[0].ranks[0].waitNs, 40 * Ms);
    QCOMPARE(diagnosis.collectives[0].ranks[0].transferNs, 20 * Ms);
}

/// A bottleneck over two jobs was told as if they were one.
void DiagnosisTest::aMixtureOfJobsHasNoVerdictButThat()
{
    Trace trace = slowSecondRank();
    trace.workers[0].worldSize = 2;
    trace.workers[1].worldSize = 4;
    const Diagnosis diagnosis = diagnosed(trace);
    QCOMPARE(QString::fromStdString(diagnosis.verdict),
             QStringLiteral("These traces are of 2 jobs (rank 0; rank 1): no figure holds for "
                            "the mixture. Import each job into a project of its own."));
    QVERIFY(!diagnosis.isOfOneJob);
    QVERIFY(diagnosis.bottlenecks.empty());
    QVERIFY(diagnosis.criticalPath.ops.empty());
    QCOMPARE(diagnosis.selfReplay.trust, TrustLevel::Poor);
    QCOMPARE(diagnosis.ranks.size(), std::size_t { 2 }); // what one rank did holds
    QVERIFY(diagnosis.collectives.empty() && diagnosis.groups.empty());
    const nlohmann::ordered_json json = toJson(diagnosis);
    QCOMPARE(json["one_job"], false);
    QVERIFY(json["trust"]["replay_error_fraction"].is_null() && json["scheduling"].is_null());
    // Nor a prediction.
    QVERIFY_THROWS_EXCEPTION(
        Error, runScenario(trace, std::make_shared<const Graph>(buildGraph(trace, {})), {}, {}));
}

void DiagnosisTest::aRankIsNotBlamedForWhatTheClocksCannotTell()
{
    Trace trace = slowSecondRank();
    trace.alignment.workers.resize(2);
    for (std::uint32_t w = 0; w < 2; ++w) {
        trace.alignment.workers[w].worker = WorkerId(w);
        trace.alignment.workers[w].isKnown = true;
    }
    QVERIFY(find(diagnosed(trace), "straggler"));
    trace.alignment.workers[1].residualNs = 50 * Ms; // it comes 40 ms late
    QVERIFY(!find(diagnosed(trace), "straggler"));
}

void DiagnosisTest::advicePointsToTheFrameworkOfTheTrace()
{
    Trace trace = slowSecondRank();
    QVERIFY(!adviceOn(trace, "bandwidth").contains(QStringLiteral("register_comm_hook")));
    for (std::string &name : trace.names)
        if (name == "forward")
            name = "DistributedDataParallel.forward";
    QVERIFY(adviceOn(trace, "bandwidth").contains(QStringLiteral("register_comm_hook")));
    for (std::string &name : trace.names)
        if (name.starts_with("ProfilerStep#"))
            name = "train " + name.substr(sizeof("ProfilerStep#") - 1);
    QVERIFY(adviceOn(trace, "bandwidth").contains(QStringLiteral("hvd.Compression")));
}

/// Two ranks that exchange messages were told to use smaller gradient buckets.
void DiagnosisTest::adviceFitsTheWayInWhichRanksExchange()
{
    const Trace trace = tests::traceFromText(R"(
        rank 0
        iteration 0 0 1000
        iteration 1 1000 1000
        comm tcp
        SEND~g 100 800 to=1 tensor=g bytes=1000000
        SEND~g 1100 800 to=1 tensor=g bytes=1000000
        rank 1
        iteration 0 0 1000
        iteration 1 1000 1000
        comm tcp
        RECV~g 100 800 from=0 tensor=g bytes=1000000
        RECV~g 1100 800 from=0 tensor=g bytes=1000000
    )");
    const QString advice = adviceOn(trace, "exposed-communication");
    QVERIFY(!advice.isEmpty() && !advice.contains(QStringLiteral("bucket")));
    const Graph graph = buildGraph(trace, {});
    const SettingObstacles obstacles = settingObstacles(graph, {});
    QVERIFY(obstacles.buckets && obstacles.buckets->find("DDP") == std::string::npos);
}

namespace {

/// What is advised on the host of a program that launches kernels late, one of whose host ops has
/// this name.
QString hostAdvice(const std::string &name)
{
    const Diagnosis diagnosis
        = diagnosed(tests::traceFromText("rank 0\niteration 0 0 100\n"
                                         "thread main\n"
                                         + name + " 0 60\n"
                                         + "cudaLaunchKernel 60 10 runtime corr=1\n"
                                           "stream 7 gpu=0\n"
                                           "gemm 75 20 kernel corr=1\n"));
    const Bottleneck *found = find(diagnosis, "host-gap");
    return found ? QString::fromStdString(found->advice) : QString();
}

} // namespace

/// A program of CUDA and NCCL without a framework was told to use tf.function and jax.jit.
void DiagnosisTest::aProgramWithoutAFrameworkIsNotToldToUseOne()
{
    QVERIFY(hostAdvice("aten::mm").contains(QStringLiteral("torch.compile")));
    QVERIFY(hostAdvice("ExecutorState::Process").contains(QStringLiteral("jax.jit")));
    const QString ofNone = hostAdvice("solve");
    QVERIFY(ofNone.contains(QStringLiteral("CUDA graphs")));
    QVERIFY(!ofNone.contains(QStringLiteral("jax")) && !ofNone.contains(QStringLiteral("torch")));
}

/// A recording of NCCL's plug-in was told that its host takes 100 % of an iteration.
void DiagnosisTest::aHostThatIsNotRecordedIsNotBlamed()
{
    const Diagnosis diagnosis = diagnosed(tests::traceFromText(R"(
        rank 0
        iteration 0 0 100
        iteration 1 100 100
        stream 7 gpu=0
        gemm 10 20
        gemm 110 20
    )"));
    QCOMPARE(diagnosis.criticalPath.hostNs, 0);
    QCOMPARE(diagnosis.criticalPath.totalNs(), 100'000);
    QVERIFY(!find(diagnosis, "host-gap"));
}

void DiagnosisTest::gainsAreThoseOfTheReplayWithoutTheCause()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    QVERIFY(isNear(diagnosis.selfReplay.predictedNs, 110 * Ms));
    // Both ranks at 60 ms: 60 + 20 + 10. Free transfers: 80 + 10. Half of them: 80 + 10 + 10.
    const Bottleneck *straggler = find(diagnosis, "straggler");
    const Bottleneck *exposed = find(diagnosis, "exposed-communication");
    const Bottleneck *bandwidth = find(diagnosis, "bandwidth");
    QVERIFY(straggler && exposed && bandwidth);
    QVERIFY2(isNear(straggler->gainNs, 20 * Ms), straggler->evidence.back().c_str());
    QVERIFY(isNear(exposed->gainNs, 20 * Ms));
    QVERIFY(isNear(bandwidth->gainNs, 10 * Ms));
    QVERIFY(std::abs(straggler->gainFraction - 20.0 / 110) < 0.001);
    QVERIFY(std::is_sorted(diagnosis.bottlenecks.begin(), diagnosis.bottlenecks.end(),
                           [](const auto &a, const auto &b) { return a.gainNs > b.gainNs; }));
    QVERIFY(!find(diagnosis, "bucket-size")); // the trace shows no DDP buckets
}

/// The gain of the host was told by another function than `replay --set host_overhead_scale=0`.
void DiagnosisTest::replayWithABottlenecksSettingsGivesItsGain()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<const Graph>(buildGraph(trace, {}));
    const Diagnosis diagnosis = diagnose(trace, graph, {});
    QVERIFY(diagnosis.bottlenecks.size() >= 3);
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
        QVERIFY(!bottleneck.settings.isEmpty());
        const ScenarioResult replayed = runScenario(trace, graph, bottleneck.settings, {});
        QCOMPARE(bottleneck.predictedNs, replayed.predictedNs);
        QCOMPARE(bottleneck.gainNs, diagnosis.selfReplay.predictedNs - replayed.predictedNs);
        const auto set = bottleneck.settings.list();
        const std::string option = "--set " + set.front().first + "=" + set.front().second + " ";
        const auto isNamedIn
            = [&option](const std::string &line) { return line.find(option) != std::string::npos; };
        QVERIFY2(std::any_of(bottleneck.evidence.begin(), bottleneck.evidence.end(), isNamedIn),
                 bottleneck.title.c_str());
    }
    const Bottleneck *straggler = find(diagnosis, "straggler");
    QVERIFY(straggler->evidence.front().find("40.00 ms per iteration") != std::string::npos);
}

void DiagnosisTest::theCriticalPathAddsUpToTheIteration()
{
    const CriticalPathReport path = diagnosed(slowSecondRank()).criticalPath;
    QVERIFY(isNear(path.computeNs, 90 * Ms));
    QVERIFY(isNear(path.commNs, 20 * Ms));
    QVERIFY(
        isNear(path.computeNs + path.commNs + path.hostNs + path.waitNs + path.idleNs, 110 * Ms));
    QStringList ops;
    for (const CriticalOp &op : path.ops)
        ops << QStringLiteral("%1@%2 %3")
                   .arg(QString::fromStdString(op.name))
                   .arg(op.rank)
                   .arg(op.durationNs / Ms);
    QVERIFY2(ops.contains(QLatin1String("forward@1 80"))
                 && ops.contains(QLatin1String("gloo:all_reduce@1 20")),
             qPrintable(ops.join(QLatin1String(", "))));
}

/// Rank 0 computes 0.5 ms less than rank 1, from an iteration on: 0.5 of the 110 ms, below 1 %.
Trace nearlyAsSlow(std::int64_t firstIteration)
{
    Trace trace = slowSecondRank();
    for (std::size_t t = 0; t < trace.tracks.size(); ++t)
        for (std::size_t row = 0; row < trace.slices[t].size(); ++row)
            if (SliceColumns &slices = trace.slices[t]; trace.tracks[t].worker == WorkerId(0)
                && slices.startNs[row] >= firstIteration * 110 * Ms) {
                const std::int64_t laterNs = 39'500'000;
                const std::string &name = trace.nameOf(slices.name[row]);
                if (name == "forward")
                    slices.durationNs[row] += laterNs;
                else if (name == "c10d::allreduce_" || name == "gloo:all_reduce")
                    slices.startNs[row] += laterNs;
                if (name == "gloo:all_reduce")
                    slices.durationNs[row] -= laterNs;
            }
    return trace;
}

void DiagnosisTest::opsThatAreNearlyCriticalHaveTheirSlack()
{
    QVERIFY(diagnosed(slowSecondRank()).nearCritical.steadyState.empty()); // 40 ms of slack
    const NearCriticalReport near = diagnosed(nearlyAsSlow(0)).nearCritical;
    QCOMPARE(near.limitNs, 1'100'000);
    QCOMPARE(near.iterations.size(), std::size_t { 3 });
    QVERIFY(!near.steadyState.empty());
    for (const NearCriticalIteration &iteration : near.iterations) {
        QVERIFY(!iteration.ops.empty());
        const NearCriticalOp &first = iteration.ops.front();
        QCOMPARE(QString::fromStdString(first.name), QStringLiteral("forward"));
        QCOMPARE(first.rank, 0);
        QCOMPARE(first.slackNs, 500'000);
    }
    const NearCriticalOp &steady = near.steadyState.front();
    QCOMPARE(steady.times, std::size_t { 2 }); // behind the first iteration
    QCOMPARE(near.steadyIterations, std::size_t { 2 });
    QCOMPARE(steady.durationNs, 2 * 79'500'000); // of both
    QCOMPARE(steady.meanNs, 79'500'000); // its sum was shown without a word
    QCOMPARE(steady.iterations, std::size_t { 2 });
}

/// In two iterations of three rank 0 waits 40 ms: what it does in the other takes 79.5 ms, not half
/// of that.
void DiagnosisTest::whatIsNearlyCriticalOnceIsNotSpreadOverAllIterations()
{
    const NearCriticalReport near = diagnosed(nearlyAsSlow(2)).nearCritical;
    QCOMPARE(near.iterations[1].count, std::size_t { 0 });
    QCOMPARE(near.steadyIterations, std::size_t { 2 });
    const NearCriticalOp &steady = near.steadyState.front();
    QCOMPARE(QString::fromStdString(steady.name), QStringLiteral("forward"));
    QCOMPARE(steady.times, std::size_t { 1 });
    QCOMPARE(steady.iterations, std::size_t { 1 });
    QCOMPARE(steady.meanNs, 79'500'000);
}

void DiagnosisTest::theOpThatMadeARankLateIsNamed()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    for (const CollectiveReport &collective : diagnosis.collectives) {
        QCOMPARE(collective.lateNs, 40 * Ms);
        QVERIFY(collective.blame);
        QCOMPARE(collective.blame->endNs - collective.ranks[1].startNs, 0);
    }
    const auto json = toJson(diagnosis)["collectives"][0];
    QCOMPARE(json["blame"]["rank"].get<int>(), 1);
    QCOMPARE(json["late_ns"].get<std::int64_t>(), 40 * Ms);
}

void DiagnosisTest::slowRanksAreToldByTypeOfOp()
{
    const Diagnosis diagnosis = diagnosed(slowSecondRank());
    const StragglerReport &report = diagnosis.stragglers;
    QCOMPARE(report.ranks.size(), std::size_t { 2 });
    // 50 ms of work on one, 90 on the other: the median is 70.
    QCOMPARE(report.ranks[1].ownWorkNs, 90 * Ms);
    QCOMPARE(report.ranks[1].medianNs, 70 * Ms);
    QVERIFY(report.ranks[0].ops.empty());
    QCOMPARE(report.ranks[1].ops.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(report.ranks[1].ops[0].name), QStringLiteral("forward"));
    QCOMPARE(report.ranks[1].ops[0].ns, 80 * Ms);
    QCOMPARE(report.ranks[1].ops[0].othersNs, 40 * Ms);
    QVERIFY(report.idealNs.has_value());
    QCOMPARE(*report.idealNs, find(diagnosis, "straggler")->predictedNs);
    const auto json = toJson(diagnosis)["stragglers"];
    QVERIFY(std::abs(json["ranks"][1]["slowdown"].get<double>() - 2.0 / 7) < 1e-3);
    QCOMPARE(json["gain_ns"].get<std::int64_t>(), find(diagnosis, "straggler")->gainNs);
}

/// A sleep of 50 ms before an operation was told as the work of the call inside of it.
void DiagnosisTest::anOpIsNotBlamedForTheGapBeforeIt()
{
    std::string text;
    for (int rank = 0; rank < 3; ++rank) {
        const int gap = rank == 2 ? 50'000 : 1'000;
        text += "rank " + std::to_string(rank) + "\niteration 0 0 " + std::to_string(gap + 22'000)
            + "\nthread main\nforward 0 10000\nalltoall " + std::to_string(10'000 + gap)
            + " 2000\ncudaLaunchKernel " + std::to_string(11'500 + gap)
            + " 100 runtime corr=7\nupdate " + std::to_string(12'000 + gap) + " 10000\n";
    }
    const Trace trace = tests::traceFromText(text);
    const StragglerReport report = diagnosed(trace).stragglers;
    QCOMPARE(report.ranks.size(), std::size_t { 3 });
    QCOMPARE(report.ranks[2].ops.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(report.ranks[2].ops[0].name),
             QStringLiteral("no operation between forward and alltoall"));
    QCOMPARE(report.ranks[2].ops[0].ns, 50 * Ms);
    QCOMPARE(report.ranks[2].ops[0].medianNs, 1 * Ms);
}

void DiagnosisTest::bottlenecksPointIntoTheTimeline()
{
    const Trace trace = slowSecondRank();
    const Diagnosis diagnosis = diagnosed(trace);
    for (const Bottleneck &bottleneck : diagnosis.bottlenecks) {
        QVERIFY2(!bottleneck.range.isEmpty(), bottleneck.title.c_str());
        QVERIFY2(!bottleneck.evidence.empty() && !bottleneck.advice.empty(),
                 bottleneck.title.c_str());
    }
    // The first time that rank 0 waits: from its own arrival to the end of the transfer.
    QVERIFY((find(diagnosis, "straggler")->range == TimeRange { 40 * Ms, 100 * Ms }));
}

void DiagnosisTest::jsonHasTheKeysOfTheContract()
{
    const auto json = toJson(diagnosed(slowSecondRank()));
    QCOMPARE(json["ranks"].size(), std::size_t { 2 });
    const auto &device = json["ranks"][0]["devices"][0];
    QCOMPARE(QString::fromStdString(device["device"]), QStringLiteral("CPU"));
    QCOMPARE(device["window_ns"].get<std::int64_t>(), 330 * Ms);
    QCOMPARE(device["compute_ns"].get<std::int64_t>(), 150 * Ms);
    QCOMPARE(device["exposed_comm_ns"].get<std::int64_t>(), 180 * Ms);
    for (const char *key : { "comm_ns", "overlap_ns", "mem_only_ns", "idle_ns" })
        QVERIFY2(device.contains(key), key);
    QCOMPARE(json["ranks"][1]["iterations"][2]["dur_ns"].get<std::int64_t>(), 110 * Ms);
    for (const char *key : { "compute_ns", "comm_ns", "host_ns", "wait_ns", "idle_ns", "ops" })
        QVERIFY2(json["critical_path"].contains(key), key);
    for (const char *key : { "name", "rank", "device", "start_ns", "dur_ns", "kind" })
        QVERIFY2(json["critical_path"]["ops"][0].contains(key), key);
    const auto &collective = json["collectives"][0];
    for (const char *key : { "name", "group", "seq", "last_rank", "bytes" })
        QVERIFY2(collective.contains(key), key);
    QCOMPARE(collective["ranks"][0]["wait_ns"].get<std::int64_t>(), 40 * Ms);
    for (const char *key : { "title", "kind", "evidence", "gain_ns", "gain_fraction", "advice",
                             "settings", "predicted_ns" })
        QVERIFY2(json["bottlenecks"][0].contains(key), key);

    for (const char *key : { "trust", "near_critical", "scheduling", "stragglers" })
        QVERIFY2(json.contains(key), key);
    QCOMPARE(json["critical_path"]["measured_ns"].get<std::int64_t>(), 110 * Ms);

    AlignmentReport alignment;
    alignment.workers.push_back({ WorkerId(0), 5, 1.5, 0, 7, true, true });
    Worker worker;
    worker.rank = 3;
    const auto aligned = toJson(alignment, {}, alignment, { worker });
    QCOMPARE(aligned["ranks"][0]["rank"].get<int>(), 3);
    for (const char *key : { "offset_ns", "drift_ppm", "residual_ns", "reference" })
        QVERIFY2(aligned["ranks"][0].contains(key), key);
    for (const char *key : { "violations_before", "violations_after", "method", "status" })
        QVERIFY2(aligned.contains(key), key);
}

void DiagnosisTest::cancelStopsIt()
{
    const Trace trace = slowSecondRank();
    const auto graph = std::make_shared<Graph>(buildGraph(trace, {}));
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, diagnose(trace, graph, cancelled));
}

QTEST_GUILESS_MAIN(DiagnosisTest)
#include "tst_diagnosis.moc"
