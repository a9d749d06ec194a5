#include "core/model/finish_track.h"
#include "core/model/phases.h"
#include "tests/core/model/track_builder.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace core;
using tests::TrackBuilder;

namespace {

Track track(TrackKind kind)
{
    Track result;
    result.kind = kind;
    return result;
}

/// "name phase" of every slice.
std::string phasesOf(const SliceColumns &columns)
{
    std::string text;
    for (std::size_t i = 0; i < columns.size(); ++i)
        text += std::string(TrackBuilder::nameOf(columns.name[i])) + " "
            + std::string(phaseName(columns.phase[i])) + "\n";
    return text;
}

/// Finds the phases of all slices of one worker.
void assignPhases(const std::vector<Track> &tracks, std::vector<SliceColumns> &slices)
{
    NameMeanings meanings(TrackBuilder::nameOf);
    std::vector<HostMarks> marks(tracks.size());
    for (std::size_t t = 0; t < tracks.size(); ++t)
        for (std::size_t row = 0; isHost(tracks[t].kind) && row < slices[t].size(); ++row)
            marks[t].add(meanings(slices[t].name[row]), slices[t].depth[row]);
    const bool hasSteps = std::any_of(marks.begin(), marks.end(),
                                      [](const HostMarks &one) { return one.hasStep(); });
    PhaseLinks links(1 << 20);
    const auto onHosts = [&](std::size_t t) {
        HostPhases phases(marks[t].isAutogradThread(), hasSteps);
        SliceColumns &s = slices[t];
        for (std::size_t row = 0; row < s.size(); ++row) {
            s.phase[row] = phases.next(s.depth[row], meanings(s.name[row]), s.category[row]);
            links.add(s.category[row], s.correlation[row], s.externalId[row], s.phase[row]);
        }
    };
    const auto onDevices = [&](std::size_t t) {
        SliceColumns &s = slices[t];
        for (std::size_t row = 0; row < s.size(); ++row)
            s.phase[row] = links.find(s.category[row], s.correlation[row], s.externalId[row],
                                      meanings(s.name[row]));
    };
    for (std::size_t t = 0; t < tracks.size(); ++t)
        if (isHost(tracks[t].kind))
            onHosts(t);
    for (std::size_t t = 0; t < tracks.size(); ++t)
        if (!isHost(tracks[t].kind))
            onDevices(t);
}

std::string phasesOfOneThread(TrackBuilder &builder)
{
    std::vector<Track> tracks { track(TrackKind::HostThread) };
    std::vector<SliceColumns> slices { builder.finished() };
    assignPhases(tracks, slices);
    return phasesOf(slices[0]);
}

} // namespace

class TestFinishTrack : public QObject
{
    Q_OBJECT
private slots:
    void slicesAreSortedByStartThenLongestFirst();
    void depthsFollowNesting_data();
    void depthsFollowNesting();
    void slicesOfOneDepthNeverOverlapByMoreThanTheTolerance();
    void depthsEndAtTheLastOne();
    void onlyCommunicatingThreadsAreCommunication();
    void opsOfOtherFrameworksTellTheirPhaseThemselves();
    void aLaunchedOpHasThePhaseOfItsLaunch();
    void phasesComeFromWhatEnclosesASlice();
    void anAutogradThreadIsBackward();
    void oldAutogradNodesAreBackward();
    void withoutStepsOpsAreForward();
    void devicesInheritFromTheLaunch();
    void linksBeyondTheMemoryLimitAreCounted();
};

void TestFinishTrack::slicesAreSortedByStartThenLongestFirst()
{
    TrackBuilder builder;
    builder.slice("b", 5, 1).slice("a", 0, 10).slice("d", 5, 3).slice("c", 5, 1);
    QCOMPARE(phasesOf(builder.finished()), std::string("a none\nd none\nb none\nc none\n"));
}

