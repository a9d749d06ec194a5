#include "core/align/align.h"
#include "core/analyze/iterations.h"
#include "small_bundle.h"
#include "tests/support/xspace_builder.h"

#include <QTest>

using namespace core;
using tests::codes;
using tests::SmallBundle;
using tests::tinyTrace;
namespace fs = std::filesystem;

namespace {

const fs::path Sample = LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25";

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

} // namespace

/// From a bundle to a project.
class TestPipeline : public QObject
{
    Q_OBJECT

private slots:
    void init();
    void whatHoldsNoTraceIsRefused_data();
    void whatHoldsNoTraceIsRefused();
    void aRefusalListsTheFirstFiles();
    void aFormatThatCannotBeReadIsNamed();
    void aTraceMadeFromAProfileBesideItIsLeftOut();
    void anExecutionTraceJoinsItsRank();
    void oneTraceOfEachKindIsOneRank();
    void everyFileIsReported();
    void measuredOutcomesAreNeverOpened();
    void descriptionsOfTheJobAreKept();
    void descriptionsOfTheJobAreBounded();
    void aDamagedDescriptionOfTheJobIsLeftOut();
    void aCancelledImportLeavesNoFile_data();
    void aCancelledImportLeavesNoFile();
    void aCancelledImportLeavesALinkAsItWas();
    void theProjectDoesNotDependOnTheJobs();
    void theOutlineTellsTheSameAsAllSlices();
    void damagedEventsAreLostOfTheirRank();
    void whatIsMoreThanIsKeptIsSkipped();
    void ranksBeyondTheMemoryLimitAreNotCompared();
    void theSampleHasItsIterationsAndGradientSteps();

private:
    std::optional<SmallBundle> m_bundle;
};

void TestPipeline::init()
{
    m_bundle.emplace();
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
        m_bundle->write(file, text);
    QVERIFY2(m_bundle->refusal().contains(message), qPrintable(m_bundle->refusal()));
    QCOMPARE(m_bundle->filesLeft(), 0);
}

// Of an archive with 300,000 other files all were listed.
void TestPipeline::aRefusalListsTheFirstFiles()
{
    for (int i = 0; i < 23; ++i)
        m_bundle->write("notes" + std::to_string(i) + ".txt", "to do\n");
    const QString message = m_bundle->refusal();
    QCOMPARE(message.count(QLatin1Char('\n')), 21);
    QVERIFY2(message.contains(QStringLiteral("notes19.txt: is text")), qPrintable(message));
    QVERIFY2(message.endsWith(QStringLiteral("\n  and 3 more.")), qPrintable(message));
}

void TestPipeline::aFormatThatCannotBeReadIsNamed()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank0.pftrace", Perfetto);
    const ImportReport report = m_bundle->import();
    QCOMPARE(report.filesRead, 1U);
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error unsupported-format"));
    QVERIFY(report.diagnostics[0].file.ends_with("rank0.pftrace"));
    QVERIFY(report.diagnostics[0].message.find("traceconv") != std::string::npos);
}

void TestPipeline::aTraceMadeFromAProfileBesideItIsLeftOut()
{
    m_bundle->write("run/node-a.xplane.pb", tinyProfile());
    m_bundle->write(
        "run/node-a.trace.json",
        R"({"metadata":{"highres-ticks":true},"traceEvents":[{"ph":"X","ts":1,"dur":1}]})");
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("info derived-file"));
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
    QCOMPARE(report.eventsTotal, 1U);
}

void TestPipeline::anExecutionTraceJoinsItsRank()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("rank0_et.json", ExecutionTrace);
    const ImportReport report = m_bundle->import();
    QCOMPARE(report.filesRead, 2U);
    QVERIFY(!report.hasSkippedInput);
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
    const ProjectReader reader(m_bundle->project());
    QCOMPARE(reader.info().workers[0].files.size(), 2U);
    QCOMPARE(reader.info().files.size(), 2U);
    QCOMPARE(reader.info().files[1].ranks, std::vector<int> { 0 });
}

void TestPipeline::oneTraceOfEachKindIsOneRank()
{
    m_bundle->write("benchmark_et.json", ExecutionTrace);
    m_bundle->write("benchmark_kineto.json", R"({"schemaVersion": 1, "traceEvents": [
        {"ph": "X", "cat": "cpu_op", "name": "aten::add", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]})");
    const ImportReport report = m_bundle->import();
    QCOMPARE(report.filesRead, 2U);
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
}

