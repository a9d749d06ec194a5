#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/change/change_text.h"
#include "core/export/chrome_trace.h"
#include "core/model/compared_iterations.h"
#include "core/pipeline/pipeline.h"
#include "tests/support/predict.h"

#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <utility>

using namespace core;
using Json = nlohmann::json;
namespace fs = std::filesystem;

namespace {

/// The inflated text of a file.
std::string textOf(const fs::path &file)
{
    const auto entry = openBundle({ file })->open(0);
    std::string text;
    std::vector<char> buffer(1 << 16);
    while (const std::size_t got = entry->read(buffer))
        text.append(buffer.data(), got);
    return text;
}

std::vector<Json> eventsOfPhase(const Json &trace, std::string_view phase)
{
    std::vector<Json> found;
    for (const Json &event : trace["traceEvents"])
        if (event["ph"] == phase)
            found.push_back(event);
    return found;
}

std::map<int, std::string> processNames(const Json &trace)
{
    std::map<int, std::string> names;
    for (const Json &event : eventsOfPhase(trace, "M"))
        if (event["name"] == "process_name")
            names[event["pid"]] = event["args"]["name"];
    return names;
}

/// Every track with its rank and what its slices are, times aside, one line each, sorted.
QString tracksText(const ProjectReader &project)
{
    QStringList lines;
    for (const Track &track : project.info().tracks) {
        const SliceColumns slices = project.readTrack(track.id);
        std::map<std::string, std::size_t> names;
        std::uint64_t links = 0;
        std::int64_t durationNs = 0;
        for (std::size_t row = 0; row < slices.size(); ++row) {
            ++names[project.nameOf(slices.name[row]) + " "
                    + std::string(categoryName(slices.category[row]))];
            links += slices.correlation[row] + 3 * slices.externalId[row] + 5 * slices.bytes[row]
                + 7 * slices.sequence[row] + 11 * slices.forwardThread[row];
            durationNs += slices.durationNs[row];
        }
        std::string line = std::to_string(project.info().workers[track.worker.value].rank) + " "
            + std::string(trackKindName(track.kind)) + " " + track.name + " links "
            + std::to_string(links) + " ns " + std::to_string(durationNs);
        for (const auto &[name, count] : names)
            line += "\n  " + name + " " + std::to_string(count);
        lines << QString::fromStdString(line);
    }
    lines.sort();
    return lines.join(QLatin1Char('\n'));
}

/// Every collective call, one line each, sorted.
QString collectivesText(const ProjectReader &project)
{
    QStringList lines;
    for (const CollectiveCall &call : project.collectives())
        lines << QString::fromStdString(
            std::to_string(project.info().workers[call.worker.value].rank) + " " + call.kind + " "
            + call.group + " " + std::to_string(call.sequence.value_or(0)) + " "
            + std::to_string(call.bytes) + " " + std::to_string(call.groupSize.value_or(0)));
    lines.sort();
    return lines.join(QLatin1Char('\n'));
}

/// Every wait, sorted: what waits, and for what.
QStringList waitsText(const ProjectReader &project)
{
    QStringList lines;
    for (const SyncCall &call : project.syncs())
        lines << QString::fromStdString(project.slice(call.slice)->name + " "
                                        + std::to_string(call.waitOnStream.value_or(-1)) + " "
                                        + std::to_string(call.waitOnCorrelation.value_or(0)) + " "
                                        + std::to_string(call.stream.value_or(-1)));
    lines.sort();
    return lines;
}

} // namespace

class TestChromeTrace : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void anExportIsWholeAndItsTimesAreRelative_data();
    void anExportIsWholeAndItsTimesAreRelative();
    void theMeasuredExportHasEverySlice();
    void anExportIsImportedAsTheSameRanks();
    void waitsAndStreamsSurviveAnExport();
    void thePredictedExportHasThePredictedLength();
    void thePredictedExportTellsWhichIterationsCount();
    void thePredictedExportSaysWhomItsRanksStandFor();
    void chunksAreOnTheRowsOfBothRanks();
    void parameterServersAreNoRanks();
    void onlyGzNamesAreCompressed();
    void whatCannotBeWrittenLeavesNothing_data();
    void whatCannotBeWrittenLeavesNothing();
    void aCancelledExportLeavesNothing();

