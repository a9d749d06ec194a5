#include "core/align/align.h"
#include "core/analyze/iterations.h"
#include "core/base/error.h"
#include "core/pipeline/pipeline.h"
#include "core/project/project_reader.h"
#include "tests/support/xspace_builder.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

const fs::path Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

/// A trace of one op, as torch.profiler writes it; `rank` is the distributedInfo or nothing.
std::string tinyTrace(std::optional<int> rank = {}, int durationUs = 20)
{
    const std::string info = rank
        ? R"("distributedInfo": {"backend": "gloo", "rank": )" + std::to_string(*rank) + R"(},)"
        : "";
    return R"({"schemaVersion": 1, )" + info + R"( "traceEvents": [
        {"ph": "X", "cat": "user_annotation", "name": "ProfilerStep#1", "pid": 1, "tid": 2,
         "ts": 100, "dur": 50},
        {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2,
         "ts": 150, "dur": )"
        + std::to_string(durationUs) + "}]}";
}

constexpr const char *ExecutionTrace
    = R"({"schema": "1.0.1", "pid": 7, "time": "2023-01-01", "start_ts": 1, "nodes": [
        {"name": "[pytorch|profiler|execution_trace|thread]", "id": 2, "rf_id": 1, "parent": 1}]})";

const std::string Perfetto("\x0a\x02\0\1", 4);

/// A profile (XSpace) of one kernel.
std::string tinyProfile()
{
    tests::XPlaneBuilder gpu("/device:GPU:0");
    gpu.line(1, "Stream #1", 1000).event("gemm", 0, 1'000'000);
    return tests::xspace({ gpu });
}

QString codes(const std::vector<Diagnostic> &diagnostics)
{
    QStringList list;
    for (const Diagnostic &diagnostic : diagnostics)
        list.append(QString::fromStdString(std::string(severityName(diagnostic.severity)) + " "
                                           + diagnostic.code));
    return list.join(QStringLiteral(", "));
}

} // namespace

class TestPipeline : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void whatHoldsNoTraceIsRefused_data();
    void whatHoldsNoTraceIsRefused();
    void ofTwoFilesOfOneRankTheFirstIsKept();
    void filesWithoutARankAreRefused();
    void oneFileWithoutARankIsRankZero();
    void profilesOfOneFolderAreNumberedByTheirNames();
    void aTraceMadeFromAProfileBesideItIsLeftOut();
    void theUserSaysWhichRankAFileIs();
    void whatTheUserSaysWinsOverTheFile();
    void aStatedRankOfAKnownFileIsNotIgnoredSilently();
    void aStatedRankThatFitsNoFileIsRefused_data();
    void aStatedRankThatFitsNoFileIsRefused();
    void aFormatThatCannotBeReadIsNamed();
    void anExecutionTraceJoinsItsRank();
    void oneTraceOfEachKindIsOneRank();
    void everyFileIsReported();
    void readFilesAreLeftOutOfAnAppend();
    void aFileOfTheSameSizeIsKnownByItsTimeOrItsContent_data();
    void aFileOfTheSameSizeIsKnownByItsTimeOrItsContent();
    void measuredOutcomesAreNeverOpened();
    void descriptionsOfTheJobAreKept();
    void aDescriptionCanBeAddedLater();
    void aCancelledImportLeavesNoFile_data();
    void aCancelledImportLeavesNoFile();
    void appendAddsARank();
    void theProjectDoesNotDependOnTheJobs();
    void theOutlineTellsTheSameAsAllSlices();
    void aSoundAppendIsNotBlamedForEarlierDamage();
    void aCancelledAppendKeepsWholeFilesAndCanGoOn();
    void theSampleHasItsIterationsAndGradientSteps();

