#include "core/analyze/bottlenecks/advice.h"
#include "core/fit/links/measured_graph.h"
#include "tests/core/analyze/ranks/slow_second_rank.h"
#include "tests/support/predict.h"

#include <QTest>

#include <algorithm>

using namespace core;
using namespace tests;

namespace {

/// Empty where nothing of the kind is found.
QString adviceOn(const Trace &trace, const std::string &kind)
{
    const Diagnosis diagnosis = diagnosed(trace);
    const Bottleneck *found = find(diagnosis, kind);
    return found ? QString::fromStdString(found->advice) : QString();
}

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

/// Two ranks, four iterations, the gradient of one layer in partitions of 100 kB, one after the
/// other, at 800 Mbit/s. Each takes `partitionUs`; the line needs 1046.
Trace partitionedJob(int partitionUs, int partitions = 8)
{
    constexpr int BackwardUs = 2000, ForwardUs = 1000;
    const int sentUs = BackwardUs + partitions * partitionUs,
              iterationUs = sentUs + 100 + ForwardUs;
    std::string text;
    for (int rank = 0; rank < 2; ++rank) {
        std::string main = "thread main\n", updater = "thread updater\n",
                    comm = "comm partitions\n";
        text += "rank " + std::to_string(rank) + "\n";
        for (int i = 0; i < 4; ++i) {
            const auto at = [i, iterationUs](int us) {
                return " " + std::to_string(i * iterationUs + us) + " ";
            };
            const auto us = [](int duration) { return std::to_string(duration); };
            text += "iteration " + us(i) + at(0) + us(iterationUs) + "\n";
            main += "backward_w" + at(0) + us(BackwardUs) + "\nwait~for~w" + at(BackwardUs)
                + us(sentUs + 100 - BackwardUs) + " user_annotation\nforward_w" + at(sentUs + 100)
                + us(ForwardUs) + "\n";
            updater += "update~w" + at(sentUs) + "100 user_annotation\n";
            for (int k = 0; k < partitions; ++k)
                comm += "partition_" + us(k) + at(BackwardUs + k * partitionUs) + us(partitionUs)
                    + " kind=all_reduce bytes=100000 tensor=w ready="
                    + us(i * iterationUs + BackwardUs) + "\n";
        }
        text += main + updater + comm;
    }
    Trace trace = tests::traceFromText(text);
    trace.stated.bandwidthMbit = 800;
    return trace;
}

} // namespace

/// What is advised on a bottleneck.
class AdviceTest : public QObject
{
    Q_OBJECT

private slots:
    void advicePointsToTheFrameworkOfTheTrace();
    void adviceFitsTheWayInWhichRanksExchange();
    void otherPartitionsAreAdvisedWhereTheyArePredictedToGain();
    void sizesWhosePartitionsAreTooManyToReplayAreNamed();
    void adviceIsOnWhatAGroupIsFor();
    void bucketsAreNotAdvisedWhereTheyCannotBeTried();
    void aProgramWithoutGradientsIsNotToldOfThem();
    void aProgramWithoutAFrameworkIsNotToldToUseOne();
    void inputThatIsLoadedInTheBackgroundIsNotToBeLoadedThere();
};

void AdviceTest::advicePointsToTheFrameworkOfTheTrace()
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
void AdviceTest::adviceFitsTheWayInWhichRanksExchange()
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
    const Graph graph = measuredGraph(trace, {});
    const auto obstacle = tests::obstacle(graph, "bucket_cap_mb");
    QVERIFY(obstacle && obstacle->find("DDP") == std::string::npos);
}

