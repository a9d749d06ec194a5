#include "longpole_program.h"
#include "tests/support/generate/generate_kineto.h"

#include <QProcessEnvironment>

#include <grp.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <fstream>

using namespace tests;

namespace {

QByteArray contentOf(const std::string &path)
{
    std::ifstream file(path, std::ios::binary);
    return QByteArray::fromStdString({ std::istreambuf_iterator<char>(file), {} });
}

void write(const std::string &path, const QByteArray &content)
{
    std::ofstream(path, std::ios::binary).write(content.data(), content.size());
}

} // namespace

/// `longpole import`: what it leaves behind, whatever happens.
class TestImportCommand : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void aCutRankIsReadAsFarAsItGoes();
    void sourcesAreFoundFromTheProject();
    void importLeavesAnExistingProjectAlone();
    void appendAddsARank();
    void infoTellsOnceOfFilesThatAreNoTraces();
    void aFailedImportLeavesNoFile();
    void infoSaysWhereNoTimesAreRecorded();
    void anImportNeedsNoThreadOfItsOwn();
    void anInterruptedImportLeavesNoFile_data();
    void anInterruptedImportLeavesNoFile();

private:
    SampleFolder m_folder;
};

namespace {

constexpr uid_t Nobody = 65534;

/// As a user who may start no more threads; the superuser always may, and becomes another one.
Run longpoleWithoutThreads(const Words &arguments)
{
    QProcess process;
    process.setChildProcessModifier([] {
        const bool isNobody = geteuid() != 0
            || (setgroups(0, nullptr) == 0 && setgid(Nobody) == 0 && setuid(Nobody) == 0);
        const rlimit one { 1, 1 };
        if (!isNobody || setrlimit(RLIMIT_NPROC, &one) != 0)
            _exit(1);
    });
    // The sanitizer's search for leaks takes a thread.
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    const QString options = QStringLiteral("ASAN_OPTIONS");
    environment.insert(options, environment.value(options) + QStringLiteral(":detect_leaks=0"));
    process.setProcessEnvironment(environment);
    start(process, arguments);
    if (!process.waitForFinished(120'000) || process.exitStatus() != QProcess::NormalExit)
        return { -1, {}, "crashed, cannot be started, or does not end" };
    return { process.exitCode(), process.readAllStandardOutput(), process.readAllStandardError() };
}

} // namespace

/// Where no thread could be started ("Resource temporarily unavailable") the import failed.
void TestImportCommand::anImportNeedsNoThreadOfItsOwn()
{
    const SampleFolder folder;
    if (geteuid() == 0)
        QCOMPARE(chown(folder.path().c_str(), Nobody, Nobody), 0);
    const Run version = longpoleWithoutThreads({ "--version" });
    const Run readable = longpoleWithoutThreads({ "info", Sample + "/rank0.pt.trace.json.gz" });
    if (version.code != 0 || !readable.err.contains("a gzip file"))
        QSKIP("the program or the sample cannot be read by other users here");
    const Run run
        = longpoleWithoutThreads({ "import", Sample, "-o", folder.project(), "--jobs", "4" });
    QVERIFY2(run.code == 0, run.text());
    QVERIFY2(run.out.contains("events from 2 files"), run.text());
    const auto contents = [](const std::string &project) {
        return longpole({ "query", project, "--csv",
                          "SELECT count(*), sum(dur_ns), count(args), max(args) FROM slice" })
            .out;
    };
    QCOMPARE(contents(folder.project()), contents(m_folder.project()));
}

void TestImportCommand::initTestCase()
{
    const Run run = m_folder.import();
    QVERIFY2(run.code == 0, run.text());
    QVERIFY(run.err.isEmpty());
    QVERIFY(run.out.contains("sample.longpole: "));
    QVERIFY(run.out.contains("events from 2 files"));
}

void TestImportCommand::aCutRankIsReadAsFarAsItGoes()
{
    std::filesystem::create_directory(m_folder.path("cut"));
    std::filesystem::copy_file(Sample + "/rank0.pt.trace.json.gz",
                               m_folder.path("cut/rank0.json.gz"));
    const QByteArray whole = contentOf(Sample + "/rank1.pt.trace.json.gz");
    write(m_folder.path("cut/rank1.json.gz"), whole.left(whole.size() * 3 / 4));

    const Run run
        = longpole({ "import", m_folder.path("cut"), "-o", m_folder.path("cut.longpole") });
    QVERIFY2(run.code == 3, run.text());
    QVERIFY2(run.err.contains("rank1.json.gz at byte "), run.text());
    const Json info = longpole({ "info", m_folder.path("cut.longpole"), "--json" }).json();
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
    QCOMPARE(longpole({ "diagnose", m_folder.path("cut.longpole") }).code, 0);
    // It names again what import left out, and leaves nothing out itself.
    QCOMPARE(longpole({ "info", m_folder.path("cut.longpole") }).code, 0);
}

/// Names were relative to the folder that import ran in, which nothing recorded.
void TestImportCommand::sourcesAreFoundFromTheProject()
{
    namespace fs = std::filesystem;
    fs::create_directories(m_folder.path("worker7/bundle"));
    fs::copy_file(Sample + "/rank0.pt.trace.json.gz",
                  m_folder.path("worker7/bundle/rank0.json.gz"));
    const fs::path before = fs::current_path();
    fs::current_path(m_folder.path("worker7"));
    const Run beside = longpole({ "import", "bundle", "-o", "p.longpole", "--json" });
    const Run elsewhere = longpole({ "import", "bundle", "-o", "../p7.longpole", "--json" });
    fs::current_path(before);
    QVERIFY2(beside.code == 0 && elsewhere.code == 0, beside.text() + elsewhere.text());
    const auto nameOf
        = [](const Run &run) { return run.json()["sources"][0]["name"].get<std::string>(); };
    QCOMPARE(nameOf(beside), std::string("bundle/rank0.json.gz"));
    QCOMPARE(nameOf(elsewhere), m_folder.path("worker7/bundle/rank0.json.gz"));
    QVERIFY(beside.json()["sources"][0]["ranks"] == Json::array({ 0 }));
    QVERIFY(elsewhere.json()["sources"][0]["skipped_by_reason"] == Json::array());
}

void TestImportCommand::importLeavesAnExistingProjectAlone()
{
    const QByteArray before = contentOf(m_folder.project());
    const Run run = longpole({ "import", Sample, "-o", m_folder.project() });
    QVERIFY2(run.code == 1 && run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains("sample.longpole") && run.err.contains("--append"), run.text());
    QVERIFY(contentOf(m_folder.project()) == before);
    QCOMPARE(m_folder.filesLike("sample.longpole"), 1);
}

void TestImportCommand::appendAddsARank()
{
    const std::string project = m_folder.path("appended.longpole");
    QCOMPARE(longpole({ "import", Sample + "/rank0.pt.trace.json.gz", "-o", project }).code, 0);
    const Run run = longpole(
        { "import", Sample + "/rank1.pt.trace.json.gz", "-o", project, "--append", "--json" });
    QVERIFY2(run.code == 0, run.text());
    const Json whole = longpole({ "info", m_folder.project(), "--json" }).json();
    const Json appended = longpole({ "info", project, "--json" }).json();
    QVERIFY(appended["events_total"] == whole["events_total"]);
    QCOMPARE(appended["ranks"].size(), 2U);
    QVERIFY(run.json()["events_total"] == whole["events_total"]);
}

/// It gave "-" as the recorded time, without a word.
void TestImportCommand::infoSaysWhereNoTimesAreRecorded()
{
    const std::string project = m_folder.path("timeless.longpole");
    const Run run
        = longpole({ "import", LONGPOLE_SOURCE_DIR "/tests/data/pytorch_et/nested_attributes.json",
                     "--rank", "nested_attributes.json=3", "-o", project });
    QVERIFY2(run.code == 0, run.text());
    QVERIFY2(run.err.contains("warning: Without times: rank 3."), run.text());
    const Run text = longpole({ "info", project });
    QVERIFY2(text.out.contains("Without times: rank 3."), text.text());
    QCOMPARE(longpole({ "info", project, "--json" }).json()["ranks"][0]["has_times"], Json(false));
    const Run timed = longpole({ "info", m_folder.project() });
    QVERIFY2(!timed.out.contains("Without times"), timed.text());
}

/// Each had a row, a sentence and a diagnostic: 2000 lines for 1050 files.
void TestImportCommand::infoTellsOnceOfFilesThatAreNoTraces()
{
    const std::string folder = m_folder.path("junk");
    std::filesystem::create_directory(folder);
    std::filesystem::copy_file(Sample + "/rank0.pt.trace.json.gz", folder + "/rank0.json.gz");
    for (int i = 0; i < 30; ++i)
        write(folder + "/notes" + std::to_string(i) + ".txt", "nothing\n");
    const std::string project = m_folder.path("junk.longpole");
    QCOMPARE(longpole({ "import", folder, "-o", project }).code, 0);
    const Run text = longpole({ "info", project });
    QCOMPARE(text.out.count("notes"), 1);
    QVERIFY2(text.out.contains("30 files of the folders that are no traces"), text.text());
    QVERIFY2(text.out.contains("rank0.json.gz"), text.text());
    QCOMPARE(longpole({ "info", project, "--json" }).json()["files"].size(), 31U);
}

void TestImportCommand::aFailedImportLeavesNoFile()
{
    std::filesystem::create_directory(m_folder.path("useless"));
    const Run empty
        = longpole({ "import", m_folder.path("useless"), "-o", m_folder.path("none.longpole") });
    QVERIFY2(empty.code == 1 && empty.out.isEmpty(), empty.text());
    QVERIFY2(empty.err.contains("torch.profiler"), empty.text());
    write(m_folder.path("useless/rank0.json"), "{\"schemaVersion\":1,\"traceEvents\":");
    write(m_folder.path("useless/notes.txt"), "nothing\n");
    const Run run
        = longpole({ "import", m_folder.path("useless"), "-o", m_folder.path("none.longpole") });
    QVERIFY2(run.code == 1 && run.out.isEmpty(), run.text());
    QVERIFY2(run.err.contains("rank0.json") && run.err.contains("Record again"), run.text());
    QCOMPARE(m_folder.filesLike("none.longpole"), 0);
}

void TestImportCommand::anInterruptedImportLeavesNoFile_data()
{
    QTest::addColumn<int>("signal");
    QTest::newRow("Ctrl+C") << SIGINT;
    QTest::newRow("terminated by a batch system") << SIGTERM;
}

void TestImportCommand::anInterruptedImportLeavesNoFile()
{
    QFETCH(const int, signal);
    const std::string trace = m_folder.path("rank0_long.json");
    if (!std::filesystem::exists(trace)) {
        std::ofstream out(trace);
        tests::generateKineto(out, { 300'000, 0, 1, 1 });
    }
    QProcess process;
    start(process, { "--progress", "import", trace, "-o", m_folder.path("interrupted.longpole") });
    process.setReadChannel(QProcess::StandardError);
    QVERIFY(process.waitForReadyRead(60'000));
    QCOMPARE(::kill(static_cast<pid_t>(process.processId()), signal), 0);
    QVERIFY(process.waitForFinished(60'000));
    QCOMPARE(process.exitStatus(), QProcess::NormalExit);
    QCOMPARE(process.exitCode(), 1);
    QVERIFY(process.readAllStandardOutput().isEmpty());
    QVERIFY(process.readAllStandardError().contains("interrupted"));
    QCOMPARE(m_folder.filesLike("interrupted"), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestImportCommand)
#include "tst_import_command.moc"
