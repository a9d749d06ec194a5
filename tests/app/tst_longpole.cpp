#include "tests/support/generate_kineto.h"

#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <numeric>

using Json = nlohmann::json;

namespace {

using Words = std::vector<std::string>;

const std::string Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

struct Run
{
    int code = -1;
    QByteArray out, err;

    Json json() const { return Json::parse(out.toStdString(), nullptr, false); }
    /// What to print where a check of this run fails.
    QByteArray text() const
    {
        return "exit code " + QByteArray::number(code) + "\nstdout: " + out.left(2000)
            + "\nstderr: " + err.left(2000);
    }
};

void start(QProcess &process, const Words &arguments)
{
    QStringList list;
    for (const std::string &word : arguments)
        list.append(QString::fromStdString(word));
    process.start(QStringLiteral(LONGPOLE_PROGRAM), list);
}

Run longpole(const Words &arguments)
{
    QProcess process;
    start(process, arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return { -1, process.readAllStandardOutput(), "crashed or does not end" };
    return { process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError() };
}

QByteArray contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return QByteArray::fromStdString({ std::istreambuf_iterator<char>(file), {} });
}

void write(const std::string &path, const QByteArray &content)
{
    std::ofstream(path, std::ios::binary).write(content.data(), content.size());
}

bool isOfType(const Json &pattern, const Json &value)
{
    if (pattern.is_null())
        return true;
    if (pattern.is_number_float())
        return value.is_number();
    if (pattern.is_number())
        return value.is_number_integer();
    return pattern.type() == value.type();
}

/// What `value` lacks of the pattern: objects hold every key of it, arrays only what is like the
/// pattern's first element; 0 stands for an integer, 0.5 for any number, null for anything.
QStringList missing(const Json &pattern, const Json &value, const std::string &path)
{
    if (!isOfType(pattern, value))
        return { QString::fromStdString(path + " is " + value.dump().substr(0, 40)) };
    QStringList found;
    if (pattern.is_object())
        for (const auto &[key, inner] : pattern.items())
            found += value.contains(key)
                ? missing(inner, value[key], path + "." + key)
                : QStringList(QString::fromStdString(path + "." + key + " is missing"));
    if (pattern.is_array() && !pattern.empty())
        for (const Json &element : value)
            found += missing(pattern[0], element, path + "[]");
    return found;
}

std::int64_t sumOf(const Json &numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t { 0 },
                           [](std::int64_t sum, const Json &n) { return sum + n.get<int64_t>(); });
}

} // namespace

/// The program itself on the bundled sample: exit codes, keys and numbers of the command line
/// contract.
class TestLongpole : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void wrongUsageIsToldFromFailure_data();
    void wrongUsageIsToldFromFailure();
    void failuresNameTheFileAndTheRemedy_data();
    void failuresNameTheFileAndTheRemedy();
    void jsonHasTheKeysOfTheContract_data();
    void jsonHasTheKeysOfTheContract();
    void textIsPrintedWithoutJson_data();
    void textIsPrintedWithoutJson();
    void infoAddsUp();
    void partsOfEveryWindowAddUp();
    void selfReplayIsWithinTwoPercentOfTheMedian();
    void aWhatIfKeepsTheMeasurement();
    void queryAnswersAsCsvAndJson();
    void exportWritesMeasuredAndPredicted_data();
    void exportWritesMeasuredAndPredicted();
    void aCutRankIsReadAsFarAsItGoes();
    void sourcesAreFoundFromTheProject();
    void importLeavesAnExistingProjectAlone();
    void appendAddsARank();
    void aFailedImportLeavesNoFile();
    void anInterruptedImportLeavesNoFile_data();
    void anInterruptedImportLeavesNoFile();
    void aResultThatCannotBeWrittenIsAFailure();