private:
    void write(const std::string &name, const std::string &text) const
    {
        fs::create_directories((bundle() / name).parent_path());
        std::ofstream(bundle() / name, std::ios::binary) << text;
    }
    fs::path bundle() const { return fs::path(m_folder->path().toStdString()) / "bundle"; }
    fs::path project() const { return bundle().parent_path() / "p.longpole"; }
    ImportReport import(const ImportOptions &options = {}) const
    {
        return importBundle({ bundle() }, project(), options, {});
    }
    /// The error's message; empty if the import worked.
    QString refusal() const
    {
        try {
            import();
        } catch (const Error &error) {
            return QString::fromUtf8(error.what());
        }
        return {};
    }
    /// Everything beside the bundle: the project and what belongs to it.
    qsizetype filesLeft() const
    {
        return std::distance(fs::directory_iterator(bundle().parent_path()), {}) - 1;
    }
    /// What files of the bundle, not the traces themselves, tell about the job.
    std::vector<std::string> descriptions() const
    {
        std::vector<std::string> texts;
        for (const core::JobMetadata &one : ProjectReader(project()).readTrace({}).metadata)
            if (one.name.find('#') == std::string::npos)
                texts.push_back(one.text);
        return texts;
    }
    std::vector<int> ranks() const
    {
        std::vector<int> all;
        const ProjectReader reader(project());
        for (const Worker &worker : reader.info().workers)
            all.push_back(worker.rank);
        return all;
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

void TestPipeline::init()
{
    m_folder = std::make_unique<QTemporaryDir>();
    fs::create_directory(bundle());
}

void TestPipeline::whatHoldsNoTraceIsRefused_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("message");
    QTest::newRow("empty folder") << std::string() << std::string()
                                  << QStringLiteral("torch.profiler");
    QTest::newRow("text") << std::string("notes.txt") << std::string("to do\n")
                          << QStringLiteral("notes.txt: is text");
    QTest::newRow("empty file") << std::string("rank0.json") << std::string()
                                << QStringLiteral("rank0.json: is empty");
    QTest::newRow("cut before its events")
        << std::string("rank0.json") << std::string(R"({"schemaVersion": 1, "traceEvents": )")
        << QStringLiteral("Record again");
}

void TestPipeline::whatHoldsNoTraceIsRefused()
{
    QFETCH(const std::string, file);
    QFETCH(const std::string, text);
    QFETCH(const QString, message);
    if (!file.empty())
        write(file, text);
    QVERIFY2(refusal().contains(message), qPrintable(refusal()));
    QCOMPARE(filesLeft(), 0);
}

void TestPipeline::ofTwoFilesOfOneRankTheFirstIsKept()
{
    write("a.json", tinyTrace(1));
    write("b.json", tinyTrace(1, 21));
    const ImportReport report = import();
    QCOMPARE(report.filesRead, 1U);
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error duplicate-rank"));
    QVERIFY(report.diagnostics[0].file.ends_with("b.json"));
    QCOMPARE(ranks(), std::vector<int> { 1 });
}

void TestPipeline::filesWithoutARankAreRefused()
{
    write("a.json", tinyTrace());
    write("b.json", tinyTrace());
    const QString message = refusal();
    for (const char *word : { "a.json: ", "b.json: ", "rename", "--rank FILE=N" })
        QVERIFY2(message.contains(QLatin1String(word)), qPrintable(message));
    QCOMPARE(filesLeft(), 0);
}

void TestPipeline::oneFileWithoutARankIsRankZero()
{
    write("a.json", tinyTrace());
    const ImportReport report = import();
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(report.eventsTotal, 2U);
    QCOMPARE(ranks(), std::vector<int> { 0 });
}

void TestPipeline::profilesOfOneFolderAreNumberedByTheirNames()
{
    write("run/node-b.xplane.pb", tinyProfile());
    write("run/node-a.xplane.pb", tinyProfile());
    const ImportReport report = import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("info ranks-by-order, info ranks-by-order"));
    QCOMPARE(ranks(), (std::vector<int> { 0, 1 }));
    const ProjectReader reader(project());
    QVERIFY(reader.info().workers.front().files.front().ends_with("node-a.xplane.pb"));
}