void TestPipeline::everyFileIsReported()
{
    m_bundle->write("a.json", tinyTrace(0));
    m_bundle->write("b.json", tinyTrace(0));
    m_bundle->write("notes.txt", "to do\n");
    m_bundle->write("z.json.gz", std::string("\x1f\x8b damaged", 10));
    m_bundle->import();
    const ProjectReader reader(m_bundle->project());
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

void TestPipeline::measuredOutcomesAreNeverOpened()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("truth.json", tinyTrace(1)); // would be a second rank
    m_bundle->write("runs/truth.json", std::string("\x1f\x8b damaged", 10));
    fs::permissions(m_bundle->folder() / "runs/truth.json", fs::perms::none);
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QString());
    QCOMPARE(m_bundle->ranks(), std::vector<int> { 0 });
    for (const core::JobMetadata &metadata :
         ProjectReader(m_bundle->project()).readTrace({}).metadata)
        QVERIFY2(metadata.name.find("truth") == std::string::npos, metadata.name.c_str());
}

void TestPipeline::descriptionsOfTheJobAreKept()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("meta.json", R"({"bandwidth_mbit": 500})");
    QCOMPARE(codes(m_bundle->import().diagnostics), QString());
    QCOMPARE(m_bundle->descriptions(), std::vector<std::string> { R"({"bandwidth_mbit": 500})" });
}

// They were cut at 16 MiB without a word, and 60 of them took 2 GB; bytes that are no UTF-8 came
// into the project.
void TestPipeline::descriptionsOfTheJobAreBounded()
{
    constexpr std::size_t MiB = 1024 * 1024;
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("a/meta.json", "{\"host\": \"\x1b\xff\",\n \"x\": 1}");
    m_bundle->write("b/meta.json", '"' + std::string(MiB - 1, 'x') + '"');
    for (int i = 0; i < 65; ++i)
        m_bundle->write("c" + std::to_string(i) + "/meta.json", std::string(MiB, ' '));
    const ImportReport report = m_bundle->import();
    const std::vector<std::string> kept = m_bundle->descriptions();
    QCOMPARE(kept.at(0), std::string("{\"host\": \" \xef\xbf\xbd\",  \"x\": 1}"));
    QCOMPARE(kept.size(), std::size_t { 64 }); // of 1 MiB 63, with their names
    QVERIFY(report.hasSkippedInput);
    QCOMPARE(report.diagnostics.size(), std::size_t { 3 });
    QCOMPARE(report.diagnostics[0].code, std::string("description-left-out"));
    QVERIFY(report.diagnostics[0].file.ends_with("b/meta.json"));
    const ProjectReader reader(m_bundle->project());
    const std::vector<SourceFile> &files = reader.info().files;
    QCOMPARE(
        std::count_if(files.begin(), files.end(),
                      [](const SourceFile &file) { return file.status == FileStatus::Skipped; }),
        3);
}

/// It was taken as far as it could be read, without a word.
void TestPipeline::aDamagedDescriptionOfTheJobIsLeftOut()
{
    using namespace std::string_literals;
    const std::string text = "{\"x\": 1}"; // of 8 bytes
    const std::string header = "\x1f\x8b\x08\0\0\0\0\0\0\xff"s, block = "\x01\x08\0\xf7\xff"s;
    m_bundle->write("rank0.json", tinyTrace(0));
    m_bundle->write("meta.json", header + block + text + std::string(8, '\0')); // wrong checksum
    const ImportReport report = m_bundle->import();
    QCOMPARE(codes(report.diagnostics), QStringLiteral("error unreadable-file"));
    QVERIFY(report.diagnostics[0].file.ends_with("meta.json"));
    QCOMPARE(m_bundle->descriptions(), std::vector<std::string> {});
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
    QVERIFY_THROWS_EXCEPTION(Cancelled, importBundle({ Sample }, m_bundle->project(), {}, control));
    QCOMPARE(m_bundle->filesLeft(), 0);
}

/// The link was removed instead of the file that was created where it leads.
void TestPipeline::aCancelledImportLeavesALinkAsItWas()
{
    m_bundle->write("rank0.json", tinyTrace(0));
    fs::create_symlink("elsewhere.longpole", m_bundle->project());
    bool isReading = false;
    const JobControl control([&] { return isReading; },
                             [&](double, std::string_view stage) {
                                 isReading = isReading || stage.find("rank0") != stage.npos;
                             });
    QVERIFY_THROWS_EXCEPTION(
        Cancelled, importBundle({ m_bundle->folder() }, m_bundle->project(), {}, control));
    QVERIFY(fs::is_symlink(m_bundle->project()));
    QCOMPARE(m_bundle->filesLeft(), qsizetype { 1 });
}