private:
    std::string inFolder(const char *name) const
    {
        return m_folder.filePath(QLatin1String(name)).toStdString();
    }
    /// Files in the folder whose names begin so.
    int filesLike(std::string_view prefix) const
    {
        int count = 0;
        for (const auto &entry : std::filesystem::directory_iterator(m_folder.path().toStdString()))
            count += entry.path().filename().string().starts_with(prefix) ? 1 : 0;
        return count;
    }

    QTemporaryDir m_folder;
    std::string m_project;
};

void TestLongpole::initTestCase()
{
    m_project = inFolder("sample.longpole");
    const Run run = longpole({ "import", Sample, "-o", m_project });
    QVERIFY2(run.code == 0, run.text());
    QVERIFY(run.err.isEmpty());
    QVERIFY(run.out.contains("sample.longpole: "));
    QVERIFY(run.out.contains("events from 2 files"));
}

void TestLongpole::wrongUsageIsToldFromFailure_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const Words &arguments, const char *message) {
        QTest::newRow(name) << arguments << QByteArray(message);
    };
    const std::string project = m_project;
    row("no command", {}, "diagnose");
    row("unknown command", { "paint", project }, "paint");
    row("no project", { "info" }, "project");
    row("no output", { "import", Sample }, "--output");
    row("unknown option", { "info", project, "--colour" }, "--colour");
    row("unknown setting", { "replay", project, "--set", "bucket_size=5" }, "bucket_cap_mb");
    row("no number", { "replay", project, "--set", "bucket_cap_mb=much" }, "MiB");
    row("out of range", { "replay", project, "--set", "bandwidth_scale=-1" }, "bandwidth_scale");
    row("no equals sign", { "replay", project, "--set", "bucket_cap_mb" }, "KEY=VALUE");
    row("contradiction",
        { "replay", project, "--set", "bandwidth_scale=2", "--set", "bandwidth_mbit=500" },
        "contradict");
    row("unknown setting of an export",
        { "export-trace", project, "-o", inFolder("never.json"), "--set", "speed=2" }, "speed");
    row("no jobs", { "import", Sample, "-o", inFolder("never.longpole"), "--jobs", "0" }, "--jobs");
    row("no memory",
        { "import", Sample, "-o", inFolder("never.longpole"), "--memory-limit", "127" },
        "--memory-limit");
    row("no rank", { "import", Sample, "-o", inFolder("never.longpole"), "--rank", "a.json" },
        "FILE=N");
    row("rank with a unit",
        { "import", Sample, "-o", inFolder("never.longpole"), "--rank", "a.json=1st" }, "FILE=N");
    row("negative rank",
        { "import", Sample, "-o", inFolder("never.longpole"), "--rank", "a.json=-1" }, "FILE=N");
}

void TestLongpole::wrongUsageIsToldFromFailure()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, message);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 2, run.text());
    QVERIFY2(run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains(message), run.text());
    QCOMPARE(filesLike("never"), 0);
}

void TestLongpole::failuresNameTheFileAndTheRemedy_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("what");
    QTest::addColumn<QByteArray>("remedy");
    const auto row
        = [](const char *name, const Words &arguments, const char *what, const char *remedy) {
              QTest::newRow(name) << arguments << QByteArray(what) << QByteArray(remedy);
          };
    const std::string absent = inFolder("absent.longpole"), text = Sample + "/meta.json";
    for (const char *command : { "info", "align", "diagnose", "replay" }) {
        row((std::string(command) + " of an absent project").c_str(), { command, absent },
            "absent.longpole", "import");
        row((std::string(command) + " of something else").c_str(), { command, text }, "meta.json",
            "import");
    }
    row("query of an absent project", { "query", absent, "SELECT 1" }, "absent.longpole", "import");
    row("SQL that makes no sense", { "query", m_project, "SELECT 1 FROM nowhere" }, "nowhere",
        "no such table");
    row("SQL that writes", { "query", m_project, "DELETE FROM name" }, "", "read");
    row("import into a folder", { "import", Sample, "-o", m_folder.path().toStdString() },
        "Is a folder", "job.longpole");
    row("export into a folder", { "export-trace", m_project, "-o", m_folder.path().toStdString() },
        "Is a folder", "trace.json.gz");
    row("export onto a file", { "export-trace", m_project, "-o", m_project }, "sample.longpole",
        "--force");
    row("export of an absent project", { "export-trace", absent, "-o", inFolder("t.json") },
        "absent.longpole", "import");
    row("export into an absent folder",
        { "export-trace", m_project, "-o", inFolder("absent/t.json") }, "absent/t.json", "folder");
    row("import of an absent file", { "import", inFolder("absent.json"), "-o", absent },
        "absent.json", "exist");
    row("import into an absent folder", { "import", Sample, "-o", inFolder("absent/p.longpole") },
        "absent/p.longpole", "folder");
}