void TestPipeline::aTraceMadeFromAProfileBesideItIsLeftOut()
{
    write("run/node-a.xplane.pb", tinyProfile());
    write("run/node-a.trace.json",
          R"({"metadata":{"highres-ticks":true},"traceEvents":[{"ph":"X","ts":1,"dur":1}]})");
    const ImportReport report = import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("info derived-file"));
    QCOMPARE(ranks(), std::vector<int> { 0 });
    QCOMPARE(report.eventsTotal, 1U);
}

void TestPipeline::theUserSaysWhichRankAFileIs()
{
    write("a.json", tinyTrace());
    write("inner/b.json", tinyTrace());
    ImportOptions options;
    options.ranks = { { "a.json", 3 }, { "inner/b.json", 1 } };
    QVERIFY(!import(options).hasSkippedInput);
    QCOMPARE(ranks(), (std::vector<int> { 3, 1 }));
}

void TestPipeline::whatTheUserSaysWinsOverTheFile()
{
    write("a.json", tinyTrace(1));
    write("run2/b.json", tinyTrace(1));
    ImportOptions options;
    options.ranks = { { "run?/*.json", 5 } };
    const ImportReport report = import(options);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(ranks(), (std::vector<int> { 1, 5 }));
    QCOMPARE(codes(report.diagnostics), QStringLiteral("warning stated-rank"));
    QVERIFY(report.diagnostics[0].file.ends_with("run2/b.json"));
    QVERIFY(report.diagnostics[0].message.find("rank 1; taken as rank 5") != std::string::npos);
}

void TestPipeline::aStatedRankOfAKnownFileIsNotIgnoredSilently()
{
    write("a.json", tinyTrace(1));
    import();
    ImportOptions options;
    options.append = true;
    options.ranks = { { "a.json", 1 } };
    QCOMPARE(codes(import(options).diagnostics), QString());
    options.ranks = { { "a.json", 2 } };
    const ImportReport report = import(options);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("warning stated-rank"));
    QVERIFY(report.diagnostics[0].message.find("--rank 2 is not applied") != std::string::npos);
    QCOMPARE(ranks(), std::vector<int> { 1 });
}

void TestPipeline::aStatedRankThatFitsNoFileIsRefused_data()
{
    QTest::addColumn<std::string>("file");
    QTest::addColumn<QString>("message");
    QTest::newRow("unknown") << std::string("c.json") << QStringLiteral("These are found:");
    QTest::newRow("part of a name") << std::string(".json") << QStringLiteral("inner/b.json");
    QTest::newRow("pattern") << std::string("*.pb") << QStringLiteral("a.json");
    QTest::newRow("several") << std::string("a.json") << QStringLiteral("more of the path");
    QTest::newRow("twice") << std::string("*/b.json") << QStringLiteral("rank 6 as well");
}

void TestPipeline::aStatedRankThatFitsNoFileIsRefused()
{
    QFETCH(const std::string, file);
    QFETCH(const QString, message);
    write("a.json", tinyTrace(0));
    write("inner/a.json", tinyTrace(1));
    write("inner/b.json", tinyTrace(2));
    ImportOptions options;
    options.ranks = { { file, 6 }, { "b.json", 7 } };
    QString refused;
    try {
        import(options);
    } catch (const UsageError &error) {
        refused = QString::fromUtf8(error.what());
    }
    QVERIFY2(refused.contains(message), qPrintable(refused));
    QCOMPARE(filesLeft(), 0);
}

void TestPipeline::aFormatThatCannotBeReadIsNamed()
{
    write("rank0.json", tinyTrace(0));
    write("rank0.pftrace", Perfetto);
    const ImportReport report = import();
    QCOMPARE(report.filesRead, 1U);
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error unsupported-format"));
    QVERIFY(report.diagnostics[0].file.ends_with("rank0.pftrace"));
    QVERIFY(report.diagnostics[0].message.find("traceconv") != std::string::npos);
}