void TestFinishTrack::depthsFollowNesting_data()
{
    QTest::addColumn<std::vector<double>>("startAndDuration");
    QTest::addColumn<std::vector<int>>("depths");
    QTest::addColumn<int>("overlapping");
    using Times = std::vector<double>;
    using Depths = std::vector<int>;
    QTest::newRow("nested") << Times { 0, 100, 10, 50, 20, 10, 70, 10, 100, 5 }
                            << Depths { 0, 1, 2, 1, 0 } << 0;
    QTest::newRow("same start") << Times { 0, 100, 0, 100, 0, 5 } << Depths { 0, 1, 2 } << 0;
    QTest::newRow("touching by rounding") << Times { 0, 10.5, 10, 20 } << Depths { 0, 0 } << 0;
    QTest::newRow("child longer by rounding")
        << Times { 0, 10, 5, 5.4, 12, 3 } << Depths { 0, 1, 0 } << 0;
    QTest::newRow("child at the very end") << Times { 0, 10, 9.5, 0.5 } << Depths { 0, 1 } << 0;
    QTest::newRow("no duration") << Times { 0, 10, 10, 0, 10, 0, 10, 5 } << Depths { 0, 0, 1, 1 }
                                 << 0;
    QTest::newRow("overlapping") << Times { 0, 10, 5, 10, 12, 10, 17, 10 } << Depths { 0, 1, 0, 1 }
                                 << 3;
    QTest::newRow("overlapping in a parent")
        << Times { 0, 100, 10, 20, 20, 30, 40, 20 } << Depths { 0, 1, 2, 1 } << 2;
}

void TestFinishTrack::depthsFollowNesting()
{
    QFETCH(const std::vector<double>, startAndDuration);
    QFETCH(const std::vector<int>, depths);
    QFETCH(const int, overlapping);
    TrackBuilder builder;
    for (std::size_t i = 0; i < startAndDuration.size(); i += 2)
        builder.slice("x", startAndDuration[i], startAndDuration[i + 1]);
    DepthReport report;
    const SliceColumns columns = builder.finished(&report);
    const std::vector<int> found(columns.depth.begin(), columns.depth.end());
    QCOMPARE(found, depths);
    QCOMPARE(static_cast<int>(report.overlapping), overlapping);
    QCOMPARE(static_cast<int>(report.depthCount),
             1 + *std::max_element(depths.begin(), depths.end()));
}

