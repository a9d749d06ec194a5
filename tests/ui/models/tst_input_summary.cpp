#include "ui/models/input_summary.h"

#include <QTest>

using namespace ui;

namespace {

core::SourceFile fileNamed(const std::string &name, core::FileStatus status)
{
    core::SourceFile file;
    file.name = name;
    file.status = status;
    return file;
}

core::Diagnostic diagnosticOf(const std::string &file, core::Severity severity, std::uint64_t count)
{
    core::Diagnostic diagnostic;
    diagnostic.code = "truncated-file";
    diagnostic.severity = severity;
    diagnostic.count = count;
    diagnostic.file = file;
    diagnostic.message = "the file ends early";
    return diagnostic;
}

/// Two files read, one of them damaged; one refused; a text that only a note names.
core::ProjectInfo fourFiles()
{
    core::ProjectInfo info;
    info.files = { fileNamed("/data/run/rank0.json", core::FileStatus::Read),
                   fileNamed("/data/run/a/rank1.json", core::FileStatus::Read),
                   fileNamed("/data/run/a/rank2.json", core::FileStatus::Failed) };
    info.files[0].eventsByCategory = { { "kernel", 7 }, { "cpu_op", 13 } };
    info.diagnostics = { diagnosticOf("/data/run/notes.txt", core::Severity::Info, 1),
                         diagnosticOf("/data/run/a/rank1.json", core::Severity::Warning, 3),
                         diagnosticOf("/data/run/a/rank2.json", core::Severity::Error, 1),
                         diagnosticOf("", core::Severity::Warning, 1) };
    return info;
}

} // namespace

class TestInputSummary : public QObject
{
    Q_OBJECT

private slots:
    void countsFilesAndTheirProblems();
    void listsFilesThatOnlyADiagnosticNames();
    void leavesOutTheFolderThatAllShare_data();
    void leavesOutTheFolderThatAllShare();
    void ordersTheWorstFirst();
    void saysItInOneSentence_data();
    void saysItInOneSentence();
    void tellsOfProblemsOfNoFile();
    void refusedFilesAreNotThoseThatWereRead();
    void theTableHasTheWordsOfTheSentence();
    void aFileThatWasCutSaysSo();
    void writesCodesAsWords();
};

void TestInputSummary::countsFilesAndTheirProblems()
{
    const InputSummary summary = summarizeInput(fourFiles());
    QCOMPARE(summary.readCount, std::size_t { 2 });
    QCOMPARE(summary.problemFileCount, std::size_t { 1 });
    QCOMPARE(summary.refusedCount, std::size_t { 1 });
    QCOMPARE(summary.files[0].recordCount, std::uint64_t { 20 });
    QVERIFY(!summary.files[0].hasProblems());
    QCOMPARE(summary.files[1].problemCount, std::uint64_t { 3 });
    QCOMPARE(summary.files[1].worst, core::Severity::Warning);
    QCOMPARE(summary.files[2].worst, core::Severity::Error);
    QCOMPARE(summary.countOf(core::Severity::Warning), std::size_t { 2 });
}

void TestInputSummary::listsFilesThatOnlyADiagnosticNames()
{
    const InputSummary summary = summarizeInput(fourFiles());
    QCOMPARE(summary.files.size(), std::size_t { 4 });
    const InputFile *notes = summary.find("/data/run/notes.txt");
    QVERIFY(notes != nullptr);
    QCOMPARE(notes->source.status, core::FileStatus::Skipped);
    QCOMPARE(notes->source.reason, std::string("the file ends early"));
    QVERIFY(!notes->hasProblems());
    QVERIFY(summary.find("/data/run/absent") == nullptr);
}

void TestInputSummary::leavesOutTheFolderThatAllShare_data()
{
    QTest::addColumn<QStringList>("names");
    QTest::addColumn<QStringList>("shown");
    QTest::newRow("one file") << QStringList { QStringLiteral("/data/rank0.json") }
                              << QStringList { QStringLiteral("rank0.json") };
    QTest::newRow("names that begin alike")
        << QStringList { QStringLiteral("/data/run1/a"), QStringLiteral("/data/run12/a") }
        << QStringList { QStringLiteral("run1/a"), QStringLiteral("run12/a") };
    QTest::newRow("a file beside a folder")
        << QStringList { QStringLiteral("run/x/a"), QStringLiteral("run/b") }
        << QStringList { QStringLiteral("x/a"), QStringLiteral("b") };
    QTest::newRow("nothing in common") << QStringList { QStringLiteral("a"), QStringLiteral("/b") }
                                       << QStringList { QStringLiteral("a"), QStringLiteral("/b") };
}

void TestInputSummary::leavesOutTheFolderThatAllShare()
{
    QFETCH(QStringList, names);
    QFETCH(QStringList, shown);
    core::ProjectInfo info;
    for (const QString &name : names)
        info.files.push_back(fileNamed(name.toStdString(), core::FileStatus::Read));
    QStringList found;
    for (const InputFile &file : summarizeInput(info).files)
        found << file.shownName;
    QCOMPARE(found, shown);
}

