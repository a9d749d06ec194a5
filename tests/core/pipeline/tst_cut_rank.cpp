// A rank whose trace was cut, among whole ones of the test bed. Skipped where these are absent.

#include "core/align/align.h"
#include "core/bundle/bundle.h"
#include "core/model/broken_off_iterations.h"
#include "core/model/by_worker.h"
#include "core/model/slice_index.h"
#include "core/model/step_marks.h"
#include "core/pipeline/pipeline.h"
#include "core/project/read/project_reader.h"
#include "tests/support/predict.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <functional>

using namespace core;
namespace fs = std::filesystem;

namespace {

std::string contentOf(const Bundle &bundle, std::size_t item)
{
    const auto entry = bundle.open(item);
    std::string content;
    std::array<char, 65536> buffer {};
    while (const std::size_t size = entry->read(buffer))
        content.append(buffer.data(), size);
    return content;
}

/// The ProfilerStep that a call lies in, by its rank's own marks; -1: none.
std::int64_t stepOf(const StepMarks &marks, std::int64_t startNs)
{
    for (const auto &[number, range] : marks)
        if (startNs >= range.startNs && startNs < range.endNs)
            return number;
    return -1;
}

} // namespace

class CutRankTest : public QObject
{
    Q_OBJECT

private slots:
    void itIsMatchedWithTheSameStepsOfTheOthers_data();
    void itIsMatchedWithTheSameStepsOfTheOthers();
    void aHiccupAtTheEndOfAWholeRankIsNoCut_data();
    void aHiccupAtTheEndOfAWholeRankIsNoCut();

private:
    void checkIterations(const Trace &trace, int count) const;

    /// The bundle with rank 2's text changed.
    LoadedProject loadChanged(const std::string &folder,
                              const std::function<void(std::string &)> &change)
    {
        const fs::path cut = m_folder.filePath(QStringLiteral("cut")).toStdString();
        fs::remove_all(cut);
        fs::create_directory(cut);
        const auto bundle = openBundle({ *tests::sharedData() / "data" / "testbed" / folder });
        for (std::size_t i = 0; i < bundle->items().size(); ++i) {
            std::string name = fs::path(bundle->items()[i].name).filename().string();
            std::string content = contentOf(*bundle, i);
            if (name.ends_with(".gz"))
                name.resize(name.size() - 3);
            if (name.starts_with("rank2"))
                change(content);
            std::ofstream(cut / name, std::ios::binary) << content;
        }
        m_project = cut.parent_path() / "cut.longpole";
        fs::remove(m_project);
        importBundle({ cut }, m_project, {}, {});
        return loadProject(m_project, {});
    }

    QTemporaryDir m_folder;
    fs::path m_project; ///< of the last bundle
};

void CutRankTest::itIsMatchedWithTheSameStepsOfTheOthers_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<double>("fraction");
    QTest::addColumn<int>("iterations"); // that all ranks have whole
    QTest::newRow("resnet, 40 %") << QStringLiteral("resnet-w4-1000mbit-b25") << 0.4 << 2;
    QTest::newRow("resnet, 70 %") << QStringLiteral("resnet-w4-1000mbit-b25") << 0.7 << 4;
    QTest::newRow("resnet, 97 %") << QStringLiteral("resnet-w4-1000mbit-b25") << 0.97 << 5;
    QTest::newRow("vgg, 40 %") << QStringLiteral("emuvgg-w4-500mbit-b25") << 0.4 << 2;
}

void CutRankTest::itIsMatchedWithTheSameStepsOfTheOthers()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, folder);
    QFETCH(const double, fraction);
    QFETCH(const int, iterations);
    const LoadedProject project
        = loadChanged(folder.toStdString(), [fraction](std::string &content) {
              content.resize(
                  static_cast<std::size_t>(fraction * static_cast<double>(content.size())));
          });
    const Trace &trace = *project.trace;
    for (const Alignment &alignment : trace.alignment.workers) {
        QVERIFY(alignment.isKnown);
        QVERIFY(std::abs(alignment.offsetNs) < 20'000'000); // one host: it was 3.2 s
    }
    const SliceIndex slices(trace);
    const std::vector<StepMarks> marks = stepMarks(trace);
    std::vector<std::string> notes;
    const auto matched = matchCollectives(trace, notes);
    QVERIFY(!matched.empty());
    for (const MatchedCollective &one : matched) {
        const CollectiveCall &first = trace.collectives[one.calls.front()];
        const std::int64_t step = stepOf(marks[first.worker.value], slices.startNs(first.slice));
        for (const std::size_t index : one.calls) {
            const CollectiveCall &call = trace.collectives[index];
            QCOMPARE(stepOf(marks[call.worker.value], slices.startNs(call.slice)), step);
        }
    }
    QCOMPARE(project.graph->iterationCount, iterations);
    checkIterations(trace, iterations);
    const Prediction replayed = tests::predict(trace, project.graph, {}, {});
    constexpr int Enough = 5; // whole iterations are as good as of a whole trace
    QVERIFY(iterations >= Enough || replayed.trust != TrustLevel::Good);
    QVERIFY(std::abs(replayed.replayErrorFraction) < 0.02);
}

/// The header of the window, Compare and the timeline each counted others.
void CutRankTest::checkIterations(const Trace &trace, int count) const
{
    const ProjectReader reader(m_project); // what is known before the slices are read
    const ProjectInfo &info = reader.info();
    QCOMPARE(info.compared.count, static_cast<std::size_t>(count));
    QCOMPARE(trace.compared.leftOut, info.compared.leftOut);
    Trace marked = trace;
    markBrokenOff(marked);
    for (std::size_t i = 0; i < marked.iterations.size(); ++i)
        QCOMPARE(info.iterations[i].isWhole, marked.iterations[i].isWhole);
    const auto rank2 = iterationsOf(info.iterations, info.workers.at(2).id);
    QVERIFY(!rank2.back().isWhole);
    QCOMPARE(rank2.size(), static_cast<std::size_t>(count) + 1);
}

void CutRankTest::aHiccupAtTheEndOfAWholeRankIsNoCut_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<double>("longer"); // than the last step was
    for (const double longer : { 1.0, 1.2, 3.0 }) {
        QTest::addRow("resnet, %g", longer) << QStringLiteral("resnet-w4-1000mbit-b25") << longer;
        QTest::addRow("vgg, %g", longer) << QStringLiteral("emuvgg-w4-500mbit-b25") << longer;
    }
}

/// The last mark of rank 2 is made longer: its step is as whole as before.
void CutRankTest::aHiccupAtTheEndOfAWholeRankIsNoCut()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, folder);
    QFETCH(const double, longer);
    const LoadedProject project = loadChanged(folder.toStdString(), [longer](std::string &content) {
        const std::string key = "\"dur\":";
        const auto mark = content.rfind("\"ProfilerStep#");
        const auto begin = content.find(key, mark) + key.size();
        const auto end = content.find_first_of(",}", begin);
        const double duration = std::stod(content.substr(begin, end - begin));
        content.replace(begin, end - begin, std::to_string(std::llround(duration * longer)));
    });
    for (const Iteration &iteration : project.trace->iterations)
        QVERIFY(iteration.isWhole);
    QCOMPARE(project.graph->iterationCount, 6);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(CutRankTest)
#include "tst_cut_rank.moc"
