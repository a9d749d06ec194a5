// Files that are written to while they are imported.

#include "core/pipeline/pipeline.h"
#include "tests/support/archive_files.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>
#include <functional>

using namespace core;
namespace fs = std::filesystem;

namespace {

/// A trace of one op, as torch.profiler writes it.
std::string tinyTrace(int rank, int durationUs = 20)
{
    return R"({"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": )"
        + std::to_string(rank)
        + R"(}, "traceEvents": [{"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2,
             "ts": 150, "dur": )"
        + std::to_string(durationUs) + "}]}";
}

using FileChange = std::function<void(const fs::path &)>;

void write(const fs::path &file, const std::string &text,
           std::ios::openmode mode = std::ios::binary)
{
    std::ofstream(file, std::ios::binary | mode) << text;
}

/// So many hours after 1970, exactly: file systems do not tell times that are milliseconds apart.
void setTime(const fs::path &file, int hours)
{
    fs::last_write_time(
        file,
        fs::file_time_type::clock::from_sys(std::chrono::sys_seconds(std::chrono::hours(hours))));
}

} // namespace

class TestChangedFile : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void aFileThatChangesWhileItIsReadIsNamed_data();
    void aFileThatChangesWhileItIsReadIsNamed();
    void anArchiveThatGrowsIsNamedOnce();
    void theMessageTellsBothStates();
    void aFileThatIsGoneBeforeItIsListedCostsNothingElse();
    void aProjectThatIsGoneIsTold();

private:
    /// Imports the bundle; makes the change when the import comes to the file or member of this
    /// name.
    ImportReport importWhile(const std::string &name, const FileChange &change)
    {
        bool isDone = false;
        const JobControl control({}, [&](double, std::string_view stage) {
            if (!isDone && stage.ends_with(name)) {
                isDone = true;
                change(bundle() / name);
            }
        });
        ImportOptions options;
        options.jobs = 1;
        return importBundle({ bundle() }, bundle().parent_path() / "p.longpole", options, control);
    }
    fs::path bundle() const { return fs::path(m_folder->path().toStdString()) / "bundle"; }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestChangedFile::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    fs::create_directory(bundle());
    write(bundle() / "rank0.json", tinyTrace(0));
}

void TestChangedFile::aFileThatChangesWhileItIsReadIsNamed_data()
{
    QTest::addColumn<std::string>("before");
    QTest::addColumn<FileChange>("change");
    QTest::addColumn<QString>("found"); // "severity code: how the message begins"
    const std::string whole = tinyTrace(1);
    const QString isWritten = QStringLiteral("error file-changed: was written to");
    QTest::newRow("it is left alone") << whole << FileChange([](const fs::path &) {}) << QString();
    QTest::newRow("its end is written later")
        << whole.substr(0, whole.size() - 2)
        << FileChange([](const fs::path &file) { write(file, "]}", std::ios::app); }) << isWritten;
    QTest::newRow("it is cut") << whole
            + "\n\n" << FileChange([whole](const fs::path &file) {
        fs::resize_file(file, whole.size());
    }) << isWritten;
    QTest::newRow("it is overwritten") << whole << FileChange([](const fs::path &file) {
        write(file, tinyTrace(1, 21));
        setTime(file, 2);
    }) << isWritten;
    QTest::newRow("another one takes its name") << whole << FileChange([](const fs::path &file) {
        const fs::path other = file.parent_path().parent_path() / "other.json";
        write(other, tinyTrace(1, 21));
        fs::rename(other, file);
    }) << QStringLiteral("error file-changed: was replaced by another file");
    QTest::newRow("the same is copied over it with its time")
        << whole << FileChange([whole](const fs::path &file) {
               fs::remove(file);
               write(file, whole);
               setTime(file, 1);
           })
        << QString();
}