/// Smaller partitions were advised on every job with partitions, also where they were predicted to
/// lose.
void AdviceTest::otherPartitionsAreAdvisedWhereTheyArePredictedToGain()
{
    const Trace idling = partitionedJob(1600);
    const Diagnosis diagnosis = diagnosed(idling);
    const Bottleneck *size = find(diagnosis, "partition-size");
    QVERIFY(size);
    QVERIFY(size->gainNs > 0);
    QVERIFY(size->strategy.number("partition_bytes").value_or(0) > 100'000);
    const QString title = QString::fromStdString(size->title);
    QVERIFY2(title.startsWith(QStringLiteral("Partitions of ")), qPrintable(title));
    for (const int partitionUs : { 1047, 1600 }) {
        const QString exposed = adviceOn(partitionedJob(partitionUs), "exposed-communication");
        QVERIFY2(exposed.startsWith(QStringLiteral("Send first what is needed first")),
                 qPrintable(exposed));
        QVERIFY(!exposed.contains(QStringLiteral("smaller partitions")));
    }
    // The line never idles: no other size gains anything.
    QVERIFY(adviceOn(partitionedJob(1047), "partition-size").isEmpty());
}

/// The whole diagnosis ended with the error that partitions of a quarter of the size would be too
/// many.
void AdviceTest::sizesWhosePartitionsAreTooManyToReplayAreNamed()
{
    const Diagnosis diagnosis = diagnosed(partitionedJob(1600, 10'500));
    const Bottleneck *size = find(diagnosis, "partition-size");
    QVERIFY(size);
    QVERIFY(size->strategy.number("partition_bytes").value_or(0) > 100'000);
    const auto notTried
        = std::count_if(size->evidence.begin(), size->evidence.end(), [](const std::string &text) {
              return text.starts_with("Partitions of 24.4 KiB are too many to replay");
          });
    QCOMPARE(notTried, 1);
}

/// All-reduces of a tensor parallel group, and FSDP's, were to be made earlier by gradient buckets.
void AdviceTest::adviceIsOnWhatAGroupIsFor()
{
    const Trace trace = slowSecondRank();
    const Advice advice(trace, measuredGraph(trace, {}));
    const auto exposed = [&advice](const std::vector<RoleShare> &roles) {
        return QString::fromStdString(advice.onExposedCommunication(roles));
    };
    const RoleShare data { GroupRole::Data, false, 0.5 }, shards { GroupRole::Data, true, 1 };
    const RoleShare tensor { GroupRole::Tensor, false, 0.5 };
    const RoleShare little { GroupRole::Tensor, false, 0.1 };
    QVERIFY(exposed({ shards }).startsWith(QStringLiteral("Data parallel, sharded: gather")));
    QVERIFY(exposed({ shards }).contains(QStringLiteral("forward_prefetch")));
    QVERIFY(!exposed({ shards }).contains(QStringLiteral("bucket")));
    QCOMPARE(exposed({ data, little }), exposed({}));
    QVERIFY(exposed({}).startsWith(QStringLiteral("Start communication earlier")));
    const QString both = exposed({ tensor, data });
    QVERIFY2(both.startsWith(QStringLiteral("Tensor parallel: keep each group")), qPrintable(both));
    QVERIFY2(both.contains(QStringLiteral(". Data parallel: start communication earlier")),
             qPrintable(both));
    QVERIFY(advice.onBandwidth({ tensor }).find("tensor-parallel groups") != std::string::npos);
    QCOMPARE(advice.onBandwidth({ data }), advice.onBandwidth({}));
}

/// Smaller buckets were advised where the trace refused to try any.
void AdviceTest::bucketsAreNotAdvisedWhereTheyCannotBeTried()
{
    Trace trace = slowSecondRank();
    for (std::string &name : trace.names)
        if (name == "forward")
            name = "DistributedDataParallel.forward";
    const QString advice = adviceOn(trace, "exposed-communication");
    QVERIFY2(advice.startsWith(QStringLiteral("Send fewer bytes, or use a faster link. ")),
             qPrintable(advice));
    QVERIFY2(advice.contains(QStringLiteral("Bucket sizes cannot be tried: ")), qPrintable(advice));
    QVERIFY2(!advice.contains(QStringLiteral("smaller")), qPrintable(advice));
}

/// An MPI program was told to use smaller gradient buckets.
void AdviceTest::aProgramWithoutGradientsIsNotToldOfThem()
{
    const auto ofOp = [](const std::string &op) {
        std::string text;
        for (const char *rank : { "0", "1" })
            text += std::string("rank ") + rank + "\niteration 0 0 1000\niteration 1 1000 1000\n"
                + "thread main\n" + op + " 0 100\n" + op
                + " 1000 100\ncomm mpi\nMPI_Allreduce 100 900 kind=all_reduce bytes=1000000\n"
                  "MPI_Allreduce 1100 900 kind=all_reduce bytes=1000000\n";
        return adviceOn(tests::traceFromText(text), "exposed-communication");
    };
    QVERIFY(ofOp("aten::mm").contains(QStringLiteral("gradient")));
    const QString ofMpi = ofOp("saxpy");
    QVERIFY(ofMpi.contains(QStringLiteral("Start communication earlier")));
    QVERIFY(!ofMpi.contains(QStringLiteral("gradient")));
}

/// A program of CUDA and NCCL without a framework was told to use tf.function and jax.jit.
void AdviceTest::aProgramWithoutAFrameworkIsNotToldToUseOne()
{
    QVERIFY(hostAdvice("aten::mm").contains(QStringLiteral("torch.compile")));
    QVERIFY(hostAdvice("ExecutorState::Process").contains(QStringLiteral("jax.jit")));
    const QString ofNone = hostAdvice("solve");
    QVERIFY(ofNone.contains(QStringLiteral("CUDA graphs")));
    QVERIFY(!ofNone.contains(QStringLiteral("jax")) && !ofNone.contains(QStringLiteral("torch")));
}

/// A DataLoader with worker processes was told to use them.
void AdviceTest::inputThatIsLoadedInTheBackgroundIsNotToBeLoadedThere()
{
    Trace trace = slowSecondRank();
    const Graph graph = measuredGraph(trace, {});
    const QString of3 = QString::fromStdString(Advice(trace, graph).onInputOf("rank 3"));
    QVERIFY2(of3.startsWith(QStringLiteral("Look at the input of rank 3, ")), qPrintable(of3));
    QVERIFY2(of3.contains(QStringLiteral("number of loading processes")), qPrintable(of3));
    QVERIFY(Advice(trace, graph).onInput().find("num_workers=4") != std::string::npos);
    trace.names.emplace_back("enumerate(DataLoader)#_MultiProcessingDataLoaderIter.__next__");
    const Advice advice(trace, graph);
    QVERIFY(advice.onInput().find("in the background already") != std::string::npos);
    QVERIFY(advice.onInput().find("num_workers=4") == std::string::npos);
    QVERIFY(advice.onInputOf("rank 3").find("are in use") != std::string::npos);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(AdviceTest)
#include "tst_advice.moc"