void TestFinishTrack::slicesOfOneDepthNeverOverlapByMoreThanTheTolerance()
{
    std::mt19937 random(1);
    TrackBuilder builder;
    const auto below
        = [&random](std::uint32_t limit) { return static_cast<double>(random() % limit); };
    for (int i = 0; i < 5'000; ++i) {
        const double startUs = below(100'000);
        builder.slice("x", startUs, below(i % 100 == 0 ? 5'000 : 50));
    }
    const SliceColumns columns = builder.finished();
    std::vector<std::int64_t> endNs(256, 0);
    for (std::size_t i = 0; i < columns.size(); ++i) {
        auto &end = endNs[columns.depth[i]];
        QVERIFY(columns.depth[i] < 255);
        QVERIFY(end - columns.startNs[i] <= TouchToleranceNs);
        end = columns.endNs(i);
    }
}

void TestFinishTrack::depthsEndAtTheLastOne()
{
    TrackBuilder builder;
    for (int i = 0; i < 300; ++i)
        builder.slice("x", i, 1000 - 2 * i);
    DepthReport report;
    const SliceColumns columns = builder.finished(&report);
    QCOMPARE(report.depthCount, 256U);
    QCOMPARE(report.tooDeep, 45U);
    QCOMPARE(columns.depth.back(), std::uint8_t(255));
}

void TestFinishTrack::onlyCommunicatingThreadsAreCommunication()
{
    QCOMPARE(finishedKind(TrackKind::HostThread, true), TrackKind::Communication);
    QCOMPARE(finishedKind(TrackKind::Stream, true), TrackKind::Stream);
    QCOMPARE(finishedKind(TrackKind::HostThread, false), TrackKind::HostThread);
}

/// Ids a billion apart would each take a page of neighbours: the links end, and say so.
void TestFinishTrack::linksBeyondTheMemoryLimitAreCounted()
{
    PhaseLinks links(100 * 128);
    for (std::uint64_t i = 1; i <= 150; ++i)
        links.add(Category::Runtime, i * 1'000'000'000, 0, Phase::Forward);
    QCOMPARE(links.dropped(), 50U);
    const auto phaseOf = [&links](std::uint64_t correlation) {
        return links.find(Category::Kernel, correlation, 0, NameMeaning::Nothing);
    };
    QCOMPARE(phaseOf(100'000'000'000), Phase::Forward);
    QCOMPARE(phaseOf(101'000'000'000), Phase::None);
}

/// Only PyTorch's names told a phase.
void TestFinishTrack::opsOfOtherFrameworksTellTheirPhaseThemselves()
{
    TrackBuilder host;
    host.slice("FullyConnected", 0, 5)
        .slice("_backward_FullyConnected", 10, 5)
        .slice("copy", 11, 2)
        .slice("sgd_mom_update", 20, 5)
        .slice("my_update", 30, 5)
        .slice("a/gradients/b.py(3): c", 40, 5, Category::PythonFunction);
    TrackBuilder stream;
    for (const char *name :
         { "FW.dense", "BW.dense", "UPDATE_0.dense", "I/O", "FWx", "gradients/dense/MatMul_grad",
           "model/gradient_tape/dense/MatMul", "Adam/update_dense/ResourceApplyAdam",
           "train/SparseApplyAdagrad", "Apply", "gemm" })
        stream.slice(name, 10.0 * static_cast<double>(stream.columns.size()), 5, Category::Kernel);
    std::vector<Track> tracks { track(TrackKind::HostThread), track(TrackKind::Stream) };
    std::vector<SliceColumns> slices { host.finished(), stream.finished() };
    assignPhases(tracks, slices);
    QCOMPARE(phasesOf(slices[0]),
             std::string("FullyConnected forward\n" // as ops are where no step is marked
                         "_backward_FullyConnected backward\ncopy backward\n"
                         "sgd_mom_update optimizer\nmy_update forward\n"
                         "a/gradients/b.py(3): c none\n"));
    QCOMPARE(phasesOf(slices[1]),
             std::string("FW.dense forward\nBW.dense backward\nUPDATE_0.dense optimizer\n"
                         "I/O input\nFWx none\ngradients/dense/MatMul_grad backward\n"
                         "model/gradient_tape/dense/MatMul backward\n"
                         "Adam/update_dense/ResourceApplyAdam optimizer\n"
                         "train/SparseApplyAdagrad optimizer\nApply none\ngemm none\n"));
}

/// The launch knows better than a name.
void TestFinishTrack::aLaunchedOpHasThePhaseOfItsLaunch()
{
    TrackBuilder host;
    host.slice("Optimizer.step#SGD", 0, 20, Category::UserAnnotation)
        .slice("cudaLaunchKernel", 1, 1, Category::Runtime, 7);
    TrackBuilder stream;
    stream.slice("BW.dense", 30, 5, Category::Kernel, 7);
    std::vector<Track> tracks { track(TrackKind::HostThread), track(TrackKind::Stream) };
    std::vector<SliceColumns> slices { host.finished(), stream.finished() };
    assignPhases(tracks, slices);
    QCOMPARE(phasesOf(slices[1]), std::string("BW.dense optimizer\n"));
}

void TestFinishTrack::phasesComeFromWhatEnclosesASlice()
{
    TrackBuilder builder;
    builder.slice("aten::outside", 0, 1)
        .slice("ProfilerStep#3", 10, 200, Category::UserAnnotation)
        .slice("enumerate(DataLoader)#__next__", 11, 9, Category::UserAnnotation)
        .slice("aten::stack", 12, 5)
        .slice("DistributedDataParallel.forward", 20, 30, Category::UserAnnotation)
        .slice("cudaDeviceSynchronize", 21, 2, Category::Runtime)
        .slice("aten::linear", 55, 10)
        .slice("cudaLaunchKernel", 56, 1, Category::Runtime)
        .slice("autograd::engine::evaluate_function: MmBackward0", 70, 20)
        .slice("aten::mm", 71, 10)
        .slice("cudaMemcpyAsync", 95, 1, Category::Runtime)
        .slice("Optimizer.step#SGD.step", 100, 20, Category::UserAnnotation)
        .slice("aten::add_", 101, 10);
    QCOMPARE(phasesOfOneThread(builder),
             std::string("aten::outside none\n"
                         "ProfilerStep#3 none\n"
                         "enumerate(DataLoader)#__next__ input\n"
                         "aten::stack input\n"
                         "DistributedDataParallel.forward forward\n"
                         "cudaDeviceSynchronize forward\n"
                         "aten::linear forward\n"
                         "cudaLaunchKernel forward\n"
                         "autograd::engine::evaluate_function: MmBackward0 backward\n"
                         "aten::mm backward\n"
                         "cudaMemcpyAsync none\n"
                         "Optimizer.step#SGD.step optimizer\n"
                         "aten::add_ optimizer\n"));
}

void TestFinishTrack::anAutogradThreadIsBackward()
{
    TrackBuilder main, engine;
    main.slice("ProfilerStep#1", 0, 100, Category::UserAnnotation).slice("aten::mm", 1, 2);
    engine.slice("autograd::engine::evaluate_function: MmBackward0", 50, 10)
        .slice("c10d::allreduce_", 61, 1)
        .slice("cudaLaunchKernel", 63, 1, Category::Runtime);
    std::vector<Track> tracks { track(TrackKind::HostThread), track(TrackKind::HostThread) };
    std::vector<SliceColumns> slices { main.finished(), engine.finished() };
    assignPhases(tracks, slices);
    QCOMPARE(phasesOf(slices[1]),
             std::string("autograd::engine::evaluate_function: MmBackward0 backward\n"
                         "c10d::allreduce_ backward\n"
                         "cudaLaunchKernel backward\n"));
}

/// Traces of PyTorch 1.8 had kernels of no phase: their engine threads show the nodes only.
void TestFinishTrack::oldAutogradNodesAreBackward()
{
    TrackBuilder engine;
    engine.slice("AddmmBackward", 50, 10)
        .slice("aten::mm", 51, 1)
        .slice("torch::autograd::AccumulateGrad", 63, 1)
        .slice("aten::add", 70, 1)
        .slice("ReluBackward1", 80, 1);
    QCOMPARE(phasesOfOneThread(engine),
             std::string("AddmmBackward backward\naten::mm backward\n"
                         "torch::autograd::AccumulateGrad backward\naten::add backward\n"
                         "ReluBackward1 backward\n"));
}

void TestFinishTrack::withoutStepsOpsAreForward()
{
    TrackBuilder builder;
    builder.slice("aten::relu", 0, 5).slice("some annotation", 6, 5, Category::UserAnnotation);
    QCOMPARE(phasesOfOneThread(builder), std::string("aten::relu forward\nsome annotation none\n"));
}

void TestFinishTrack::devicesInheritFromTheLaunch()
{
    TrackBuilder host, stream;
    host.slice("aten::mm", 0, 10, Category::CpuOp, 0, 5)
        .slice("cudaLaunchKernel", 1, 1, Category::Runtime, 77, 5)
        .slice("Optimizer.step#SGD.step", 20, 10, Category::UserAnnotation)
        .slice("cudaLaunchKernel", 21, 1, Category::Runtime, 78)
        .slice("aten::mul", 22, 1, Category::CpuOp, 0, 6);
    stream.slice("by correlation", 30, 1, Category::Kernel, 78, 5)
        .slice("by external id", 32, 1, Category::Kernel, 99, 6)
        .slice("forward", 34, 1, Category::Memcpy, 77)
        .slice("unknown", 36, 1, Category::Kernel, 1234);
    std::vector<Track> tracks { track(TrackKind::Stream), track(TrackKind::HostThread) };
    std::vector<SliceColumns> slices { stream.finished(), host.finished() };
    assignPhases(tracks, slices);
    QCOMPARE(phasesOf(slices[0]),
             std::string("by correlation optimizer\nby external id optimizer\nforward forward\n"
                         "unknown none\n"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFinishTrack)
#include "tst_finish_track.moc"