void TestLongpole::failuresNameTheFileAndTheRemedy()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, what);
    QFETCH(const QByteArray, remedy);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 1, run.text());
    QVERIFY2(run.out.isEmpty(), run.text());
    QVERIFY2(run.err.startsWith("longpole " + QByteArray::fromStdString(arguments[0]) + ": "),
             run.text());
    QVERIFY2(run.err.contains(what) && run.err.contains(remedy), run.text());
    QCOMPARE(filesLike("absent"), 0);
}

void TestLongpole::jsonHasTheKeysOfTheContract_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("pattern");
    const QByteArray replayed = R"({"measured_ns":0,"predicted_ns":0,"error_fraction":0.5,
        "ci95_ns":[0],"trust":{"grade":"","replay_error_fraction":0.5,"reasons":[""]},
        "ranks":[{"rank":0,"measured_ns":0,"predicted_ns":0}],
        "parts":{"compute":{"measured_ns":0,"predicted_ns":0},
                 "exposed_comm":{"measured_ns":0,"predicted_ns":0},
                 "overlap":{"measured_ns":0,"predicted_ns":0},
                 "idle":{"measured_ns":0,"predicted_ns":0}},
        "settings":{},"scheduling_efficiency":0.5,"peak_memory_bytes":null,"ops":0,
        "replay_wall_ns":0})";
    const QByteArray parts = R"("compute_ns":0,"comm_ns":0,"overlap_ns":0,"exposed_comm_ns":0,
        "mem_only_ns":0,"idle_ns":0)";
    QTest::newRow("info") << Words { "info", m_project }
                          << QByteArray(R"({"ranks":[{"rank":0,"host":"","files":[""],"events":0,
        "events_by_category":{},"iterations":[{"index":0,"start_ns":0,"dur_ns":0}]}],
        "files":[{"name":"","format":"",
        "status":"","reason":"","events":0,"events_by_category":{},"skipped":0,"ranks":[0]}],
        "formats":[""],"events_total":0,"diagnostics":[{"code":"","severity":"","count":0,
        "file":"","first_offset":null,"message":""}]})");
    QTest::newRow("align") << Words { "align", m_project } << QByteArray(R"({"ranks":[
        {"rank":0,"offset_ns":0,"drift_ppm":0.5,"residual_ns":0,"reference":true}],
        "violations_before":0,"violations_after":0,"method":"","status":""})");
    QTest::newRow("diagnose") << Words { "diagnose", m_project }
                              << R"({"ranks":[{"rank":0,"devices":[{"device":"","window_ns":0,)"
            + parts + R"(}],"iterations":[{"index":0,"dur_ns":0,)" + parts + R"(}]}],
        "critical_path":{"total_ns":0,"compute_ns":0,"comm_ns":0,"host_ns":0,"wait_ns":0,"idle_ns":0,
            "ops":[{"name":"","rank":0,"device":"","start_ns":0,"dur_ns":0,"kind":""}]},
        "collectives":[{"name":"","group":"","seq":0,"ranks":[{"rank":0,"wait_ns":0,
            "transfer_ns":0}],"last_rank":0,"bytes":0}],
        "bottlenecks":[{"title":"","kind":"","evidence":[""],"gain_ns":0,"gain_fraction":0.5,
            "advice":""}]})";
    QTest::newRow("replay") << Words { "replay", m_project } << replayed;
    QTest::newRow("what-if") << Words { "replay",          m_project, "--set",
                                        "bucket_cap_mb=5", "--set",   "bandwidth_scale=2" }
                             << replayed;
    QTest::newRow("import") << Words { "import", Sample, "-o", inFolder("json.longpole") }
                            << QByteArray(R"({"events_total":0,"files":0,"skipped_input":false,
        "sources":[{"name":"","format":"","status":"","reason":"","ranks":[0],"events":0,
        "events_by_category":{},"skipped":0,"skipped_by_reason":[{"code":"","reason":"",
        "count":0,"first_offset":null}]}]})");
}

