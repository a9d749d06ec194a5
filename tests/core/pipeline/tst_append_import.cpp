#include "small_bundle.h"

#include <QTest>

#include <new>

using namespace core;
using tests::codes;
using tests::SmallBundle;
using tests::tinyTrace;
namespace fs = std::filesystem;

namespace {

const fs::path Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

const std::string Perfetto("\x0a\x02\0\1", 4);

} // namespace

/// Importing into a project that exists.
class TestAppendImport : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void readFilesAreLeftOutOfAnAppend();
    void aFileOfTheSameSizeIsKnownByItsTimeOrItsContent_data();
    void aFileOfTheSameSizeIsKnownByItsTimeOrItsContent();
    void aDescriptionCanBeAddedLater();
    void appendAddsARank();
    void theRemedyOfACutFileWorks();
    void aSoundAppendIsNotBlamedForEarlierDamage();
    void aCancelledAppendKeepsWholeFilesAndCanGoOn();
    void anImportThatRunsOutOfMemoryKeepsWholeFiles();
    void aProjectWithoutItsRestIsLookedAtAsAWhole();
    void aProjectThatCannotBeLookedUpIsAnError();
    void anotherImportIsRefusedMeanwhile_data();
    void anotherImportIsRefusedMeanwhile();

private:
    std::optional<SmallBundle> m_bundle;
};

void TestAppendImport::init()
{
    m_bundle.emplace();
}

void TestAppendImport::readFilesAreLeftOutOfAnAppend()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->import();
    m_bundle->write("rank1.json", tinyTrace(1));
    ImportOptions options;
    options.append = true;
    ImportReport report = m_bundle->import(options);
    QCOMPARE(report.filesRead, 1U);
    QCOMPARE(report.filesKnown, 1U);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    report = m_bundle->import(options);
    QCOMPARE(report.filesRead, 0U);
    QCOMPARE(report.filesKnown, 2U);
    QVERIFY(!report.hasSkippedInput);
    m_bundle->write("again/rank1.json", tinyTrace(1)); // by another path
    report = m_bundle->import(options);
    QCOMPARE(report.filesKnown, 3U);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(ProjectReader(m_bundle->project()).info().files.size(), 2U);
}

void TestAppendImport::aFileOfTheSameSizeIsKnownByItsTimeOrItsContent_data()
{
    QTest::addColumn<int>("durationUs");
    QTest::addColumn<bool>("isLater");
    QTest::addColumn<std::size_t>("known");
    QTest::addColumn<QString>("found");
    QTest::newRow("untouched") << 20 << false << std::size_t { 1 } << QString();
    QTest::newRow("copied") << 20 << true << std::size_t { 1 } << QString();
    QTest::newRow("recorded again")
        << 21 << true << std::size_t { 0 } << QStringLiteral("error duplicate-rank");
}

/// A file that was recorded again counted as known where it was as large as before.
void TestAppendImport::aFileOfTheSameSizeIsKnownByItsTimeOrItsContent()
{
    QFETCH(const int, durationUs);
    QFETCH(const bool, isLater);
    QFETCH(const std::size_t, known);
    QFETCH(const QString, found);
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank1.json", tinyTrace(1));
    const fs::path file = m_bundle->folder() / "rank1.json";
    const auto written = fs::last_write_time(file);
    m_bundle->import();
    m_bundle->write("rank1.json", tinyTrace(1, durationUs));
    fs::last_write_time(file, written + std::chrono::hours(isLater ? 1 : 0));
    ImportOptions options;
    options.append = true;
    const ImportReport report = m_bundle->import(options);
    QCOMPARE(report.filesKnown, 1 + known);
    QCOMPARE(codes(report.diagnostics), found);
}

