#include "core/base/error.h"
#include "core/change/change_text.h"
#include "core/change/ideal_peers.h"
#include "core/fit/links/measured_graph.h"
#include "core/measure/own_work.h"
#include "core/measure/parts.h"
#include "tests/support/predict.h"
#include "tests/support/trace_builder.h"

#include <QTest>

#include <array>
#include <limits>
#include <map>

using namespace core;

namespace {

constexpr std::int64_t Us = 1'000;

/// Three iterations of 100 us: the host takes 20 us to launch a kernel of `kernel` us, does other
/// things, and waits for the device at the end.
std::string acceleratedRank(int rank, int kernel)
{
    std::string text = "rank " + std::to_string(rank) + "\n";
    std::string host = "thread main\n", device = "stream 7 gpu=0\n";
    const auto line = [](const std::string &name, int start, int duration, int correlation) {
        return name + " " + std::to_string(start) + " " + std::to_string(duration)
            + (correlation < 0 ? "" : " runtime corr=" + std::to_string(correlation)) + "\n";
    };
    for (int i = 0; i < 3; ++i) {
        const int begin = i * 100;
        text += "iteration " + std::to_string(i) + " " + std::to_string(begin) + " 100\n";
        host += line("prepare", begin, 20, -1);
        host += line("cudaLaunchKernel", begin + 20, 10, i);
        host += line("solve", begin + 30, 70, -1);
        device += "gemm " + std::to_string(begin + 30) + " " + std::to_string(kernel)
            + " kernel corr=" + std::to_string(i) + "\n";
    }
    return text + host + device;
}

/// Three iterations of 100 us on a CPU.
std::string hostRank(int rank, int compute)
{
    std::string text = "rank " + std::to_string(rank) + "\n";
    std::string host = "thread main\n", backend = "comm gloo\n";
    for (int i = 0; i < 3; ++i) {
        const int begin = i * 100;
        text += "iteration " + std::to_string(i) + " " + std::to_string(begin) + " 100\n";
        host += "enumerate(DataLoader) " + std::to_string(begin) + " 10 phase=input\n";
        host += "forward " + std::to_string(begin + 10) + " " + std::to_string(compute) + "\n";
        host += "update " + std::to_string(begin + 90) + " 10\n";
        backend += "gloo:all_reduce " + std::to_string(begin + 10 + compute) + " "
            + std::to_string(80 - compute) + " kind=all_reduce bytes=1000\n";
    }
    return text + host + backend;
}

struct Job
{
    explicit Job(const std::string &text)
        : trace(tests::traceFromText(text))
        , graph(std::make_shared<const Graph>(measuredGraph(trace, {})))
    {
    }
    Prediction run(const std::vector<std::string> &words) const
    {
        return tests::predict(trace, graph, parseStrategy(words), {});
    }

    Trace trace;
    std::shared_ptr<const Graph> graph;
};

} // namespace

/// What is predicted where a cause is removed altogether.
class TestRemovedCauses : public QObject
{
    Q_OBJECT

private slots:
    void aHostWithoutTimeLeavesTheTimeOfTheAccelerator();
    void kernelsBehindTheLastIterationCountWithAFasterHost();
    void anAcceleratorThatBecomesSlowerThanItsHostSetsThePace();
    void oneRankHasNoPeers();
    void equalRanksGainNothingFromIdealPeers();
    void aSlowHostDoesNotMakeKernelsLonger();
    void inputIsAsLongAsOnTheMedianRankBesideAccelerators();
    void whatFewRanksHaveStaysWithIdealPeers();
    void ranksOfWhichOnlyCommunicationIsRecordedComeAtTheMediansTime();
    void ranksWithoutWorkAreNotFast();
    void workIsVisitedNameByName();
    void impossibleTimesDoNotOverflow();
    void whatThreadsDoAtOnceCountsOnce();
    void transfersAndInputCanTakeNoTime();
    void inputIsAlsoWhatPassesBetweenItsOps();
    void whatIsNotRecordedCannotBeScaled();
};

/// It was predicted to take no time at all: the host alone was looked at.
void TestRemovedCauses::aHostWithoutTimeLeavesTheTimeOfTheAccelerator()
{
    const Job job(acceleratedRank(0, 60));
    QCOMPARE(job.run({}).predictedNs, 100 * Us);
    const Prediction result = job.run({ "host_overhead_scale=0" });
    QCOMPARE(result.predictedNs, 60 * Us);
    QCOMPARE(result.predictedParts.computeNs, 60 * Us);
    QCOMPARE(result.predictedParts.idleNs, 0);
    QVERIFY(!result.criticalPath.empty());
    QCOMPARE(job.run({ "host_overhead_scale=1" }).predictedNs, 100 * Us);
}