private:
    fs::path path(const char *name) const { return fs::path(m_folder.path().toStdString()) / name; }
    std::uint64_t write(const fs::path &file, bool isPredicted,
                        const JobControl &control = {}) const
    {
        return isPredicted ? exportPredicted(*m_loaded.trace, m_result, file, control)
                           : exportMeasured(*m_project, file, control);
    }

    QTemporaryDir m_folder;
    std::unique_ptr<ProjectReader> m_project;
    LoadedProject m_loaded;
    Prediction m_result;
};

void TestChromeTrace::initTestCase()
{
    importBundle({ LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25" },
                 path("p.longpole"), {}, {});
    m_project = std::make_unique<ProjectReader>(path("p.longpole"));
    m_loaded = loadProject(path("p.longpole"), {});
    m_result
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "bucket_cap_mb=5" }), {});
}

void TestChromeTrace::anExportIsWholeAndItsTimesAreRelative_data()
{
    QTest::addColumn<bool>("isPredicted");
    QTest::newRow("measured") << false;
    QTest::newRow("predicted") << true;
}

void TestChromeTrace::anExportIsWholeAndItsTimesAreRelative()
{
    QFETCH(const bool, isPredicted);
    const std::uint64_t slices = write(path("t.json"), isPredicted);
    const std::string text = textOf(path("t.json"));
    const Json trace = Json::parse(text, nullptr, false);
    QVERIFY(!trace.is_discarded());
    const std::vector<Json> events = eventsOfPhase(trace, "X");
    QCOMPARE(events.size(), slices);
    QVERIFY(slices > 1000);
    double firstUs = 1e18;
    for (const Json &event : events) {
        QVERIFY(event["pid"] == 0 || event["pid"] == 1);
        QVERIFY(event["dur"] >= 0);
        firstUs = std::min(firstUs, event["ts"].get<double>());
    }
    QVERIFY(firstUs >= 0 && firstUs < 1000);
    QVERIFY(processNames(trace)
            == (std::map<int, std::string> { { 0, "rank 0" }, { 1, "rank 1" } }));
    // Nanoseconds survive: every time is written with three decimals.
    const std::regex times(R"re("(ts|dur)":\d+\.\d{3}[,}])re");
    const auto count = std::distance(std::sregex_iterator(text.begin(), text.end(), times), {});
    QCOMPARE(static_cast<std::uint64_t>(count), 2 * slices);
}

void TestChromeTrace::theMeasuredExportHasEverySlice()
{
    const std::uint64_t slices = write(path("m.json"), false);
    std::uint64_t expected = 0;
    for (const Track &track : m_project->info().tracks)
        expected += track.sliceCount;
    QCOMPARE(slices, expected);
}

void TestChromeTrace::anExportIsImportedAsTheSameRanks()
{
    write(path("again.json.gz"), false);
    importBundle({ path("again.json.gz") }, path("again.longpole"), {}, {});
    const ProjectReader again(path("again.longpole"));
    QCOMPARE(again.info().workers.size(), m_project->info().workers.size());
    QCOMPARE(tracksText(again), tracksText(*m_project));
    QCOMPARE(collectivesText(again), collectivesText(*m_project));
    QVERIFY(!collectivesText(again).isEmpty());
}

void TestChromeTrace::waitsAndStreamsSurviveAnExport()
{
    const fs::path source = LONGPOLE_SOURCE_DIR "/tests/data/kineto/all_kinds.json";
    importBundle({ source }, path("kinds.longpole"), {}, {});
    const ProjectReader first(path("kinds.longpole"));
    exportMeasured(first, path("kinds.json"), {});
    importBundle({ path("kinds.json") }, path("kinds2.longpole"), {}, {});
    const ProjectReader again(path("kinds2.longpole"));
    QCOMPARE(again.info().workers.front().rank, 3);
    QCOMPARE(tracksText(again), tracksText(first));
    QCOMPARE(collectivesText(again), collectivesText(first));
    QCOMPARE(waitsText(again), waitsText(first));
    QCOMPARE(waitsText(first).count(), qsizetype { 3 });
}