void TestInputSummary::ordersTheWorstFirst()
{
    const InputSummary summary = summarizeInput(fourFiles());
    QCOMPARE(summary.diagnostics.front().severity, core::Severity::Error);
    QCOMPARE(summary.diagnostics.back().severity, core::Severity::Info);
}

void TestInputSummary::saysItInOneSentence_data()
{
    QTest::addColumn<int>("read");
    QTest::addColumn<int>("damaged");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("one") << 1 << 0 << QStringLiteral("1 file read");
    QTest::newRow("many") << 12 << 0 << QStringLiteral("12 files read");
    QTest::newRow("damaged") << 12 << 2 << QStringLiteral("12 files read, 2 with problems");
}

void TestInputSummary::saysItInOneSentence()
{
    QFETCH(int, read);
    QFETCH(int, damaged);
    QFETCH(QString, sentence);
    core::ProjectInfo info;
    for (int i = 0; i < read; ++i)
        info.files.push_back(
            fileNamed("rank" + std::to_string(i) + ".json", core::FileStatus::Read));
    for (int i = 0; i < damaged; ++i)
        info.diagnostics.push_back(
            diagnosticOf("rank" + std::to_string(i) + ".json", core::Severity::Error, 1));
    QCOMPARE(inputSentence(summarizeInput(info)), sentence);
}

void TestInputSummary::tellsOfProblemsOfNoFile()
{
    core::ProjectInfo info;
    info.files = { fileNamed("rank0.json", core::FileStatus::Read) };
    info.diagnostics = { diagnosticOf("", core::Severity::Warning, 1) };
    const InputSummary summary = summarizeInput(info);
    QCOMPARE(summary.worst(), core::Severity::Warning);
    QCOMPARE(inputSentence(summary), QStringLiteral("1 file read, 1 problem"));
}

/// A file that was cut had the status "read".
void TestInputSummary::aFileThatWasCutSaysSo()
{
    core::ProjectInfo info;
    for (const char *name : { "rank0.json", "rank1.json", "rank2.json" })
        info.files.push_back(fileNamed(name, core::FileStatus::Read));
    info.diagnostics
        = { { "unreadable-rest", core::Severity::Error, 1, "rank1.json", 420'098, "the data ends" },
            { "truncated-file", core::Severity::Error, 1, "rank1.json", 419'978,
              "inside an event" },
            { "bad-record", core::Severity::Warning, 4, "rank2.json", 7, "no time" } };
    const InputSummary summary = summarizeInput(info);
    QCOMPARE(inputSentence(summary),
             QStringLiteral("3 files read, 1 of them cut off, 1 with problems"));
    const InputFile &cut = summary.files[1];
    QCOMPARE(cut.status, QStringLiteral("Cut off"));
    QCOMPARE(cut.cutAt, std::optional<std::uint64_t>(419'978));
    QCOMPARE(cut.reason, QStringLiteral("Read to byte 419978; the rest is missing."));
    QCOMPARE(summary.files[2].status, QStringLiteral("Read"));
    QVERIFY(!summary.files[2].isCut && summary.files[2].reason.isEmpty());
}

void TestInputSummary::writesCodesAsWords()
{
    QCOMPARE(problemName("truncated-file"), QStringLiteral("Truncated file"));
    QCOMPARE(problemName(""), QString());
}

/// Two refused files were counted as problems of the four that were read.
void TestInputSummary::refusedFilesAreNotThoseThatWereRead()
{
    QCOMPARE(inputSentence(summarizeInput(fourFiles())),
             QStringLiteral("2 files read, 1 with problems, 1 not imported, 1 left out"));
    core::ProjectInfo info;
    info.files = { fileNamed("rank0.json", core::FileStatus::Read),
                   fileNamed("other.json", core::FileStatus::Skipped) };
    info.diagnostics = { diagnosticOf("rank0.json", core::Severity::Info, 1),
                         diagnosticOf("other.json", core::Severity::Error, 1) };
    QCOMPARE(inputSentence(summarizeInput(info)), QStringLiteral("1 file read, 1 not imported"));
}

/// The table called "Left out" what the sentence above it calls "not imported".
void TestInputSummary::theTableHasTheWordsOfTheSentence()
{
    core::ProjectInfo info;
    info.files = { fileNamed("rank0.json", core::FileStatus::Read),
                   fileNamed("rank1.json", core::FileStatus::Skipped),
                   fileNamed("notes.txt", core::FileStatus::Skipped),
                   fileNamed("rank2.json", core::FileStatus::Failed) };
    info.diagnostics = { diagnosticOf("rank0.json", core::Severity::Warning, 1),
                         diagnosticOf("rank1.json", core::Severity::Error, 1),
                         diagnosticOf("notes.txt", core::Severity::Info, 1) };
    const InputSummary summary = summarizeInput(info);
    QCOMPARE(inputSentence(summary),
             QStringLiteral("1 file read, with problems, 2 not imported, 1 left out"));
    QStringList titles;
    for (const InputFile &file : summary.files)
        titles << file.status;
    QCOMPARE(titles,
             (QStringList { QStringLiteral("Read"), QStringLiteral("Not imported"),
                            QStringLiteral("Left out"), QStringLiteral("Not imported") }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestInputSummary)
#include "tst_input_summary.moc"