/// meta.json was ignored where no trace was new, without a word.
void TestAppendImport::aDescriptionCanBeAddedLater()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->import();
    ImportOptions options;
    options.append = true;
    m_bundle->write("meta.json", R"({"bandwidth_mbit": 500})");
    m_bundle->import(options);
    QCOMPARE(m_bundle->descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 500})" });
    m_bundle->write("meta.json", R"({"bandwidth_mbit": 800})"); // corrected
    importBundle({ m_bundle->folder() / "meta.json" }, m_bundle->project(), options, {});
    QCOMPARE(m_bundle->descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 800})" });
    QVERIFY(!ProjectReader(m_bundle->project()).info().unfinishedImport);
    const auto written = fs::last_write_time(m_bundle->project());
    m_bundle->import(options); // has nothing new
    QVERIFY(fs::last_write_time(m_bundle->project()) == written);
    fs::remove(m_bundle->project());
    QVERIFY_THROWS_EXCEPTION(
        Error, importBundle({ m_bundle->folder() / "meta.json" }, m_bundle->project(), {}, {}));
    // "The bundle holds no file" was told.
    const QString refusal = m_bundle->refusalOf({ "meta.json" });
    for (const char *part : { "meta.json: describes a job", "is no trace", "--append" })
        QVERIFY2(refusal.contains(QLatin1String(part)), qPrintable(refusal));
    QVERIFY2(!refusal.contains(QLatin1String("holds no file")), qPrintable(refusal));
    m_bundle->write("truth.json", "{}");
    const QString truth = m_bundle->refusalOf({ "truth.json" });
    QVERIFY2(truth.contains(QLatin1String("truth.json: holds measured times")), qPrintable(truth));
}

void TestAppendImport::appendAddsARank()
{
    importBundle({ Sample / "rank0.pt.trace.json.gz" }, m_bundle->project(), {}, {});
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
    ImportOptions options;
    options.append = true;
    importBundle({ Sample / "rank1.pt.trace.json.gz" }, m_bundle->project(), options, {});
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    const ProjectReader reader(m_bundle->project());
    QCOMPARE(reader.info().iterations.size(), 12U);
    QCOMPARE(reader.info().alignment.workers.size(), 2U);
    QVERIFY(reader.info().alignment.workers[1].isKnown);
}

/// The text said to copy the file again, and --append then refused the copy.
void TestAppendImport::theRemedyOfACutFileWorks()
{
    const std::string whole = tinyTrace(0);
    m_bundle->write("rank0.json", whole.substr(0, whole.size() - 10));
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error truncated-file"));
    QVERIFY2(report.diagnostics[0].message.find("into a new project") != std::string::npos,
             report.diagnostics[0].message.c_str());
    m_bundle->write("rank0.json", whole);
    fs::remove(m_bundle->project());
    QVERIFY(!m_bundle->import().hasSkippedInput);
}

/// The exit code of an append told of files that an earlier import had skipped.
void TestAppendImport::aSoundAppendIsNotBlamedForEarlierDamage()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank0.pftrace", Perfetto);
    QVERIFY(m_bundle->import().hasSkippedInput);
    m_bundle->write("later/rank1.json", tinyTrace(1));
    ImportOptions options;
    options.append = true;
    const ImportReport report
        = importBundle({ m_bundle->folder() / "later" }, m_bundle->project(), options, {});
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QString());
    QCOMPARE(codes(ProjectReader(m_bundle->project()).info().diagnostics),
             QStringLiteral("error unsupported-format"));
}

/// What was kept had no iterations: nothing could be analysed until the append was repeated.
void TestAppendImport::aCancelledAppendKeepsWholeFilesAndCanGoOn()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->import();
    m_bundle->write("later/rank1.json", tinyTrace(1));
    m_bundle->write("later/rank2.json", tinyTrace(2));
    ImportOptions options;
    options.append = true;
    options.jobs = 1; // else the second file may begin before the first is written
    bool isSecond = false;
    const JobControl control([&] { return isSecond; },
                             [&](double, std::string_view stage) {
                                 isSecond = isSecond || stage.find("rank2") != stage.npos;
                             });
    QVERIFY_THROWS_EXCEPTION(
        Cancelled,
        importBundle({ m_bundle->folder() / "later" }, m_bundle->project(), options, control));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    QCOMPARE(loadProject(m_bundle->project(), {}).graph->workerCount(), 2U);
    QVERIFY(ProjectReader(m_bundle->project()).info().unfinishedImport);
    importBundle({ m_bundle->folder() / "later" }, m_bundle->project(), options, {});
    const ProjectReader reader(m_bundle->project());
    QCOMPARE(reader.info().iterations.size(), 3U);
    QVERIFY(!reader.info().unfinishedImport);
}