void TestPipeline::theProjectDoesNotDependOnTheJobs()
{
    for (int rank = 0; rank < 6; ++rank)
        m_bundle->write("rank" + std::to_string(rank) + ".json", tinyTrace(rank));
    m_bundle->write("rank6.json", R"({"schemaVersion": 1, "traceEvents": )"); // unreadable
    m_bundle->write("twice.json", tinyTrace(3, 21));
    std::vector<std::string> projects;
    for (const unsigned jobs : { 1U, 2U, 5U }) {
        ImportOptions options;
        options.jobs = jobs;
        const ImportReport report = m_bundle->import(options);
        QCOMPARE(report.filesRead, 6U);
        QCOMPARE(codes(report.diagnostics),
                 QStringLiteral("error duplicate-rank, error unreadable-file"));
        std::ifstream file(m_bundle->project(), std::ios::binary);
        projects.emplace_back(std::istreambuf_iterator<char>(file),
                              std::istreambuf_iterator<char>());
        fs::remove(m_bundle->project());
    }
    QVERIFY(projects[1] == projects[0]);
    QVERIFY(projects[2] == projects[0]);
}

/// Clocks and steps are found on a small part of the slices; all of them say the same.
void TestPipeline::theOutlineTellsTheSameAsAllSlices()
{
    importBundle({ Sample }, m_bundle->project(), {}, {});
    const ProjectReader reader(m_bundle->project());
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

void TestPipeline::damagedEventsAreLostOfTheirRank()
{
    std::string damaged = tests::tinyTrace(1);
    const std::string bad = "{\"ph\": \"X\", \"cat\": \"cpu_op\", \"name\": \"aten::add\", "
                            "\"pid\": 1, \"tid\": 2, \"ts\": 120, \"dur\": -5}, ";
    damaged.insert(damaged.find("{\"ph\""), bad + bad);
    m_bundle->write("rank0.pt.trace.json", tests::tinyTrace(0));
    m_bundle->write("rank1.pt.trace.json", damaged);
    m_bundle->import();
    const auto lost = loadProject(m_bundle->project(), {}).trace->lostRecords;
    QCOMPARE(lost.size(), 1U);
    QCOMPARE(lost.front().ranks, std::vector<int> { 1 });
    QCOMPARE(lost.front().count, 2U);
}

/// All ranks' collectives and iterations are held at once: the limit of one file does not bound
/// them.
void TestPipeline::ranksBeyondTheMemoryLimitAreNotCompared()
{
    for (int rank = 0; rank < 3; ++rank)
        m_bundle->write("rank" + std::to_string(rank) + ".json", tests::tinyTrace(rank));
    ImportOptions options;
    options.memoryLimitMib = 64; // what the program itself is taken to need
    QString message;
    try {
        m_bundle->import(options);
    } catch (const Error &error) {
        message = QString::fromUtf8(error.what());
    }
    QVERIFY2(message.contains(QStringLiteral("marks of iterations. Aligning and comparing "
                                             "them takes about 65 MiB, more than the 64 MiB of "
                                             "--memory-limit. Give --memory-limit 65 or more")),
             qPrintable(message));
    QVERIFY(message.contains(QStringLiteral("(files added: 3)")));
    options.memoryLimitMib = 128;
    options.append = true;
    QCOMPARE(m_bundle->import(options).filesKnown, std::size_t { 3 });
    QCOMPARE(loadProject(m_bundle->project(), {}).graph->iterationCount, 1);
}

void TestPipeline::theSampleHasItsIterationsAndGradientSteps()
{
    QVERIFY(!importBundle({ Sample }, m_bundle->project(), {}, {}).hasSkippedInput);
    const LoadedProject loaded = loadProject(m_bundle->project(), {});
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

/// Collectives beyond the limit were told, and the exit code was 0.
void TestPipeline::whatIsMoreThanIsKeptIsSkipped()
{
    const auto skips = [](const char *code, Severity severity) {
        return skipsInput({ code, severity, 1, "a.json", {}, "" });
    };
    QVERIFY(skips("too-many-collectives", Severity::Warning));
    QVERIFY(skips("too-many-collective-calls", Severity::Warning));
    QVERIFY(skips("truncated-file", Severity::Error));
    QVERIFY(!skips("end-without-begin", Severity::Warning));
    QVERIFY(!skips("too-many-thread-names", Severity::Info));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestPipeline)
#include "tst_pipeline.moc"