void TestChangedFile::aFileThatChangesWhileItIsReadIsNamed()
{
    QFETCH(const std::string, before);
    QFETCH(const FileChange, change);
    QFETCH(const QString, found);
    write(bundle() / "rank1.json", before);
    setTime(bundle() / "rank1.json", 1);
    const ImportReport report = importWhile("rank1.json", change);
    QCOMPARE(report.filesRead, std::size_t { 2 });
    QCOMPARE(report.hasSkippedInput, !found.isEmpty());
    QCOMPARE(report.diagnostics.size(), std::size_t(found.isEmpty() ? 0 : 1));
    for (const Diagnostic &one : report.diagnostics) {
        const std::string text
            = std::string(severityName(one.severity)) + " " + one.code + ": " + one.message;
        QVERIFY2(QString::fromStdString(text).startsWith(found, Qt::CaseInsensitive), text.c_str());
        QCOMPARE(fs::path(one.file).filename(), fs::path("rank1.json"));
        QVERIFY(one.losesRecords);
    }
}

void TestChangedFile::anArchiveThatGrowsIsNamedOnce()
{
    const fs::path archive = bundle() / "ranks.zip";
    tests::writeZip(QString::fromStdString(archive.string()),
                    { { QStringLiteral("rank1.json"), QByteArray::fromStdString(tinyTrace(1)) },
                      { QStringLiteral("rank2.json"), QByteArray::fromStdString(tinyTrace(2)) } });
    const ImportReport report = importWhile(
        "ranks.zip/rank1.json", [&](const fs::path &) { write(archive, "more", std::ios::app); });
    QCOMPARE(report.diagnostics.size(), std::size_t { 1 });
    QCOMPARE(QString::fromStdString(report.diagnostics[0].code), QStringLiteral("file-changed"));
    QCOMPARE(fs::path(report.diagnostics[0].file).filename(), fs::path("ranks.zip"));
}

void TestChangedFile::theMessageTellsBothStates()
{
    write(bundle() / "rank1.json", tinyTrace(1));
    setTime(bundle() / "rank1.json", 1);
    const ImportReport report = importWhile("rank1.json", [](const fs::path &file) {
        write(file, "\n", std::ios::app);
        setTime(file, 2);
    });
    QCOMPARE(report.diagnostics.size(), std::size_t { 1 });
    const std::string size = std::to_string(tinyTrace(1).size());
    const std::string sizeAfter = std::to_string(tinyTrace(1).size() + 1);
    const std::string states = "first " + size + " bytes, written 1970-01-01T01:00:00.000Z; "
        + "afterwards " + sizeAfter + " bytes, written 1970-01-01T02:00:00.000Z";
    QVERIFY2(report.diagnostics[0].message.find(states) != std::string::npos,
             report.diagnostics[0].message.c_str());
}

/// A profiler's temporary file that was renamed meanwhile ended the import.
void TestChangedFile::aFileThatIsGoneBeforeItIsListedCostsNothingElse()
{
    const fs::path temporary = bundle() / "rank1.json.tmp";
    write(temporary, tinyTrace(1));
    int asked = 0; // twice while the names of the folder are taken, then for each of the files
    const JobControl control(
        [&] {
            if (++asked == 3)
                fs::remove(temporary);
            return false;
        },
        {});
    const ImportReport report
        = importBundle({ bundle() }, bundle().parent_path() / "p.longpole", {}, control);
    QCOMPARE(report.filesRead, std::size_t { 1 });
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(report.diagnostics.size(), std::size_t { 1 });
    QCOMPARE(report.diagnostics[0].code, std::string("file-changed"));
    QCOMPARE(fs::path(report.diagnostics[0].file).filename(), temporary.filename());
}

/// "What was read before is in the project", said the message of a project that was not there.
void TestChangedFile::aProjectThatIsGoneIsTold()
{
    write(bundle() / "rank1.json", tinyTrace(1));
    const fs::path project = bundle().parent_path() / "p.longpole";
    try {
        importWhile("rank1.json", [&project](const fs::path &) { QVERIFY(fs::remove(project)); });
        QFAIL("nothing was told");
    } catch (const Error &error) {
        const std::string text = error.what();
        QVERIFY2(text.find("was removed or renamed while the import ran") != std::string::npos,
                 text.c_str());
        QVERIFY2(text.find("p.longpole") != std::string::npos, text.c_str());
    }
    QVERIFY(!fs::exists(project));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestChangedFile)
#include "tst_changed_file.moc"