/// The host waits for the first kernel of each iteration and not for the second: without time of
/// its own it ended the last iteration before that one, and a fifth of the computation was gone.
void TestRemovedCauses::kernelsBehindTheLastIterationCountWithAFasterHost()
{
    std::string host = "rank 0\n", ops = "thread main\n", kernels = "stream 7 gpu=0\n";
    for (int i = 0; i < 4; ++i) {
        const auto at = [i](int us) { return std::to_string(100 * i + us); };
        const auto corr = [i](int n) { return " corr=" + std::to_string(10 * i + n) + "\n"; };
        host += "iteration " + std::to_string(i) + " " + at(0) + " 100\n";
        ops += "cudaLaunchKernel " + at(0) + " 2 runtime" + corr(1) + "cudaDeviceSynchronize "
            + at(10) + " 32 runtime" + corr(2) + "cudaLaunchKernel " + at(50) + " 2 runtime"
            + corr(3) + "aten::work " + at(60) + " 35\n";
        kernels += "gemm " + at(10) + " 30 kernel" + corr(1) + "gemm " + at(55) + " 30 kernel"
            + corr(3);
    }
    const Job job(host + ops + kernels);
    QCOMPARE(job.run({}).warmUp(), std::size_t { 0 });
    QCOMPARE(job.run({}).predictedParts.computeNs, 60 * Us);
    const Prediction result = job.run({ "host_overhead_scale=0" });
    QCOMPARE(result.warmUp(), std::size_t { 0 });
    QCOMPARE(result.predictedParts.computeNs, 60 * Us);
    QCOMPARE(wholeNs(result.predictedParts), result.predictedNs); // all that count are alike
}

/// A host that does not wait for its accelerator hid that this was slowed down.
void TestRemovedCauses::anAcceleratorThatBecomesSlowerThanItsHostSetsThePace()
{
    const Job job(acceleratedRank(0, 60));
    const std::int64_t ns = job.run({ "compute_scale=3" }).predictedNs;
    QVERIFY2(ns >= 160 * Us && ns <= 180 * Us, std::to_string(ns).c_str());
}

void TestRemovedCauses::oneRankHasNoPeers()
{
    const Job job(acceleratedRank(0, 60));
    QVERIFY_THROWS_EXCEPTION(Error, job.run({ "ideal_peers=1" }));
    QCOMPARE(job.run({ "ideal_peers=0" }).predictedNs, 100 * Us);
    const auto reason = tests::obstacle(*job.graph, "ideal_peers");
    QVERIFY(reason && reason->find("no peers") != std::string::npos);
}

void TestRemovedCauses::equalRanksGainNothingFromIdealPeers()
{
    const Job onDevices(acceleratedRank(0, 60) + acceleratedRank(1, 60));
    QCOMPARE(onDevices.run({ "ideal_peers=1" }).predictedNs, 100 * Us);
    const Job onHosts(hostRank(0, 40) + hostRank(1, 40));
    QCOMPARE(onHosts.run({ "ideal_peers=1" }).predictedNs, 100 * Us);
    // One of three computes 20 us longer.
    const Job unequal(hostRank(0, 40) + hostRank(1, 40) + hostRank(2, 60));
    QCOMPARE(unequal.run({ "ideal_peers=1" }).predictedNs, 80 * Us);
}

/// Each rank's host stumbles at another op, so that no family's median holds it: what the hosts
/// take in all was made up for in kernels, too.
void TestRemovedCauses::aSlowHostDoesNotMakeKernelsLonger()
{
    Graph graph
        = *Job(acceleratedRank(0, 60) + acceleratedRank(1, 60) + acceleratedRank(2, 60)).graph;
    const std::array<std::string, 3> slow { "prepare", "cudaLaunchKernel", "solve" };
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (graph.names[graph.name[op].value] == slow[graph.worker[op].value])
            graph.durationNs[op] += 30 * Us;
    const std::vector<std::int64_t> measuredNs = ownWorkNs(graph);
    const Graph ideal = withIdealPeers(graph);
    for (std::size_t op = 0; op < ideal.size(); ++op)
        if (ideal.names[ideal.name[op].value] == "gemm")
            QCOMPARE(ideal.durationNs[op], 60 * Us);
    QCOMPARE(ownWorkNs(ideal), measuredNs);
}

