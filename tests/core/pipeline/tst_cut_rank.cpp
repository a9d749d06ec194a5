// A rank whose trace was cut, among whole ones of the test bed. Skipped where these are absent.

#include "core/align/align.h"
#include "core/bundle/bundle.h"
#include "core/model/slice_index.h"
#include "core/model/step_marks.h"
#include "core/pipeline/pipeline.h"
#include "core/scenario/scenario.h"
#include "tests/support/shared_data.h"

#include <QTemporaryDir>
#include <QTest>

#include <array>
#include <cstdlib>
#include <fstream>

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

private:
    /// The bundle with rank 2 cut to `fraction` of its text.
    LoadedProject loadCut(const std::string &folder, double fraction) const
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
                content.resize(
                    static_cast<std::size_t>(fraction * static_cast<double>(content.size())));
            std::ofstream(cut / name, std::ios::binary) << content;
        }
        const fs::path project = cut.parent_path() / "cut.longpole";
        fs::remove(project);
        importBundle({ cut }, project, {}, {});
        return loadProject(project, {});
    }

    QTemporaryDir m_folder;
};

void CutRankTest::itIsMatchedWithTheSameStepsOfTheOthers_data()
{
    QTest::addColumn<QString>("folder");
    QTest::addColumn<double>("fraction");
    QTest::addColumn<int>("iterations"); // that all ranks have whole
    QTest::newRow("resnet, 40 %") << QStringLiteral("resnet-w4-1000mbit-b25") << 0.4 << 2;
    QTest::newRow("resnet, 70 %") << QStringLiteral("resnet-w4-1000mbit-b25") << 0.7 << 4;
    QTest::newRow("vgg, 40 %") << QStringLiteral("emuvgg-w4-500mbit-b25") << 0.4 << 2;
}

void CutRankTest::itIsMatchedWithTheSameStepsOfTheOthers()
{
    if (!tests::sharedData())
        QSKIP("needs the shared traces: set LONGPOLE_SHARED");
    QFETCH(const QString, folder);
    QFETCH(const double, fraction);
    QFETCH(const int, iterations);
    const LoadedProject project = loadCut(folder.toStdString(), fraction);
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
    const ScenarioResult replayed = runScenario(trace, project.graph, {}, {});
    QVERIFY(replayed.trust != TrustLevel::Good);
    QVERIFY(std::abs(replayed.replayErrorFraction) < 0.02);
}

QTEST_GUILESS_MAIN(CutRankTest)
#include "tst_cut_rank.moc"
