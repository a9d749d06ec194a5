#include "longpole_program.h"

#include <fstream>

using namespace tests;

namespace {

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

} // namespace

/// The program itself on the bundled sample: exit codes and keys of the command line contract.
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
    void anOffsetIsSetAndReset();
    void textIsPrintedWithoutJson_data();
    void textIsPrintedWithoutJson();
    void theHelpOfQueryNamesAllViews();
    void aTableOfWhatIsNotRecordedSaysSo();
    void aTableCutsTextsByTheirCharacters();
    void aResultThatCannotBeWrittenIsAFailure();

private:
    SampleFolder m_folder;
};

void TestLongpole::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
}

void TestLongpole::wrongUsageIsToldFromFailure_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("message");
    const auto row = [](const char *name, const Words &arguments, const char *message) {
        QTest::newRow(name) << arguments << QByteArray(message);
    };
    const std::string project = m_folder.project();
    row("no command", {}, "diagnose");
    row("unknown command", { "paint", project }, "unknown command \"paint\"");
    row("mistyped command", { "diagnoze", project }, "did you mean \"diagnose\"?");
    row("help of no command", { "help", "diagnoze" }, "did you mean \"diagnose\"?");
    row("no project", { "info" }, "Example: longpole info job.longpole");
    row("no output", { "import", Sample }, "--output");
    row("unknown option", { "info", project, "--colour" }, "--colour");
    row("unknown setting", { "replay", project, "--set", "bucket_size=5" }, "bucket_cap_mb");
    row("no number", { "replay", project, "--set", "bucket_cap_mb=much" }, "MiB");
    row("out of range", { "replay", project, "--set", "bandwidth_scale=-1" }, "bandwidth_scale");
    row("no equals sign", { "replay", project, "--set", "bucket_cap_mb" }, "KEY=VALUE");
    row("setting without --set", { "replay", project, "bandwidth_mbit=3" },
        "did you mean --set bandwidth_mbit=3?");
    row("contradiction",
        { "replay", project, "--set", "bandwidth_scale=2", "--set", "bandwidth_mbit=500" },
        "contradict");
    row("unknown setting of an export",
        { "export-trace", project, "-o", m_folder.path("never.json"), "--set", "speed=2" },
        "speed");
    row("no jobs", { "import", Sample, "-o", m_folder.path("never.longpole"), "--jobs", "0" },
        "--jobs");
    row("no memory",
        { "import", Sample, "-o", m_folder.path("never.longpole"), "--memory-limit", "127" },
        "--memory-limit");
    row("no rank", { "import", Sample, "-o", m_folder.path("never.longpole"), "--rank", "a.json" },
        "FILE=N");
    row("rank with a unit",
        { "import", Sample, "-o", m_folder.path("never.longpole"), "--rank", "a.json=1st" },
        "FILE=N");
    row("two ranks of one file",
        { "import", Sample, "-o", m_folder.path("never.longpole"), "--rank", "rank0*=1", "--rank",
          "rank0*=2" },
        "is stated to be rank 1 as well");
    row("negative rank",
        { "import", Sample, "-o", m_folder.path("never.longpole"), "--rank", "a.json=-1" },
        "FILE=N");
}