/// A rank that loaded its input for longer than the others was as slow as before: its thread
/// launches kernels only, which is no computation.
void TestRemovedCauses::inputIsAsLongAsOnTheMedianRankBesideAccelerators()
{
    Graph graph
        = *Job(acceleratedRank(0, 60) + acceleratedRank(1, 60) + acceleratedRank(2, 60)).graph;
    const auto isInput
        = [](const Graph &of, std::size_t op) { return of.names[of.name[op].value] == "prepare"; };
    const auto inputNs = [&isInput](const Graph &of, std::uint32_t worker) {
        std::int64_t sumNs = 0;
        for (std::size_t op = 0; op < of.size(); ++op)
            if (isInput(of, op) && of.worker[op].value == worker)
                sumNs += of.durationNs[op];
        return sumNs;
    };
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (isInput(graph, op)) {
            graph.phase[op] = Phase::Input;
            graph.durationNs[op] = (graph.worker[op].value == 2 ? 80 : 20) * Us;
        }
    const Graph ideal = withIdealPeers(graph);
    QCOMPARE(inputNs(graph, 2), 3 * 80 * Us);
    QCOMPARE(inputNs(ideal, 2), 3 * 20 * Us);
    QCOMPARE(inputNs(ideal, 0), 3 * 20 * Us);
}

/// Pipeline stages have layers of their own: their median over all ranks is nothing, and with it
/// their work was gone.
void TestRemovedCauses::whatFewRanksHaveStaysWithIdealPeers()
{
    std::string text;
    for (int rank = 0; rank < 4; ++rank) {
        const std::string layer = "layer" + std::to_string(rank);
        text += "rank " + std::to_string(rank) + "\niteration 0 0 100\niteration 1 100 100\n";
        text += "thread main\n" + layer + " 0 60\n" + layer + " 100 60\n";
        text += "comm gloo\ngloo:all_reduce 60 40 kind=all_reduce bytes=1000\n";
        text += "gloo:all_reduce 160 40 kind=all_reduce bytes=1000\n";
    }
    QCOMPARE(Job(text).run({ "ideal_peers=1" }).predictedNs, 100 * Us);
}

/// Nothing was own work, and the late rank gained nothing.
void TestRemovedCauses::ranksOfWhichOnlyCommunicationIsRecordedComeAtTheMediansTime()
{
    std::string text;
    for (int rank = 0; rank < 3; ++rank) {
        const int late = rank == 2 ? 50 : 20;
        text += "rank " + std::to_string(rank) + "\niteration 0 0 100\niteration 1 100 100\n";
        text += "comm mpi\n";
        for (const int begin : { 0, 100 })
            text += "allreduce " + std::to_string(begin + late) + " " + std::to_string(100 - late)
                + " kind=all_reduce bytes=1000\n";
    }
    const Job job(text);
    QCOMPARE(job.run({}).predictedNs, 100 * Us);
    const std::int64_t ns = job.run({ "ideal_peers=1" }).predictedNs;
    QVERIFY2(ns >= 65 * Us && ns <= 75 * Us, std::to_string(ns).c_str());
}

/// A parameter server was told to be faster than the ranks by all of their work.
void TestRemovedCauses::ranksWithoutWorkAreNotFast()
{
    const Job job(hostRank(0, 40) + hostRank(1, 60)
                  + "rank 2\ncomm server\ngloo:all_reduce 50 30 kind=all_reduce bytes=1000\n");
    QCOMPARE(excessWorkNs(*job.graph), (std::vector<std::int64_t> { -30 * Us, 30 * Us, 0 }));
}

void TestRemovedCauses::workIsVisitedNameByName()
{
    Graph graph = *Job(hostRank(0, 40) + hostRank(1, 60)).graph;
    std::vector<DelayParts> delays;
    for (std::size_t op = 0; op < graph.size(); ++op) {
        delays.push_back({ graph.name[op], 0 });
        if (graph.names[graph.name[op].value] != "forward")
            continue;
        graph.delayNs[op] = 10 * Us;
        delays.back().gapNs = 8 * Us;
    }
    std::map<std::string, std::vector<std::int64_t>> works;
    visitOwnWork(graph, delays, [&](WorkFamily family, const std::vector<WorkShare> &shares) {
        for (const WorkShare &share : shares) {
            std::vector<std::int64_t> &ns
                = works[(family.isGap ? "before " : "") + graph.names[family.name.value]];
            QCOMPARE(std::size_t { share.worker.value }, ns.size());
            ns.push_back(share.ns);
        }
    });
    QCOMPARE(works.at("forward"), (std::vector<std::int64_t> { 126 * Us, 186 * Us }));
    QCOMPARE(works.at("before forward"), (std::vector<std::int64_t> { 24 * Us, 24 * Us }));
    QCOMPARE(works.at("update"), (std::vector<std::int64_t> { 30 * Us, 30 * Us }));
}

