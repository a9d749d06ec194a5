#include "core/project/write/skipped_records.h"
#include "small_bundle.h"
#include "tests/support/xspace_builder.h"

#include <QRegularExpression>
#include <QTest>

using namespace core;
namespace fs = std::filesystem;
using tests::codes;
using tests::SmallBundle;
using tests::tinyTrace;

namespace {

/// A profile (XSpace) of one kernel.
std::string tinyProfile()
{
    tests::XPlaneBuilder gpu("/device:GPU:0");
    gpu.line(1, "Stream #1", 1000).event("gemm", 0, 1'000'000);
    return tests::xspace({ gpu });
}

/// A trace of so many ops that ends inside of the next one.
std::string cutTrace(int rank, int ops)
{
    std::string text = R"({"schemaVersion": 1, "distributedInfo": {"backend": "gloo", "rank": )"
        + std::to_string(rank) + R"(}, "traceEvents": [)";
    for (int i = 0; i <= ops; ++i)
        text += R"({"ph": "X", "cat": "cpu_op", "name": "op", "pid": 1, "tid": 2, "dur": 5, "ts": )"
            + std::to_string(100 + 10 * i) + "},";
    return text.substr(0, text.size() - 10);
}

/// Without the folders of files.
QString withoutFolder(const std::string &message)
{
    return QString::fromStdString(message).remove(
        QRegularExpression(QStringLiteral("[^ ]*/bundle/")));
}

} // namespace

/// Which rank a file is: what it says itself, its name, the user.
class TestRanksOfFiles : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void ofTwoFilesOfOneRankTheFirstIsKept();
    void ofTwoFilesOfOneRankTheWholeOneIsKept();
    void ofDamagedFilesOfOneRankThatWithMostEventsIsKept();
    void whatAProjectHasOfARankIsNotReplaced();
    void aTraceWithoutEventsIsNoRank();
    void aCopyNamesItsTwin();
    void filesWithoutARankAreRefused();
    void oneFileWithoutARankIsRankZero();
    void profilesOfOneFolderAreNumberedByTheirNames();
    void aProfileIsReadBesideADamagedOne();
    void theUserSaysWhichRankAFileIs();
    void whatTheUserSaysWinsOverTheFile();
    void aStatedRankOfAKnownFileIsNotIgnoredSilently();
    void aStatedRankThatFitsNoFileIsRefused_data();
    void aStatedRankThatFitsNoFileIsRefused();

private:
    std::optional<SmallBundle> m_bundle;
};

void TestRanksOfFiles::init()
{
    m_bundle.emplace();
}

void TestRanksOfFiles::ofTwoFilesOfOneRankTheFirstIsKept()
{
    m_bundle->write("a.json", tinyTrace(1));
    m_bundle->write("b.json", tinyTrace(1, 21));
    const ImportReport report = m_bundle->import();
    QCOMPARE(report.filesRead, 1U);
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error duplicate-rank"));
    QVERIFY(report.diagnostics[0].file.ends_with("b.json"));
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 1 });
}

/// The one whose name comes first was kept, though it was damaged.
void TestRanksOfFiles::ofTwoFilesOfOneRankTheWholeOneIsKept()
{
    m_bundle->write("a.json", cutTrace(1, 1));
    m_bundle->write("b.json", tinyTrace(1, 21));
    m_bundle->write("c.json", tinyTrace(0));
    m_bundle->write("d.json", cutTrace(0, 3));
    for (const unsigned jobs : { 1U, 3U }) {
        ImportOptions options;
        options.jobs = jobs;
        const ImportReport report = m_bundle->import(options);
        QCOMPARE(report.filesRead, 2U);
        QCOMPARE(codes(report.diagnostics),
                 QStringLiteral("error duplicate-rank, error duplicate-rank"));
        QCOMPARE(withoutFolder(report.diagnostics[0].message),
                 QStringLiteral("Rank 1 is taken from b.json: it was read whole, this file is "
                                "damaged. It was left out."));
        QCOMPARE(withoutFolder(report.diagnostics[1].message),
                 QStringLiteral("Rank 0 is in the project already, from c.json: it was read "
                                "whole, this file is damaged. It was left out."));
        const ProjectReader reader(m_bundle->project());
        QCOMPARE(reader.info().workers.size(), std::size_t { 2 });
        QCOMPARE(reader.info().files.size(), std::size_t { 4 });
        fs::remove(m_bundle->project());
    }
}