void TestLongpole::wrongUsageIsToldFromFailure()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, message);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 2, run.text());
    QVERIFY2(run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains(message), run.text());
    QCOMPARE(m_folder.filesLike("never"), 0);
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
    const std::string absent = m_folder.path("absent.longpole"), text = Sample + "/meta.json";
    const std::string there = m_folder.path("there.txt");
    std::ofstream(there) << "mine";
    for (const char *command : { "info", "align", "diagnose", "replay" }) {
        row((std::string(command) + " of an absent project").c_str(), { command, absent },
            "absent.longpole", "import");
        row((std::string(command) + " of something else").c_str(), { command, text }, "meta.json",
            "import");
    }
    row("query of an absent project", { "query", absent, "SELECT 1" }, "absent.longpole", "import");
    row("SQL that makes no sense", { "query", m_folder.project(), "SELECT 1 FROM nowhere" },
        "nowhere", "no such table");
    row("SQL that writes", { "query", m_folder.project(), "DELETE FROM name" }, "", "read");
    row("import into a folder", { "import", Sample, "-o", m_folder.path() }, "Is a folder",
        "job.longpole");
    row("export into a folder", { "export-trace", m_folder.project(), "-o", m_folder.path() },
        "Is a folder", "trace.json.gz");
    row("export onto a file", { "export-trace", m_folder.project(), "-o", there }, "there.txt",
        "--force");
    row("export onto the project",
        { "export-trace", m_folder.project(), "-o", m_folder.project(), "--force" },
        "sample.longpole", "Is a project");
    row("export onto a trace of it",
        { "export-trace", m_folder.project(), "-o", Sample + "/rank0.pt.trace.json.gz", "--force" },
        "rank0.pt.trace.json.gz", "imported from");
    row("export onto a device",
        { "export-trace", m_folder.project(), "-o", "/dev/null", "--force" }, "/dev/null",
        "no plain file");
    row("export of an absent project", { "export-trace", absent, "-o", m_folder.path("t.json") },
        "absent.longpole", "import");
    row("export into an absent folder",
        { "export-trace", m_folder.project(), "-o", m_folder.path("absent/t.json") },
        "absent/t.json", "folder");
    row("import of an absent file", { "import", m_folder.path("absent.json"), "-o", absent },
        "absent.json", "exist");
    row("import into an absent folder",
        { "import", Sample, "-o", m_folder.path("absent/p.longpole") }, "absent/p.longpole",
        "folder");
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
    QCOMPARE(m_folder.filesLike("absent"), 0);
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
                 "exposed_transfer":{"measured_ns":0,"predicted_ns":0},
                 "exposed_wait":{"measured_ns":0,"predicted_ns":0},
                 "overlap":{"measured_ns":0,"predicted_ns":0},
                 "mem_only":{"measured_ns":0,"predicted_ns":0},
                 "idle":{"measured_ns":0,"predicted_ns":0}},
        "servers":[],"settings":{},"scheduling_efficiency":0.5,"peak_memory_bytes":null,
        "measured_peak_memory_bytes":null,"memory":{"unknown":"","not_predicted":null,"devices":[{"rank":0,
            "device":null,"events":0,"start_bytes":0,"measured_bytes":0,"predicted_bytes":null}],
            "ranks_without":[0]},"ops":0,"edges":{"host_order":0,"inferred":0},
        "replay_wall_ns":0})";
    const QByteArray parts = R"("compute_ns":0,"comm_ns":0,"overlap_ns":0,"exposed_comm_ns":0,
        "exposed_transfer_ns":0,"exposed_wait_ns":0,"mem_only_ns":0,"idle_ns":0)";
    QTest::newRow("info") << Words { "info", m_folder.project() }
                          << QByteArray(R"({"ranks":[{"rank":0,"host":"","files":[""],"events":0,
        "events_by_category":{},"counted_with":null,"iterations":[{"index":0,"start_ns":0,"dur_ns":0}]}],
        "files":[{"name":"","format":"",
        "status":"","reason":"","events":0,"events_by_category":{},"skipped":0,"not_shown":0,"ranks":[0]}],
        "process_groups":[{"name":"","title":"","role":"","basis":"","evidence":"","ranks":[0]}],
        "formats":[""],"events_total":0,"diagnostics":[{"code":"","severity":"","count":0,
        "file":"","first_offset":null,"message":""}]})");
    QTest::newRow("align") << Words { "align", m_folder.project() } << QByteArray(R"({"ranks":[
        {"rank":0,"offset_ns":0,"drift_ppm":0.5,"residual_ns":0,"reference":true}],
        "contradictions":[],"identifiable_to_ns":null,"violations_before":0,"violations_after":0,"method":"","status":""})");
    QTest::newRow("diagnose") << Words { "diagnose", m_folder.project() }
                              << R"({"ranks":[{"rank":0,"devices":[{"device":"","window_ns":0,)"
            + parts + R"(}],"exposed_wait_for":[{"rank":0,"ns":0}],
        "iterations":[{"index":0,"dur_ns":0,)"
            + parts + R"(}]}],
        "critical_path":{"total_ns":0,"compute_ns":0,"comm_ns":0,"host_ns":0,"launch_ns":0,"input_ns":0,
            "wait_ns":0,"idle_ns":0,
            "steady_state":{"total_ns":0,"launch_ns":0,"input_ns":0},
            "iterations":[{"index":0,"counted":true,"total_ns":0,"launch_ns":0,"input_ns":0}],
            "ops":[{"name":"","rank":0,"device":"","start_ns":0,"dur_ns":0,"kind":""}]},
        "process_groups":[{"name":"","title":"","role":"","basis":"","evidence":"","ranks":[0]}],
        "collectives":[{"name":"","group":"","group_title":"","seq":0,"ranks":[{"rank":0,"wait_ns":0,
            "transfer_ns":0}],"last_rank":0,"bytes":0,"compared":true}],
        "bottlenecks":[{"title":"","kind":"","evidence":[""],"gain_ns":0,"gain_fraction":0.5,
            "advice":""}]})";
    QTest::newRow("replay") << Words { "replay", m_folder.project() } << replayed;
    QTest::newRow("dpro") << Words { "replay", m_folder.project(), "--order", "dpro" }
                          << QByteArray(R"({"order":"","measured_ns":0,"predicted_ns":0,
        "error_fraction":0.5,"ci95_ns":null,"ci95_unknown":"","longpole_ns":0,"settings":{},"ops":0,"replay_wall_ns":0})");
    QTest::newRow("what-if") << Words { "replay", m_folder.project(), "--set", "bucket_cap_mb=5",
                                        "--set",  "bandwidth_scale=2" }
                             << replayed;
    QTest::newRow("import") << Words { "import", Sample, "-o", m_folder.path("json.longpole") }
                            << QByteArray(R"({"events_total":0,"files":0,"skipped_input":false,
        "sources":[{"name":"","format":"","status":"","reason":"","ranks":[0],"events":0,
        "events_by_category":{},"skipped":0,"not_shown":0,"skipped_by_reason":[{"code":"","reason":"",
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

void TestLongpole::anOffsetIsSetAndReset()
{
    const SampleFolder folder;
    QCOMPARE(folder.import().code, 0);
    const Run set = longpole({ "align", folder.project(), "--set-offset", "1=-3757000" });
    QVERIFY2(set.code == 0 && set.out.contains("set by hand"), set.text());
    // A minute apart no collective of both can have been.
    const Run wrongOne = longpole({ "align", folder.project(), "--set-offset", "1=60000000000" });
    QVERIFY2(
        wrongOne.code == 0
            && wrongOne.err.contains(" instead of 0 operations end before what they wait for "),
        wrongOne.text());
    longpole({ "align", folder.project(), "--set-offset", "1=-3757000" });
    const Json rank = longpole({ "align", folder.project(), "--json" }).json()["ranks"][1];
    QCOMPARE(rank["offset_ns"], Json(-3'757'000));
    QCOMPARE(rank["solved_offset_ns"], Json(0));
    QVERIFY(rank["by_hand"] && rank["uncertainty_ns"].is_null());
    const Run one = longpole({ "align", folder.project(), "--reset", "1" });
    QVERIFY2(one.code == 0 && !one.out.contains("set by hand"), one.text());
    longpole({ "align", folder.project(), "--set-offset", "1=5" });
    const Run all = longpole({ "align", folder.project(), "--reset" });
    QVERIFY2(all.code == 0 && !all.out.contains("set by hand"), all.text());
    for (const char *word : { "1", "1=", "=5", "1=5ms", "1=99999999999999999999" }) {
        const Run wrong = longpole({ "align", folder.project(), "--set-offset", word });
        QVERIFY2(wrong.code == 2 && wrong.err.contains("RANK=NS"), wrong.text());
    }
}

void TestLongpole::textIsPrintedWithoutJson_data()
{
    QTest::addColumn<Words>("arguments");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("help") << Words { "--help" } << QByteArray("diagnose");
    QTest::newRow("help as a command") << Words { "help" } << QByteArray("diagnose");
    QTest::newRow("help of a command") << Words { "help", "replay" } << QByteArray("--set");
    QTest::newRow("version") << Words { "--version" } << QByteArray("longpole ");
    QTest::newRow("info") << Words { "info", m_folder.project() } << QByteArray("median iteration");
    QTest::newRow("align") << Words { "align", m_folder.project() } << QByteArray("reference");
    QTest::newRow("diagnose") << Words { "diagnose", m_folder.project() } << QByteArray("1. ");
    QTest::newRow("replay") << Words { "replay", m_folder.project() }
                            << QByteArray("Trust: good. ");
    QTest::newRow("what-if") << Words { "replay", m_folder.project(), "--set", "bucket_cap_mb=5" }
                             << QByteArray("with bucket_cap_mb = 5");
    QTest::newRow("what its change is from")
        << Words { "replay", m_folder.project(), "--set", "bucket_cap_mb=5" }
        << QByteArray("unchanged replay 670.5 ms");
    QTest::newRow("free transfers")
        << Words { "replay", m_folder.project(), "--set", "comm_scale=0" }
        << QByteArray("exposed communication: waiting for other ranks ");
}

void TestLongpole::textIsPrintedWithoutJson()
{
    QFETCH(const Words, arguments);
    QFETCH(const QByteArray, expected);
    const Run run = longpole(arguments);
    QVERIFY2(run.code == 0 && run.err.isEmpty(), run.text());
    QVERIFY2(run.out.contains(expected), run.text());
}

/// Some of them were missing.
void TestLongpole::theHelpOfQueryNamesAllViews()
{
    const Run views = longpole({ "query", m_folder.project(),
                                 "SELECT name FROM sqlite_schema WHERE type = 'view'", "--csv" });
    const QList<QByteArray> names = views.out.trimmed().split('\n').mid(1);
    QVERIFY2(names.size() >= 5, views.text());
    const QByteArray help = longpole({ "query", "--help" }).out;
    for (const QByteArray &name : names)
        QVERIFY2(help.contains(' ' + name.trimmed() + ','), name.constData());
    QVERIFY2(help.contains("ORDER BY wait_ns"), help.constData());
}

/// Bytes were counted: half as many of these were cut.
void TestLongpole::aTableCutsTextsByTheirCharacters()
{
    const auto longText = [this](int characters) {
        const QString sql = QStringLiteral("SELECT replace(hex(zeroblob(40)), '0', '\u00e4') || "
                                           "substr('bcdefg', 1, %1) AS text")
                                .arg(characters - 80);
        return longpole({ "query", m_folder.project(), sql.toStdString() });
    };
    const QByteArray one("\xc3\xa4");
    const Run whole = longText(80);
    QVERIFY2(whole.out.contains('\n' + one.repeated(80) + '\n') && whole.err.isEmpty(),
             whole.text());
    const Run cut = longText(81);
    QVERIFY2(cut.out.contains('\n' + one.repeated(77) + "...\n"), cut.text());
    QVERIFY2(cut.err.startsWith("note: texts over 80 characters are cut"), cut.text());
}

void TestLongpole::aTableOfWhatIsNotRecordedSaysSo()
{
    const Run empty = longpole({ "query", m_folder.project(), "SELECT * FROM Memory", "--json" });
    QCOMPARE(empty.code, 0);
    QCOMPARE(empty.out.trimmed(), QByteArray("[]"));
    QVERIFY2(empty.err.startsWith("'memory' has no rows: no allocations are recorded"),
             empty.text());
    const Run other = longpole({ "query", m_folder.project(),
                                 "SELECT * FROM slice WHERE category = 'memory' AND id < 0" });
    QVERIFY2(other.code == 0 && other.err.isEmpty(), other.text());
}

/// A full disk made a redirected result short, and the exit code said 0.
void TestLongpole::aResultThatCannotBeWrittenIsAFailure()
{
    if (!std::filesystem::exists("/dev/full"))
        QSKIP("needs /dev/full");
    QProcess process;
    process.setStandardOutputFile(QStringLiteral("/dev/full"));
    start(process, { "info", m_folder.project(), "--json" });
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardError().contains("cannot write"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLongpole)
#include "tst_longpole.moc"
