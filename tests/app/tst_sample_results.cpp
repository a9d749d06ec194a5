#include "longpole_program.h"

#include <fstream>
#include <numeric>

using namespace tests;

namespace {

QByteArray contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return QByteArray::fromStdString({ std::istreambuf_iterator<char>(file), {} });
}

std::int64_t sumOf(const Json &numbers)
{
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t { 0 },
                           [](std::int64_t sum, const Json &n) { return sum + n.get<int64_t>(); });
}

} // namespace

/// What the commands say of the bundled sample: numbers that fit one another.
class TestSampleResults : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void infoAddsUp();
    void partsOfEveryWindowAddUp();
    void selfReplayIsWithinTwoPercentOfTheMedian();
    void aWhatIfKeepsTheMeasurement();
    void theAnswerComesFirstAndTheTextIsShort();
    void noBracketsAreInBrackets_data();
    void noBracketsAreInBrackets();
    void queryAnswersAsCsvAndJson();
    void queryKeepsColumnsOfOneName();
    void queryTablesAreBounded();
    void noNameSteersATerminalOrASpreadsheet();
    void exportWritesMeasuredAndPredicted_data();
    void exportWritesMeasuredAndPredicted();

private:
    SampleFolder m_folder;
};

void TestSampleResults::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void TestSampleResults::infoAddsUp()
{
    const Json info = longpole({ "info", m_folder.project(), "--json" }).json();
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

void TestSampleResults::partsOfEveryWindowAddUp()
{
    const Json diagnosis = longpole({ "diagnose", m_folder.project(), "--json" }).json();
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
    QCOMPARE(part("compute_ns") + part("comm_ns") + part("host_ns") + part("launch_ns")
                 + part("input_ns") + part("wait_ns") + part("idle_ns"),
             part("total_ns"));
    const Json replayed = longpole({ "replay", m_folder.project(), "--json" }).json();
    const double predictedNs = replayed["predicted_ns"]; // the median of six lies between two
    QVERIFY(std::abs(static_cast<double>(part("total_ns")) / predictedNs - 1) < 0.02);
    QCOMPARE(diagnosis["collectives"].size(), 12U); // two buckets in six iterations
    for (const Json &collective : diagnosis["collectives"])
        QCOMPARE(collective["ranks"].size(), 2U);
    for (const Json &bottleneck : diagnosis["bottlenecks"])
        QVERIFY(bottleneck["gain_fraction"] >= 0 && bottleneck["gain_fraction"] < 1);
}

void TestSampleResults::selfReplayIsWithinTwoPercentOfTheMedian()
{
    const Json replayed = longpole({ "replay", m_folder.project(), "--json" }).json();
    const Json info = longpole({ "info", m_folder.project(), "--json" }).json();
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

void TestSampleResults::aWhatIfKeepsTheMeasurement()
{
    const Json self = longpole({ "replay", m_folder.project(), "--json" }).json();
    const Json whatIf
        = longpole({ "replay", m_folder.project(), "--json", "--set", "bandwidth_mbit=2000" })
              .json();
    QVERIFY(whatIf["measured_ns"] == self["measured_ns"]);
    QVERIFY(whatIf["predicted_ns"] < self["predicted_ns"]);
    QVERIFY(whatIf["ci95_ns"][0] <= whatIf["predicted_ns"]);
    QVERIFY(whatIf["ci95_ns"][1] >= whatIf["predicted_ns"]);
    QVERIFY(whatIf["settings"] == Json({ { "bandwidth_mbit", 2000 } }));
}

/// Of 64 lines the bottlenecks were the last ones.
void TestSampleResults::theAnswerComesFirstAndTheTextIsShort()
{
    const QByteArray text = longpole({ "diagnose", m_folder.project() }).out;
    const QList<QByteArray> lines = text.split('\n');
    QVERIFY2(lines.size() > 20 && lines.size() <= 40, text.constData());
    QVERIFY2(lines.first().startsWith("Communication costs "), text.constData());
    for (const QByteArray &line : lines)
        if (!line.contains("longpole ")) // a path is as long as it is
            QVERIFY2(line.size() <= 110, line.constData());
    const Run replay = longpole({ "replay", m_folder.project(), "--set", "bandwidth_scale=2" });
    QVERIFY2(replay.out.startsWith("Predicted: ") && replay.out.contains("\nTrust: good. "),
             replay.text());
    const Run all = longpole({ "diagnose", m_folder.project(), "--verbose" });
    for (const char *part : { "Upper bound", "Nearly critical", "Process groups", "Scheduling" })
        QVERIFY2(all.out.contains(part) && !text.contains(part), part);
}

void TestSampleResults::noBracketsAreInBrackets_data()
{
    QTest::addColumn<Words>("arguments");
    const std::string project = m_folder.project();
    for (const char *command : { "info", "align", "diagnose", "replay" })
        QTest::newRow(command) << Words { command, project };
    for (const char *command : { "diagnose", "replay" })
        QTest::addRow("%s --verbose", command) << Words { command, project, "--verbose" };
}

void TestSampleResults::noBracketsAreInBrackets()
{
    QFETCH(const Words, arguments);
    const QByteArray text = longpole(arguments).out;
    for (const QByteArray &line : text.split('\n')) {
        int depth = 0;
        for (const char c : line) {
            depth += c == '(' ? 1 : c == ')' ? -1 : 0;
            QVERIFY2(depth <= 1, line.constData());
        }
    }
}

void TestSampleResults::queryAnswersAsCsvAndJson()
{
    const std::string sql = "SELECT count(*) AS slices, 'a,\"b' AS text FROM slice";
    const Run csv = longpole({ "query", m_folder.project(), sql, "--csv" });
    QVERIFY2(csv.code == 0, csv.text());
    const QList<QByteArray> lines = csv.out.split('\n');
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[0], QByteArray("slices,text"));
    const QByteArray count = lines[1].left(lines[1].indexOf(','));
    QVERIFY(count.toInt() > 1000);
    QCOMPARE(lines[1], count + ",\"a,\"\"b\"");

    const Run json = longpole({ "query", m_folder.project(), sql, "--json" });
    QVERIFY2(json.code == 0 && !json.json().is_discarded(), json.text());
    QCOMPARE(json.json().size(), 1U);
    QVERIFY(json.json()[0]["text"] == Json("a,\"b"));
    // A text of several lines, as the SQL of a table is, broke the columns.
    const Run cells = longpole(
        { "query", m_folder.project(), "SELECT 'a' || char(10) || char(27) || 'b' AS text" });
    QCOMPARE(cells.out, QByteArray("text\na\\n\\x1bb\n"));
    const Run high
        = longpole({ "query", m_folder.project(), "SELECT 'a' || char(155, 233) AS text" });
    QCOMPARE(high.out, QByteArray("text\na\\u009b\xc3\xa9\n"));
    const Run text = longpole({ "query", m_folder.project(), sql });
    QVERIFY(text.code == 0 && text.out.contains(count));
}

/// The later one of two columns took the place of the first.
void TestSampleResults::queryKeepsColumnsOfOneName()
{
    const Run json = longpole({ "query", m_folder.project(),
                                "SELECT 1 AS name, 2 AS name, 3 AS name_2, 4 AS name", "--json" });
    QVERIFY2(json.code == 0 && !json.json().is_discarded(), json.text());
    QVERIFY2(json.json()[0] == Json::parse(R"({"name": 1, "name_3": 2, "name_2": 3, "name_4": 4})"),
             json.text());
    QVERIFY2(json.err.contains("two columns are called name"), json.text());
    const Run rows = longpole({ "query", m_folder.project(),
                                "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000) "
                                "SELECT i, i * i AS square FROM n" });
    QCOMPARE(rows.out.count('\n'), 3001);
    QVERIFY(rows.out.endsWith("\n3000  9000000\n"));
}

/// A long name pushed every other column off the screen; a whole trace ran through it.
void TestSampleResults::queryTablesAreBounded()
{
    const char *names = "SELECT printf('%.200c', 'x') || '\xc3\xa9' AS name, 7 AS after";
    const Run table = longpole({ "query", m_folder.project(), names });
    const QByteArray line = table.out.split('\n').value(1);
    QVERIFY2(line.contains("xxx...  ") && line.endsWith("7") && line.size() < 100, table.text());
    QVERIFY2(table.err.contains("--csv"), table.text());
    const Run csv = longpole({ "query", m_folder.project(), names, "--csv" });
    QVERIFY2(csv.out.contains(QByteArray(200, 'x')) && csv.err.isEmpty(), csv.text());
    const char *many
        = "WITH n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 10001) SELECT i FROM n";
    const Run capped = longpole({ "query", m_folder.project(), many });
    QCOMPARE(capped.out.count('\n'), 10'002);
    QVERIFY(
        capped.out.endsWith("\n... more rows; --max-rows 0 prints all, as do --csv and --json\n"));
    const Run all = longpole({ "query", m_folder.project(), many, "--max-rows", "0" });
    QVERIFY(all.out.endsWith("\n10001\n"));
}

void TestSampleResults::noNameSteersATerminalOrASpreadsheet()
{
    const Run csv = longpole({ "query", m_folder.project(),
                               "SELECT '=1+1' AS a, '-x' AS b, -1 AS c, '@' AS d, 'e=' AS \"+e\", "
                               "char(27, 155) AS f",
                               "--csv" });
    QCOMPARE(csv.out, QByteArray("a,b,c,d,'+e,f\n'=1+1,'-x,-1,'@,e=,\\x1b\\u009b\n"));
    const Run json
        = longpole({ "query", m_folder.project(), "SELECT char(27, 127, 155) AS a", "--json" });
    QVERIFY2(!json.json().is_discarded(), json.text());
    QVERIFY(json.json()[0]["a"] == Json("\x1b\x7f\xc2\x9b"));
    const Run absent = longpole({ "info", "\x1b[31m.longpole" });
    QCOMPARE(absent.code, 1);
    QVERIFY2(!absent.err.contains('\x1b') && absent.err.contains("\\x1b[31m"), absent.text());
}

void TestSampleResults::exportWritesMeasuredAndPredicted_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<Words>("settings");
    QTest::newRow("measured") << m_folder.path("measured.json") << Words();
    QTest::newRow("measured, compressed") << m_folder.path("measured.json.gz") << Words();
    QTest::newRow("predicted") << m_folder.path("predicted.json")
                               << Words { "--set", "bucket_cap_mb=5" };
}

void TestSampleResults::exportWritesMeasuredAndPredicted()
{
    QFETCH(const std::string, file);
    QFETCH(const Words, settings);
    Words arguments { "export-trace", m_folder.project(), "-o", file };
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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSampleResults)
#include "tst_sample_results.moc"