void TestRanksOfFiles::ofDamagedFilesOfOneRankThatWithMostEventsIsKept()
{
    m_bundle->write("a.json", cutTrace(0, 2));
    m_bundle->write("b.json", cutTrace(0, 4));
    m_bundle->write("c.json", cutTrace(0, 3));
    const ImportReport report = m_bundle->import();
    QCOMPARE(withoutFolder(report.diagnostics.at(0).message),
             QStringLiteral("Rank 0 is taken from b.json: both files are damaged; it holds 4 "
                            "events, this one 2. It was left out."));
    QCOMPARE(withoutFolder(report.diagnostics.at(1).message),
             QStringLiteral("Rank 0 is in the project already, from b.json: both files are "
                            "damaged; it holds 4 events, this one 3. It was left out."));
    const ProjectReader reader(m_bundle->project());
    QCOMPARE(reader.info().eventsTotal, std::uint64_t { 4 });
}

/// An append told that the project's file is read first in the order of names, which it is not.
void TestRanksOfFiles::whatAProjectHasOfARankIsNotReplaced()
{
    m_bundle->write("m.json", cutTrace(0, 2));
    m_bundle->write("n.json", tinyTrace(1));
    m_bundle->import();
    m_bundle->write("a.json", tinyTrace(0));
    m_bundle->write("b.json", tinyTrace(1, 21));
    ImportOptions options;
    options.append = true;
    const ImportReport report = m_bundle->import(options);
    QCOMPARE(report.filesRead, 0U);
    QCOMPARE(withoutFolder(report.diagnostics.at(0).message),
             QStringLiteral("Rank 0 is in the project already, from m.json, which is damaged; this "
                            "file was read whole. What a project has of a rank is not replaced: "
                            "import all files into a new project, to have this one."));
    QCOMPARE(
        withoutFolder(report.diagnostics.at(1).message),
        QStringLiteral("Rank 1 is in the project already, from n.json, which an earlier import "
                       "has read; both were read whole. If this file is of another rank than it "
                       "states, say which: longpole import --rank FILE=N. Else import one trace a "
                       "rank and format, or this one into a new project."));
}

/// It was imported without a word, as a rank of 0 events.
void TestRanksOfFiles::aTraceWithoutEventsIsNoRank()
{
    const std::string empty = "{\"schemaVersion\": 1, \"distributedInfo\": {\"rank\": 1}, "
                              "\"traceEvents\": []}";
    m_bundle->write("b.json", empty);
    QVERIFY(m_bundle->refusal().contains(
        QStringLiteral("b.json: is a trace without events: nothing was recorded. Record again")));
    m_bundle->write("a.json", tinyTrace(0));
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error empty-trace"));
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
}

void TestRanksOfFiles::aCopyNamesItsTwin()
{
    m_bundle->write("a.json", tinyTrace(0));
    m_bundle->write("b.json", tinyTrace(0));
    const ImportReport report = m_bundle->import();
    QVERIFY(!report.hasSkippedInput);
    const ProjectReader reader(m_bundle->project());
    const ProjectInfo &info = reader.info();
    QCOMPARE(withoutFolder(info.diagnostics.at(0).message),
             QStringLiteral("The project has the records of this file already, from a.json; it "
                            "was left out, and nothing is lost."));
    QVERIFY(skippedRecords(info, info.files.at(1)).empty()); // the project has them
}

void TestRanksOfFiles::filesWithoutARankAreRefused()
{
    m_bundle->write("a.json", tinyTrace());
    m_bundle->write("b.json", tinyTrace());
    const QString message = m_bundle->refusal();
    for (const char *word : { "a.json: ", "b.json: ", "rename", "--rank FILE=N" })
        QVERIFY2(message.contains(QLatin1String(word)), qPrintable(message));
    QCOMPARE(m_bundle->filesLeft(), 0);
}