/// A new project was removed with all its files where memory ran out while ranks were compared.
void TestAppendImport::anImportThatRunsOutOfMemoryKeepsWholeFiles()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank1.json", tinyTrace(1));
    const JobControl full({}, [](double, std::string_view stage) {
        if (stage == "align clocks")
            throw std::bad_alloc();
    });
    QString message;
    try {
        importBundle({ m_bundle->folder() }, m_bundle->project(), {}, full);
    } catch (const Error &error) {
        message = QString::fromUtf8(error.what());
    }
    QVERIFY2(message.contains(QStringLiteral("files added: 2")), qPrintable(message));
    QVERIFY2(message.contains(QStringLiteral("--memory-limit")), qPrintable(message));
    QVERIFY(ProjectReader(m_bundle->project()).info().unfinishedImport);
    ImportOptions options;
    options.append = true;
    QCOMPARE(m_bundle->import(options).filesKnown, 2U);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    QVERIFY(!ProjectReader(m_bundle->project()).info().unfinishedImport);
}

/// Only the mark was taken away: there were no clocks, and none could be set by hand.
void TestAppendImport::aProjectWithoutItsRestIsLookedAtAsAWhole()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank1.json", tinyTrace(1));
    const JobControl full({}, [](double, std::string_view stage) {
        if (stage == "align clocks")
            throw std::bad_alloc();
    });
    QVERIFY_THROWS_EXCEPTION(Error,
                             importBundle({ m_bundle->folder() }, m_bundle->project(), {}, full));
    QVERIFY(ProjectReader(m_bundle->project()).info().solvedAlignment.workers.empty());
    discardImportRest(m_bundle->project(), {});
    const ProjectReader reader(m_bundle->project());
    QVERIFY(!reader.info().unfinishedImport);
    QCOMPARE(reader.info().solvedAlignment.workers.size(), 2U);
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    QVERIFY_THROWS_EXCEPTION(Error, discardImportRest(m_bundle->project(), {}));
}

/// The user was told `filesystem error: status: ... [...]`.
void TestAppendImport::aProjectThatCannotBeLookedUpIsAnError()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    const fs::path loop = m_bundle->folder().parent_path() / "loop";
    fs::create_directory_symlink("loop", loop);
    const fs::path project = loop / "p.longpole";
    QVERIFY_THROWS_EXCEPTION(Error, importBundle({ m_bundle->folder() }, project, {}, {}));
    QVERIFY_THROWS_EXCEPTION(Error, ProjectReader { project });
}

void TestAppendImport::anotherImportIsRefusedMeanwhile_data()
{
    QTest::addColumn<bool>("isFirstAppended");
    QTest::addColumn<bool>("isSecondAppended");
    QTest::newRow("new, new") << false << false;
    QTest::newRow("new, append") << false << true;
    QTest::newRow("append, append") << true << true;
}

/// Both were let in; the first failed then, and removed what the second had reported as done.
void TestAppendImport::anotherImportIsRefusedMeanwhile()
{
    QFETCH(const bool, isFirstAppended);
    QFETCH(const bool, isSecondAppended);
    m_bundle->write("rank0.json", tinyTrace(0));
    if (isFirstAppended)
        m_bundle->import();
    m_bundle->write("rank1.json", tinyTrace(1));
    ImportOptions first, second;
    first.append = isFirstAppended;
    first.jobs = 1;
    second.append = isSecondAppended;
    QStringList refusals;
    const JobControl control({}, [&](double fraction, std::string_view) {
        if (fraction < 0.03 || fraction > 0.95 || refusals.size() > 3)
            return;
        try {
            m_bundle->import(second);
            refusals.append(QStringLiteral("none"));
        } catch (const Error &error) {
            refusals.append(QString::fromUtf8(error.what()));
        }
    });
    importBundle({ m_bundle->folder() }, m_bundle->project(), first, control);
    QVERIFY(!refusals.isEmpty());
    for (const QString &refusal : refusals)
        QVERIFY2(refusal.contains(QLatin1String("another import into this project is running")),
                 qPrintable(refusal));
    QCOMPARE(m_bundle->ranks(), (std::vector<int> { 0, 1 }));
    QCOMPARE(m_bundle->filesLeft(), 1);
    second.append = true;
    QCOMPARE(m_bundle->import(second).filesKnown, 2U);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestAppendImport)
#include "tst_append_import.moc"