void TestLongpole::jsonHasTheKeysOfTheContract()
{
    QFETCH(Words, arguments);
    QFETCH(const QByteArray, pattern);
    arguments.push_back("--json");
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 0, run.text());
    QVERIFY2(run.err.isEmpty(), run.text());
    QVERIFY2(!run.json().is_discarded(), run.text());
    QCOMPARE(missing(Json::parse(pattern.toStdString()), run.json(), "$"), QStringList());
}

void TestLongpole::textIsPrintedWithoutJson_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("help") << Words { "--help" } << QByteArray("diagnose");
    QTest::newRow("version") << Words { "--version" } << QByteArray("longpole ");
    QTest::newRow("info") << Words { "info", m_project } << QByteArray("median iteration");
    QTest::newRow("align") << Words { "align", m_project } << QByteArray("reference");
    QTest::newRow("diagnose") << Words { "diagnose", m_project } << QByteArray("1. ");
    QTest::newRow("replay") << Words { "replay", m_project } << QByteArray("trust: good");
    QTest::newRow("what-if") << Words { "replay", m_project, "--set", "bucket_cap_mb=5" }
                             << QByteArray("with bucket_cap_mb = 5");
}

void TestLongpole::textIsPrintedWithoutJson()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, expected);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 0 && run.err.isEmpty(), run.text());
    QVERIFY2(run.out.contains(expected), run.text());
}

void TestLongpole::infoAddsUp()
{
    const Json info = longpole({ "info", m_project, "--json" }).json();
    QCOMPARE(info["ranks"].size(), 2U);
    std::int64_t total = 0;
    for (const Json &rank : info["ranks"]) {
        QCOMPARE(sumOf(rank["events_by_category"]), rank["events"].get<std::int64_t>());
        QCOMPARE(rank["iterations"].size(), 6U);
        QCOMPARE(rank["files"].size(), 1U);
        total += rank["events"].get<std::int64_t>();
    }
    QCOMPARE(info["events_total"].get<std::int64_t>(), total);
    QVERIFY(info["formats"] == Json::array({ "kineto" }));
    QVERIFY(info["diagnostics"] == Json::array());
}