void TestPipeline::anExecutionTraceJoinsItsRank()
{
    write("rank0.json", tinyTrace(0));
    write("rank0_et.json", ExecutionTrace);
    const ImportReport report = import();
    QCOMPARE(report.filesRead, 2U);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(ranks(), std::vector<int> { 0 });
    const ProjectReader reader(project());
    QCOMPARE(reader.info().workers[0].files.size(), 2U);
    QCOMPARE(reader.info().files.size(), 2U);
    QCOMPARE(reader.info().files[1].ranks, std::vector<int> { 0 });
}

void TestPipeline::oneTraceOfEachKindIsOneRank()
{
    write("benchmark_et.json", ExecutionTrace);
    write("benchmark_kineto.json", R"({"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
    const ImportReport report = import();
    QCOMPARE(report.filesRead, 2U);
    QCOMPARE(ranks(), std::vector<int> { 0 });
}

void TestPipeline::everyFileIsReported()
{
    write("a.json", tinyTrace(0));
    write("b.json", tinyTrace(0));
    write("notes.txt", "to do\n");
    write("z.json.gz", std::string("\x1f\x8b damaged", 10));
    import();
    const ProjectReader reader(project());
    QStringList files;
    for (const SourceFile &file : reader.info().files)
        files.append(QStringLiteral("%1 %2 %3 %4")
                         .arg(QString::fromStdString(fs::path(file.name).filename().string()),
                              QString::fromStdString(std::string(fileStatusName(file.status))))
                         .arg(file.eventsByCategory.size())
                         .arg(file.reason.empty() ? QStringLiteral("-") : QStringLiteral("why")));
    files.sort();
    QCOMPARE(files.join(QStringLiteral(", ")),
             QStringLiteral("a.json read 2 -, b.json skipped 2 why, notes.txt skipped 0 why, "
                            "z.json.gz failed 0 why"));
    QCOMPARE(reader.info().formats.size(), 1U);
}

void TestPipeline::readFilesAreLeftOutOfAnAppend()
{
    write("rank0.json", tinyTrace(0));
    import();
    write("rank1.json", tinyTrace(1));
    ImportOptions options;
    options.append = true;
    ImportReport report = import(options);
    QCOMPARE(report.filesRead, 1U);
    QCOMPARE(report.filesKnown, 1U);
    QCOMPARE(ranks(), (std::vector<int> { 0, 1 }));
    report = import(options);
    QCOMPARE(report.filesRead, 0U);
    QCOMPARE(report.filesKnown, 2U);
    QVERIFY(!report.hasSkippedInput);
    write("again/rank1.json", tinyTrace(1)); // by another path
    report = import(options);
    QCOMPARE(report.filesKnown, 3U);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(ProjectReader(project()).info().files.size(), 2U);
}

void TestPipeline::aFileOfTheSameSizeIsKnownByItsTimeOrItsContent_data()
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
void TestPipeline::aFileOfTheSameSizeIsKnownByItsTimeOrItsContent()
{
    QFETCH(const int, durationUs);
    QFETCH(const bool, isLater);
    QFETCH(const std::size_t, known);
    QFETCH(const QString, found);
    write("rank0.json", tinyTrace(0));
    write("rank1.json", tinyTrace(1));
    const fs::path file = bundle() / "rank1.json";
    const auto written = fs::last_write_time(file);
    import();
    write("rank1.json", tinyTrace(1, durationUs));
    fs::last_write_time(file, written + std::chrono::hours(isLater ? 1 : 0));
    ImportOptions options;
    options.append = true;
    const ImportReport report = import(options);
    QCOMPARE(report.filesKnown, 1 + known);
    QCOMPARE(codes(report.diagnostics), found);
}

void TestPipeline::measuredOutcomesAreNeverOpened()
{
    write("rank0.json", tinyTrace(0));
    write("truth.json", tinyTrace(1)); // would be a second rank
    write("runs/truth.json", std::string("\x1f\x8b damaged", 10));
    fs::permissions(bundle() / "runs/truth.json", fs::perms::none);
    const ImportReport report = import();
    QCOMPARE(codes(report.diagnostics), QString());
    QCOMPARE(ranks(), std::vector<int> { 0 });
    for (const core::JobMetadata &metadata : ProjectReader(project()).readTrace({}).metadata)
        QVERIFY2(metadata.name.find("truth") == std::string::npos, metadata.name.c_str());
}

void TestPipeline::descriptionsOfTheJobAreKept()
{
    write("rank0.json", tinyTrace(0));
    write("meta.json", R"({"bandwidth_mbit": 500})");
    QCOMPARE(codes(import().diagnostics), QString());
    QCOMPARE(descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 500})" });
}