void TestChromeTrace::thePredictedExportHasThePredictedLength()
{
    write(path("length.json"), true);
    double lastUs = 0;
    for (const Json &event : eventsOfPhase(Json::parse(textOf(path("length.json"))), "X"))
        lastUs = std::max(lastUs, event["ts"].get<double>() + event["dur"].get<double>());
    QVERIFY(lastUs <= static_cast<double>(m_result.replay->makespanNs) / 1000 + 0.001);
    QVERIFY(lastUs >= 0.98 * static_cast<double>(m_result.replay->makespanNs) / 1000);
}

/// With eight ranks asked for, the file had two and said nothing of it.
void TestChromeTrace::thePredictedExportSaysWhomItsRanksStandFor()
{
    const auto aboutWith = [this](const std::string &setting) {
        const Prediction result
            = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ setting }), {});
        exportPredicted(*m_loaded.trace, result, path("about.json"), {});
        return Json::parse(textOf(path("about.json"))).at("otherData");
    };
    const Json eight = aboutWith("world_size=8");
    QCOMPARE(eight.at("predicted_by").get<std::string>(), std::string("longpole"));
    QCOMPARE(eight.at("settings").at("world_size").get<int>(), 8);
    QVERIFY(eight.at("ranks").get<std::string>().starts_with("The 2 recorded ranks are shown and"));
    QVERIFY(!aboutWith("compute_scale=2").contains("ranks"));
    importBundle({ path("about.json") }, path("about.longpole"), {}, {});
    QCOMPARE(ProjectReader(path("about.longpole")).info().workers.size(), std::size_t { 2 });
}

void TestChromeTrace::thePredictedExportTellsWhichIterationsCount()
{
    Prediction result
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "schedule=p3" }), {});
    // Numbered as the trace does; of a third rank, which recorded none, there are none.
    Trace trace = *m_loaded.trace;
    for (Iteration &iteration : trace.iterations)
        iteration.index += 500;
    trace.compared = comparedIterations(trace);
    Worker &idle = trace.workers.emplace_back();
    idle.id = WorkerId(2);
    idle.rank = 2;
    result.iterations.emplace_back().endNs.assign(result.iterations.front().endNs.size(), 0);
    exportPredicted(trace, result, path("p3.json"), {});
    std::map<int, std::vector<double>> countedUs; // by rank
    std::size_t leftOut = 0;
    const std::string first = "ProfilerStep#" + std::to_string(trace.iterations.front().index);
    for (const Json &event : eventsOfPhase(Json::parse(textOf(path("p3.json"))), "X")) {
        if (event["cat"] != "user_annotation")
            continue;
        if (event["name"] == first + " (left out)")
            ++leftOut;
        else
            countedUs[event["pid"]].push_back(event["dur"]);
    }
    QCOMPARE(leftOut, std::size_t { 2 });
    QCOMPARE(countedUs.size(), std::size_t { 2 });
    for (const auto &[rank, us] : countedUs) {
        const auto counted = result.iterations[static_cast<std::size_t>(rank)].countedNs();
        QCOMPARE(us.size(), std::size_t { 5 });
        for (std::size_t i = 0; i < us.size(); ++i)
            QVERIFY(std::abs(us[i] - static_cast<double>(counted[i]) / 1000) < 0.01);
    }
    // Its own steps were not known when the file was read again.
    importBundle({ path("p3.json") }, path("p3.longpole"), {}, {});
    QCOMPARE(ProjectReader(path("p3.longpole")).info().iterations.size(), std::size_t { 10 });
}

void TestChromeTrace::chunksAreOnTheRowsOfBothRanks()
{
    const Prediction result
        = tests::predict(*m_loaded.trace, m_loaded.graph, parseStrategy({ "expand=1" }), {});
    exportPredicted(*m_loaded.trace, result, path("chunks.json"), {});
    const Json trace = Json::parse(textOf(path("chunks.json")));
    std::map<std::pair<int, int>, std::string> rows;
    for (const Json &event : eventsOfPhase(trace, "M"))
        if (event["name"] == "thread_name")
            rows[{ event["pid"], event["tid"] }] = event["args"]["name"];
    // Of each chunk between 0 and 1 the SEND and the RECV, at one time.
    std::map<std::pair<std::string, double>, std::multiset<int>> ranksOf;
    for (const Json &event : eventsOfPhase(trace, "X")) {
        const std::string &row = rows.at({ event["pid"], event["tid"] });
        if (row != "network, 0 > 1 (predicted)" && row != "network, 1 > 0 (predicted)")
            continue;
        QCOMPARE(event["cat"], "comm");
        ranksOf[{ event["name"], event["ts"] }].insert(event["pid"].get<int>());
    }
    QVERIFY(ranksOf.size() >= 4 * result.graph->collectives.size());
    for (const auto &[chunk, ranks] : ranksOf)
        QCOMPARE(ranks, (std::multiset<int> { 0, 1 }));
}