void TestLongpole::partsOfEveryWindowAddUp()
{
    const Json diagnosis = longpole({ "diagnose", m_project, "--json" }).json();
    QCOMPARE(diagnosis["ranks"].size(), 2U);
    const auto check = [](const Json &part, const char *whole) {
        const auto ns = [&part](const char *key) { return part[key].get<std::int64_t>(); };
        QCOMPARE(ns("compute_ns") + ns("exposed_comm_ns") + ns("mem_only_ns") + ns("idle_ns"),
                 ns(whole));
        QCOMPARE(ns("comm_ns") - ns("overlap_ns"), ns("exposed_comm_ns"));
        QVERIFY(ns("idle_ns") >= 0 && ns("compute_ns") > 0 && ns("exposed_comm_ns") > 0);
    };
    for (const Json &rank : diagnosis["ranks"]) {
        QCOMPARE(rank["devices"].size(), 1U);
        for (const Json &device : rank["devices"])
            check(device, "window_ns");
        for (const Json &iteration : rank["iterations"])
            check(iteration, "dur_ns");
    }
    const Json &path = diagnosis["critical_path"];
    const auto part = [&path](const char *key) { return path[key].get<std::int64_t>(); };
    QCOMPARE(part("compute_ns") + part("comm_ns") + part("host_ns") + part("wait_ns")
                 + part("idle_ns"),
             part("total_ns"));
    const Json replayed = longpole({ "replay", m_project, "--json" }).json();
    const double predictedNs = replayed["predicted_ns"]; // the median of six lies between two
    QVERIFY(std::abs(static_cast<double>(part("total_ns")) / predictedNs - 1) < 0.02);
    QCOMPARE(diagnosis["collectives"].size(), 12U); // two buckets in six iterations
    for (const Json &collective : diagnosis["collectives"])
        QCOMPARE(collective["ranks"].size(), 2U);
    for (const Json &bottleneck : diagnosis["bottlenecks"])
        QVERIFY(bottleneck["gain_fraction"] >= 0 && bottleneck["gain_fraction"] < 1);
}

void TestLongpole::selfReplayIsWithinTwoPercentOfTheMedian()
{
    const Json replayed = longpole({ "replay", m_project, "--json" }).json();
    const Json info = longpole({ "info", m_project, "--json" }).json();
    std::int64_t slowestNs = 0;
    for (std::size_t r = 0; r < 2; ++r) {
        std::vector<std::int64_t> durations;
        for (const Json &iteration : info["ranks"][r]["iterations"])
            durations.push_back(iteration["dur_ns"]);
        std::sort(durations.begin(), durations.end());
        const auto measured = replayed["ranks"][r]["measured_ns"].get<std::int64_t>();
        QVERIFY(measured >= durations[2] && measured <= durations[3]);
        slowestNs = std::max(slowestNs, measured);
    }
    QCOMPARE(replayed["measured_ns"].get<std::int64_t>(), slowestNs);
    QVERIFY(std::abs(replayed["error_fraction"].get<double>()) <= 0.02);
    const double predicted = replayed["predicted_ns"], measured = replayed["measured_ns"];
    QVERIFY(std::abs(predicted / measured - 1 - replayed["error_fraction"].get<double>()) < 1e-9);
    QVERIFY(replayed["settings"] == Json::object());
}

void TestLongpole::aWhatIfKeepsTheMeasurement()
{
    const Json self = longpole({ "replay", m_project, "--json" }).json();
    const Json whatIf
        = longpole({ "replay", m_project, "--json", "--set", "bandwidth_mbit=2000" }).json();
    QVERIFY(whatIf["measured_ns"] == self["measured_ns"]);
    QVERIFY(whatIf["predicted_ns"] < self["predicted_ns"]);
    QVERIFY(whatIf["ci95_ns"][0] <= whatIf["predicted_ns"]);
    QVERIFY(whatIf["ci95_ns"][1] >= whatIf["predicted_ns"]);
    QVERIFY(whatIf["settings"] == Json({ { "bandwidth_mbit", 2000 } }));
}

void TestLongpole::queryAnswersAsCsvAndJson()
{
    const std::string sql = "SELECT count(*) AS slices, 'a,\"b' AS text FROM slice";
    const Run csv = longpole({ "query", m_project, sql, "--csv" });
    QVERIFY2(csv.code == 0, csv.text());
    const QList<QByteArray> lines = csv.out.split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0], QByteArray("slices,text"));
    const QByteArray count = lines[1].left(lines[1].indexOf(','));
    QVERIFY(count.toInt() > 1000);
    QCOMPARE(lines[1], count + ",\"a,\"\"b\"");

    const Run json = longpole({ "query", m_project, sql, "--json" });
    QVERIFY2(json.code == 0 && !json.json().is_discarded(), json.text());
    QCOMPARE(json.json().size(), 1U);
    QVERIFY(json.json()[0]["text"] == Json("a,\"b"));
    const Run text = longpole({ "query", m_project, sql });
    QVERIFY(text.code == 0 && text.out.contains(count));
}