/// meta.json was ignored where no trace was new, without a word.
void TestPipeline::aDescriptionCanBeAddedLater()
{
    write("rank0.json", tinyTrace(0));
    import();
    ImportOptions options;
    options.append = true;
    write("meta.json", R"({"bandwidth_mbit": 500})");
    import(options);
    QCOMPARE(descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 500})" });
    write("meta.json", R"({"bandwidth_mbit": 800})"); // corrected
    importBundle({ bundle() / "meta.json" }, project(), options, {});
    QCOMPARE(descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 800})" });
    QVERIFY(!ProjectReader(project()).info().unfinishedImport);
    const auto written = fs::last_write_time(project());
    import(options); // has nothing new
    QVERIFY(fs::last_write_time(project()) == written);
    fs::remove(project());
    QVERIFY_THROWS_EXCEPTION(Error, importBundle({ bundle() / "meta.json" }, project(), {}, {}));
}

void TestPipeline::aCancelledImportLeavesNoFile_data()
{
    QTest::addColumn<int>("polls");
    for (const int polls : { 0, 1, 2, 4, 8, 16 })
        QTest::addRow("after %d polls", polls) << polls;
}

void TestPipeline::aCancelledImportLeavesNoFile()
{
    QFETCH(const int, polls);
    int count = 0;
    const JobControl control([&] { return count++ >= polls; }, {});
    QVERIFY_THROWS_EXCEPTION(Cancelled, importBundle({ Sample }, project(), {}, control));
    QCOMPARE(filesLeft(), 0);
}

void TestPipeline::theProjectDoesNotDependOnTheJobs()
{
    for (int rank = 0; rank < 6; ++rank)
        write("rank" + std::to_string(rank) + ".json", tinyTrace(rank));
    write("rank6.json", R"({"schemaVersion": 1, "traceEvents": )"); // unreadable
    write("twice.json", tinyTrace(3, 21));
    std::vector<std::string> projects;
    for (const unsigned jobs : { 1U, 2U, 5U }) {
        ImportOptions options;
        options.jobs = jobs;
        const ImportReport report = import(options);
        QCOMPARE(report.filesRead, 6U);
        QCOMPARE(codes(report.diagnostics),
                 QStringLiteral("error duplicate-rank, error unreadable-file"));
        std::ifstream file(project(), std::ios::binary);
        projects.emplace_back(std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>());
        fs::remove(project());
    }
    QVERIFY(projects[1] == projects[0]);
    QVERIFY(projects[2] == projects[0]);
}

void TestPipeline::appendAddsARank()
{
    importBundle({ Sample / "rank0.pt.trace.json.gz" }, project(), {}, {});
    QCOMPARE(ranks(), std::vector<int> { 0 });
    ImportOptions options;
    options.append = true;
    importBundle({ Sample / "rank1.pt.trace.json.gz" }, project(), options, {});
    QCOMPARE(ranks(), (std::vector<int> { 0, 1 }));
    const ProjectReader reader(project());
    QCOMPARE(reader.info().iterations.size(), 12U);
    QCOMPARE(reader.info().alignment.workers.size(), 2U);
    QVERIFY(reader.info().alignment.workers[1].isKnown);
}