void TestChromeTrace::parameterServersAreNoRanks()
{
    const Prediction result = tests::predict(*m_loaded.trace, m_loaded.graph,
                                             parseStrategy({ "expand=1", "collective=ps:2" }), {});
    exportPredicted(*m_loaded.trace, result, path("servers.json"), {});
    const Json trace = Json::parse(textOf(path("servers.json")));
    const std::map<int, std::string> processes = processNames(trace);
    std::map<int, std::size_t> chunks;
    for (const Json &event : eventsOfPhase(trace, "X"))
        ++chunks[event["pid"]];
    const std::size_t rankCount = m_loaded.trace->workers.size();
    QCOMPARE(processes.size(), rankCount + 2);
    QCOMPARE(processes.rbegin()->second, std::string("server 1 (parameter server)"));
    QVERIFY(chunks[processes.rbegin()->first] > 0);
    // Its reader takes no server for a rank.
    importBundle({ path("servers.json") }, path("servers.longpole"), {}, {});
    QCOMPARE(ProjectReader(path("servers.longpole")).info().workers.size(), rankCount);
}

void TestChromeTrace::onlyGzNamesAreCompressed()
{
    write(path("plain.json"), false);
    write(path("packed.json.gz"), false);
    QCOMPARE(textOf(path("packed.json.gz")), textOf(path("plain.json")));
    QVERIFY(fs::file_size(path("packed.json.gz")) * 4 < fs::file_size(path("plain.json")));
    std::ifstream packed(path("packed.json.gz"), std::ios::binary);
    QCOMPARE(packed.get(), 0x1f);
    std::ifstream plain(path("plain.json"), std::ios::binary);
    QCOMPARE(plain.get(), int { '{' });
}

void TestChromeTrace::whatCannotBeWrittenLeavesNothing_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<bool>("isPredicted");
    QTest::newRow("absent folder") << std::string("absent/t.json") << false;
    QTest::newRow("absent folder, predicted") << std::string("absent/t.json") << true;
    // The whole export was left beside the folder under its temporary name.
    QTest::newRow("name of a folder") << std::string("folder") << false;
}

void TestChromeTrace::whatCannotBeWrittenLeavesNothing()
{
    QFETCH(const std::string, file);
    QFETCH(const bool, isPredicted);
    fs::create_directories(path("folder/inner"));
    const fs::path target = path(file.c_str());
    try {
        write(target, isPredicted);
        QFAIL("it was written");
    } catch (const Error &error) {
        QVERIFY2(QByteArray(error.what()).contains(target.c_str()), error.what());
    }
    QVERIFY(!fs::exists(target.string() + ".part"));
    QVERIFY(fs::exists(path("folder/inner")) && !fs::exists(path("absent")));
}

void TestChromeTrace::aCancelledExportLeavesNothing()
{
    const JobControl cancelled([] { return true; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, write(path("never.json"), false, cancelled));
    QVERIFY_THROWS_EXCEPTION(Cancelled, write(path("never.json"), true, cancelled));
    // At each collective, too: with their chunks they are most of what is written.
    std::size_t looks = 0, last = 0;
    const JobControl counting([&] { return ++looks == last; }, {});
    write(path("whole.json"), true, counting);
    QVERIFY(looks > m_result.graph->collectives.size());
    last = std::exchange(looks, 0);
    QVERIFY_THROWS_EXCEPTION(Cancelled, write(path("never.json"), true, counting));
    QVERIFY(!fs::exists(path("never.json")) && !fs::exists(path("never.json.part")));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestChromeTrace)
#include "tst_chrome_trace.moc"
