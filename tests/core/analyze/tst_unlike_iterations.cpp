// Ranks that recorded other steps than the others, or another number of them.

#include "core/analyze/bottlenecks/gain_intervals.h"
#include "core/analyze/diagnosis.h"
#include "core/graph/graph_fault.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/support/generate/gpu_ddp_job.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <sstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

std::string textOf(const fs::path &file)
{
    std::ostringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    return std::move(text).str();
}

void replaceAll(std::string &text, const std::string &from, const std::string &to)
{
    for (auto at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
        text.replace(at, from.size(), to);
}

std::string step(int number)
{
    return "\"ProfilerStep#" + std::to_string(number) + "\"";
}

constexpr int Ranks = 3, Steps = 5;

} // namespace

class UnlikeIterationsTest : public QObject
{
    Q_OBJECT

private slots:
    void theAnalysisEnds_data();
    void theAnalysisEnds();
};

void UnlikeIterationsTest::theAnalysisEnds_data()
{
    QTest::addColumn<QList<int>>("numbers"); // rank 2's steps; -1: has no mark
    QTest::addColumn<int>("worldSize"); // that rank 2 states
    QTest::addColumn<int>("compared"); // iterations
    QTest::newRow("no number in common, fewer") << QList<int> { 10, 11, -1, -1, -1 } << Ranks << 2;
    QTest::newRow("no number in common, one") << QList<int> { -1, -1, 10, -1, -1 } << Ranks << 1;
    QTest::newRow("no number in common, as many")
        << QList<int> { 10, 11, 12, 13, 14 } << Ranks << Steps;
    QTest::newRow("a number twice") << QList<int> { 0, 1, 1, 3, 4 } << Ranks << 2;
    QTest::newRow("of another job, fewer") << QList<int> { -1, 1, -1, -1, -1 } << 64 << Steps;
}

void UnlikeIterationsTest::theAnalysisEnds()
{
    QFETCH(const QList<int>, numbers);
    QFETCH(const int, worldSize);
    QFETCH(const int, compared);
    const QTemporaryDir folder;
    const fs::path bundle = folder.filePath(QStringLiteral("job")).toStdString();
    fs::create_directory(bundle);
    tests::GpuDdpJob job;
    job.ranks = Ranks;
    job.iterations = Steps;
    job.layerBytes.assign(8, 8 << 20);
    job.slowdown = 1.5; // kernels' overlap with transfers is compared between iterations
    tests::writeGpuDdpJob(job, bundle);
    std::string text = textOf(bundle / "rank2.json");
    for (int i = 0; i < Steps; ++i)
        replaceAll(text, step(i), "\"mark " + std::to_string(i) + "\"");
    for (int i = 0; i < Steps; ++i)
        if (numbers[i] >= 0)
            replaceAll(text, "\"mark " + std::to_string(i) + "\"", step(numbers[i]));
    replaceAll(text, "\"world_size\":3", "\"world_size\":" + std::to_string(worldSize));
    std::ofstream(bundle / "rank2.json", std::ios::binary | std::ios::trunc) << text;

    const fs::path path = folder.filePath(QStringLiteral("p.longpole")).toStdString();
    importBundle({ bundle }, path, {}, {});
    const LoadedProject project = loadProject(path, {});
    QCOMPARE(project.graph->iterationCount, compared);
    QCOMPARE(graphFault(*project.graph), std::string());
    Diagnosis diagnosis = diagnose(*project.trace, project.graph, {});
    setGainIntervals(gainIntervals(diagnosis, {}), diagnosis);
    QCOMPARE(diagnosis.selfReplay.predictedNs > 0, worldSize == Ranks);
    if (worldSize != Ranks) // traces of several jobs are not replayed
        return;
    for (const char *change : { "compute_scale", "host_overhead_scale" }) {
        const Prediction whatIf
            = tests::predict(*project.trace, project.graph, { Change(change, 0.5) });
        QVERIFY(whatIf.predictedNs > 0);
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(UnlikeIterationsTest)
#include "tst_unlike_iterations.moc"