/// The exit code of an append told of files that an earlier import had skipped.
void TestPipeline::aSoundAppendIsNotBlamedForEarlierDamage()
{
    write("rank0.json", tinyTrace(0));
    write("rank0.pftrace", Perfetto);
    QVERIFY(import().hasSkippedInput);
    write("later/rank1.json", tinyTrace(1));
    ImportOptions options;
    options.append = true;
    const ImportReport report = importBundle({ bundle() / "later" }, project(), options, {});
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QString());
    QCOMPARE(codes(ProjectReader(project()).info().diagnostics),
             QStringLiteral("error unsupported-format"));
}

/// What was kept had no iterations: nothing could be analysed until the append was repeated.
void TestPipeline::aCancelledAppendKeepsWholeFilesAndCanGoOn()
{
    write("rank0.json", tinyTrace(0));
    import();
    write("later/rank1.json", tinyTrace(1));
    write("later/rank2.json", tinyTrace(2));
    ImportOptions options;
    options.append = true;
    options.jobs = 1; // else the second file may begin before the first is written
    bool isSecond = false;
    const JobControl control([&] { return isSecond; },
                             [&](double, std::string_view stage) {
                                 isSecond = isSecond || stage.find("rank2") != stage.npos;
                             });
    QVERIFY_THROWS_EXCEPTION(Cancelled,
                             importBundle({ bundle() / "later" }, project(), options, control));
    QCOMPARE(ranks(), (std::vector<int> { 0, 1 }));
    QCOMPARE(loadProject(project(), {}).graph->workerCount(), 2U);
    QVERIFY(ProjectReader(project()).info().unfinishedImport);
    importBundle({ bundle() / "later" }, project(), options, {});
    const ProjectReader reader(project());
    QCOMPARE(reader.info().iterations.size(), 3U);
    QVERIFY(!reader.info().unfinishedImport);
}

/// Clocks and steps are found on a small part of the slices; all of them say the same.
void TestPipeline::theOutlineTellsTheSameAsAllSlices()
{
    importBundle({ Sample }, project(), {}, {});
    const ProjectReader reader(project());
    const Trace all = reader.readTrace({});
    const Trace outline = reader.readOutline(marksIteration, {});
    std::size_t slices = 0, kept = 0;
    for (std::size_t t = 0; t < all.tracks.size(); ++t) {
        slices += all.slices[t].size();
        kept += outline.slices[t].size();
    }
    QVERIFY2(kept < slices / 10, qPrintable(QString::number(kept)));
    const AlignmentReport expected = align(all, {}), found = align(outline, {});
    QCOMPARE(found.status, expected.status);
    QCOMPARE(found.violationsBefore, expected.violationsBefore);
    QCOMPARE(found.violationsAfter, expected.violationsAfter);
    for (std::size_t w = 0; w < expected.workers.size(); ++w) {
        QCOMPARE(found.workers[w].offsetNs, expected.workers[w].offsetNs);
        QCOMPARE(found.workers[w].residualNs, expected.workers[w].residualNs);
    }
    const auto steps = detectIterations(all), foundSteps = detectIterations(outline);
    QCOMPARE(foundSteps.size(), steps.size());
    for (std::size_t i = 0; i < steps.size(); ++i) {
        QCOMPARE(foundSteps[i].index, steps[i].index);
        QVERIFY(foundSteps[i].range == steps[i].range);
    }
}

void TestPipeline::theSampleHasItsIterationsAndGradientSteps()
{
    QVERIFY(!importBundle({ Sample }, project(), {}, {}).hasSkippedInput);
    const LoadedProject loaded = loadProject(project(), {});
    QCOMPARE(loaded.trace->workers.size(), 2U);
    QCOMPARE(loaded.graph->iterationCount, 6);
    QCOMPARE(loaded.graph->gradientSteps.size(), 12U); // six iterations of two ranks
    for (const GradientStep &step : loaded.graph->gradientSteps) {
        QCOMPARE(step.buckets.size(), 2U);
        std::uint64_t bytes = 0;
        for (const std::uint64_t parameter : step.parameterBytes)
            bytes += parameter;
        QCOMPARE(bytes, 25'602'344U); // as meta.json says
    }
}

QTEST_GUILESS_MAIN(TestPipeline)
#include "tst_pipeline.moc"