void TestLongpole::exportWritesMeasuredAndPredicted_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<Words>("settings");
    QTest::newRow("measured") << inFolder("measured.json") << Words();
    QTest::newRow("measured, compressed") << inFolder("measured.json.gz") << Words();
    QTest::newRow("predicted") << inFolder("predicted.json")
                               << Words { "--set", "bucket_cap_mb=5" };
}

void TestLongpole::exportWritesMeasuredAndPredicted()
{
    QFETCH(const std::string, file);
    QFETCH(const Words, settings);
    Words arguments { "export-trace", m_project, "-o", file };
    arguments.insert(arguments.end(), settings.begin(), settings.end());
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 0 && run.err.isEmpty(), run.text());
    QVERIFY2(run.out.startsWith(QByteArray::fromStdString(file + ": "))
                 && run.out.endsWith(" slices\n"),
             run.text());
    const QByteArray content = contentOf(file);
    QVERIFY(content.size() > 10'000);
    QCOMPARE(content.startsWith("\x1f\x8b"), file.ends_with(".gz"));
    if (!file.ends_with(".gz"))
        QVERIFY(!Json::parse(content.toStdString(), nullptr, false).is_discarded());
    QVERIFY(!std::filesystem::exists(file + ".part"));
}

void TestLongpole::aCutRankIsReadAsFarAsItGoes()
{
    std::filesystem::create_directory(inFolder("cut"));
    std::filesystem::copy_file(Sample + "/rank0.pt.trace.json.gz", inFolder("cut/rank0.json.gz"));
    const QByteArray whole = contentOf(Sample + "/rank1.pt.trace.json.gz");
    write(inFolder("cut/rank1.json.gz"), whole.left(whole.size() * 3 / 4));

    const Run run = longpole({ "import", inFolder("cut"), "-o", inFolder("cut.longpole") });
    QVERIFY2(run.code == 3, run.text());
    QVERIFY2(run.err.contains("rank1.json.gz at byte "), run.text());
    const Json info = longpole({ "info", inFolder("cut.longpole"), "--json" }).json();
    QCOMPARE(info["ranks"].size(), 2U);
    QVERIFY(info["ranks"][1]["events"] > 100);
    QVERIFY(info["ranks"][1]["events"] < info["ranks"][0]["events"]);
    QVERIFY(!info["diagnostics"].empty());
    for (const Json &diagnostic : info["diagnostics"]) {
        if (diagnostic["file"] == "") // about the ranks: this one has fewer iterations now
            continue;
        // Remarks on the ranks together are about no file.
        QVERIFY(diagnostic["file"].get<std::string>().empty()
                || diagnostic["first_offset"].is_number_integer());
        // The file was named twice: once by the diagnostic, once in its message.
        QVERIFY(!QByteArray::fromStdString(diagnostic["message"]).contains("rank1.json.gz"));
    }
    QCOMPARE(longpole({ "diagnose", inFolder("cut.longpole") }).code, 0);
}