void TestRanksOfFiles::oneFileWithoutARankIsRankZero()
{
    m_bundle->write("a.json", tinyTrace());
    const ImportReport report = m_bundle->import();
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(report.eventsTotal, 2U);
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
}

void TestRanksOfFiles::profilesOfOneFolderAreNumberedByTheirNames()
{
    m_bundle->write("run/node-b.xplane.pb", tinyProfile());
    m_bundle->write("run/node-a.xplane.pb", tinyProfile());
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("info ranks-by-order, info ranks-by-order"));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    const ProjectReader reader(m_bundle->project());
    QVERIFY(reader.info().workers.front().files.front().ends_with("node-a.xplane.pb"));
}

void TestRanksOfFiles::aProfileIsReadBesideADamagedOne()
{
    m_bundle->write("damaged.xplane.pb", "no profile");
    m_bundle->write("run/node.xplane.pb", tinyProfile());
    const ImportReport report = m_bundle->import();
    QCOMPARE(report.filesRead, 1U);
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error unreadable-file"));
    QVERIFY(report.diagnostics[0].file.ends_with("damaged.xplane.pb"));
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
}

void TestRanksOfFiles::theUserSaysWhichRankAFileIs()
{
    m_bundle->write("a.json", tinyTrace());
    m_bundle->write("inner/b.json", tinyTrace());
    ImportOptions options;
    options.ranks = { { "a.json", 3 }, { "inner/b.json", 1 } };
    QVERIFY(!m_bundle->import(options).hasSkippedInput);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 3, 1 }));
}

void TestRanksOfFiles::whatTheUserSaysWinsOverTheFile()
{
    m_bundle->write("a.json", tinyTrace(1));
    m_bundle->write("run2/b.json", tinyTrace(1));
    ImportOptions options;
    options.ranks = { { "run?/*.json", 5 } };
    const ImportReport report = m_bundle->import(options);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 1, 5 }));
    QCOMPARE(codes(report.diagnostics), QStringLiteral("warning stated-rank"));
    QVERIFY(report.diagnostics[0].file.ends_with("run2/b.json"));
    QVERIFY(report.diagnostics[0].message.find("rank 1; taken as rank 5") != std::string::npos);
}

void TestRanksOfFiles::aStatedRankOfAKnownFileIsNotIgnoredSilently()
{
    m_bundle->write("a.json", tinyTrace(1));
    m_bundle->import();
    ImportOptions options;
    options.append = true;
    options.ranks = { { "a.json", 1 } };
    QCOMPARE(codes(m_bundle->import(options).diagnostics), QString());
    options.ranks = { { "a.json", 2 } };
    const ImportReport report = m_bundle->import(options);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("warning stated-rank"));
    QVERIFY(report.diagnostics[0].message.find("--rank 2 is not applied") != std::string::npos);
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 1 });
}

void TestRanksOfFiles::aStatedRankThatFitsNoFileIsRefused_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown") << std::string("c.json") << QStringLiteral("These are found:");
    QTest::newRow("part of a name") << std::string(".json") << QStringLiteral("inner/b.json");
    QTest::newRow("pattern") << std::string("*.pb") << QStringLiteral("a.json");
    QTest::newRow("several") << std::string("a.json") << QStringLiteral("more of the path");
    QTest::newRow("twice") << std::string("*/b.json") << QStringLiteral("rank 6 as well");
}

void TestRanksOfFiles::aStatedRankThatFitsNoFileIsRefused()
{
    QFETCH(const std::string, file);
    QFETCH(const QString, message);
    m_bundle->write("a.json", tinyTrace(0));
    m_bundle->write("inner/a.json", tinyTrace(1));
    m_bundle->write("inner/b.json", tinyTrace(2));
    ImportOptions options;
    options.ranks = { { file, 6 }, { "b.json", 7 } };
    QString refused;
    try {
        m_bundle->import(options);
    } catch (const UsageError &error) {
        refused = QString::fromUtf8(error.what());
    }
    QVERIFY2(refused.contains(message), qPrintable(refused));
    QCOMPARE(m_bundle->filesLeft(), 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestRanksOfFiles)
#include "tst_ranks_of_files.moc"