/// Of a damaged trace.
void TestRemovedCauses::impossibleTimesDoNotOverflow()
{
    Graph graph = *Job(acceleratedRank(0, 60) + acceleratedRank(1, 60)).graph;
    for (std::size_t op = 0; op < graph.size(); ++op)
        if (ownWork(graph)[op])
            graph.durationNs[op] = graph.delayNs[op] = 3'000'000'000'000'000'000;
    for (const std::int64_t ns : ownWorkNs(graph))
        QCOMPARE(ns, 4'000'000'000'000'000'000);
    for (const std::int64_t ns : atWorkNs(graph))
        QVERIFY(ns > 0 && ns <= 4'000'000'000'000'000'000);
    Graph endless = graph;
    for (std::size_t op = 0; op < endless.size(); ++op)
        if (endless.worker[op] == WorkerId(1))
            endless.durationNs[op] = std::numeric_limits<std::int64_t>::max();
    for (const std::int64_t ns : atWorkNs(endless))
        QVERIFY(ns > 0 && ns <= 4'000'000'000'000'000'000);
    const Graph ideal = withIdealPeers(graph);
    for (std::size_t op = 0; op < ideal.size(); ++op)
        QVERIFY(ideal.durationNs[op] >= 0 && ideal.delayNs[op] >= 0);
}

/// A rank's work of 20.67 ms was said to be of iterations of 8.4 ms: summed over its threads.
void TestRemovedCauses::whatThreadsDoAtOnceCountsOnce()
{
    const auto rank = [](const std::string &number, const std::string &lengthUs) {
        return "rank " + number
            + "\niteration 0 0 100\niteration 1 100 100\nthread main\n"
              "load 0 10\nforward 20 40\nforward 120 40\nthread second\nhash 10 "
            + lengthUs + "\nhash 110 " + lengthUs + "\n";
    };
    const Graph graph = *Job(rank("0", "60") + rank("1", "80")).graph;
    // From 0 to 70 and from 70 to 170, as the second thread's gap is its own, too.
    QCOMPARE(atWorkNs(graph), (std::vector<std::int64_t> { 170 * Us, 190 * Us }));
    QCOMPARE(excessWorkNs(graph), (std::vector<std::int64_t> { -10 * Us, 10 * Us }));
    for (const std::int64_t ns : ownWorkNs(graph))
        QVERIFY(ns > 200 * Us); // summed
}

void TestRemovedCauses::transfersAndInputCanTakeNoTime()
{
    const Job job(hostRank(0, 40) + hostRank(1, 40));
    QCOMPARE(job.run({ "comm_scale=0" }).predictedNs, 60 * Us);
    QCOMPARE(job.run({ "comm_scale=0.5" }).predictedNs, 80 * Us);
    QCOMPARE(job.run({ "input_scale=0" }).predictedNs, 90 * Us);
    QCOMPARE(job.run({ "input_scale=2" }).predictedNs, 110 * Us);
}

/// A slow data set's time passes between the ops that load it, and only theirs was scaled.
void TestRemovedCauses::inputIsAlsoWhatPassesBetweenItsOps()
{
    std::string iterations, ops;
    for (int i = 0; i < 3; ++i) {
        const auto at = [i](int us) { return std::to_string(i * 100 + us); };
        iterations += "iteration " + std::to_string(i) + " " + at(0) + " 100\n";
        ops += "load " + at(10) + " 5 phase=input\nload " + at(35) + " 5 phase=input\nforward "
            + at(50) + " 50\n";
    }
    const Job job("rank 0\n" + iterations + "thread main\n" + ops);
    // 10 and 20 us before the two, which take 10; the 10 us before forward are the host's.
    QCOMPARE(job.run({ "input_scale=0" }).predictedNs, 60 * Us);
    QCOMPARE(job.run({ "input_scale=2" }).predictedNs, 140 * Us);
}

void TestRemovedCauses::whatIsNotRecordedCannotBeScaled()
{
    const Job job(acceleratedRank(0, 60));
    QVERIFY_THROWS_EXCEPTION(Error, job.run({ "comm_scale=0" }));
    QVERIFY_THROWS_EXCEPTION(Error, job.run({ "input_scale=0" }));
    QVERIFY(tests::obstacle(*job.graph, "comm_scale")
            && tests::obstacle(*job.graph, "input_scale"));
    QVERIFY(!tests::obstacle(*job.graph, "host_overhead_scale"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRemovedCauses)
#include "tst_removed_causes.moc"