/// Names were relative to the folder that import ran in, which nothing recorded.
void TestLongpole::sourcesAreFoundFromTheProject()
{
    namespace fs = std::filesystem;
    fs::create_directories(inFolder("worker7/bundle"));
    fs::copy_file(Sample + "/rank0.pt.trace.json.gz", inFolder("worker7/bundle/rank0.json.gz"));
    const fs::path before = fs::current_path();
    fs::current_path(inFolder("worker7"));
    const Run beside = longpole({ "import", "bundle", "-o", "p.longpole", "--json" });
    const Run elsewhere = longpole({ "import", "bundle", "-o", "../p7.longpole", "--json" });
    fs::current_path(before);
    QVERIFY2(beside.code == 0 && elsewhere.code == 0, beside.text() + elsewhere.text());
    const auto nameOf
        = [](const Run &run) { return run.json()["sources"][0]["name"].get<std::string>(); };
    QCOMPARE(nameOf(beside), std::string("bundle/rank0.json.gz"));
    QCOMPARE(nameOf(elsewhere), inFolder("worker7/bundle/rank0.json.gz"));
    QVERIFY(beside.json()["sources"][0]["ranks"] == Json::array({ 0 }));
    QVERIFY(elsewhere.json()["sources"][0]["skipped_by_reason"] == Json::array());
}

void TestLongpole::importLeavesAnExistingProjectAlone()
{
    const QByteArray before = contentOf(m_project);
    const Run run = longpole({ "import", Sample, "-o", m_project });
    QVERIFY2(run.code == 1 && run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains("sample.longpole") && run.err.contains("--append"), run.text());
    QVERIFY(contentOf(m_project) == before);
    QCOMPARE(filesLike("sample.longpole"), 1);
}

void TestLongpole::appendAddsARank()
{
    const std::string project = inFolder("appended.longpole");
    QCOMPARE(longpole({ "import", Sample + "/rank0.pt.trace.json.gz", "-o", project }).code, 0);
    const Run run = longpole(
        { "import", Sample + "/rank1.pt.trace.json.gz", "-o", project, "--append", "--json" });
    QVERIFY2(run.code == 0, run.text());
    const Json whole = longpole({ "info", m_project, "--json" }).json();
    const Json appended = longpole({ "info", project, "--json" }).json();
    QVERIFY(appended["events_total"] == whole["events_total"]);
    QCOMPARE(appended["ranks"].size(), 2U);
    QVERIFY(run.json()["events_total"] == whole["events_total"]);
}

void TestLongpole::aFailedImportLeavesNoFile()
{
    std::filesystem::create_directory(inFolder("useless"));
    const Run empty = longpole({ "import", inFolder("useless"), "-o", inFolder("none.longpole") });
    QVERIFY2(empty.code == 1 && empty.out.isEmpty(), empty.text());
    QVERIFY2(empty.err.contains("torch.profiler"), empty.text());
    write(inFolder("useless/rank0.json"), "{\"schemaVersion\":1,\"traceEvents\":");
    write(inFolder("useless/notes.txt"), "nothing\n");
    const Run run = longpole({ "import", inFolder("useless"), "-o", inFolder("none.longpole") });
    QVERIFY2(run.code == 1 && run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains("rank0.json") && run.err.contains("Record again"), run.text());
    QCOMPARE(filesLike("none.longpole"), 0);
}

void TestLongpole::anInterruptedImportLeavesNoFile_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("terminated by a batch system") << SIGTERM;
}

void TestLongpole::anInterruptedImportLeavesNoFile()
{
    QFETCH(const int, signal);
    const std::string trace = inFolder("rank0_long.json");
    if (!std::filesystem::exists(trace)) {
        std::ofstream out(trace);
        tests::generateKineto(out, { 300'000, 0, 1, 1 });
    }
    QProcess process;
    start(process, { "--progress", "import", trace, "-o", inFolder("interrupted.longpole") });
    process.setReadChannel(QProcess::StandardError);
    QVERIFY(process.waitForReadyRead(60'000));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("interrupted"));
    QCOMPARE(filesLike("interrupted"), 0);
}

/// A full disk made a redirected result short, and the exit code said 0.
void TestLongpole::aResultThatCannotBeWrittenIsAFailure()
{
    if (!std::filesystem::exists("/dev/full"))
        QSKIP("needs /dev/full");
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    start(process, { "info", m_project, "--json" });
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardError().contains("cannot write"));
}

QTEST_GUILESS_MAIN(TestLongpole)
#include "tst_longpole.moc"
