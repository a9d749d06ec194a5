#include "core/pipeline/pipeline.h"
#include "core/pipeline/unknown_files.h"
#include "core/project/read/project_reader.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

using namespace core;
namespace fs = std::filesystem;

namespace {

constexpr const char *TinyTrace = R"({"schemaVersion": 1, "traceEvents": [
    {"ph": "X", "cat": "cpu_op", "name": "aten::mm", "pid": 1, "tid": 2, "ts": 150, "dur": 3}]})";

} // namespace

/// Files that no importer recognises, beside traces.
class UnknownFilesTest : public QObject
{
    Q_OBJECT

private slots:
    void whatIsNamedAsATraceIsAnInputThatWasNotRead_data();
    void whatIsNamedAsATraceIsAnInputThatWasNotRead();
    void whatTheUserNamesIsAnInputThatWasNotRead();
    void ofVeryManyFilesTheListTells();
};

/// Empty and damaged traces were an info, and the import a success.
void UnknownFilesTest::whatIsNamedAsATraceIsAnInputThatWasNotRead_data()
{
    QTest::addColumn<std::string>("trace"); // that is whole
    QTest::addColumn<std::string>("file");
    QTest::addColumn<std::string>("text");
    QTest::addColumn<QString>("expected");
    const auto row
        = [](const char *trace, const char *file, const std::string &text, const char *expected) {
              QTest::addRow("%s beside %s", file, trace) << std::string(trace) << std::string(file)
                                                         << text << QString::fromLatin1(expected);
          };
    const std::string noise("\x8f\0\x01\xfe", 4);
    row("rank0.json", "rank1.json", "", "error unreadable-file, skipped: is empty");
    row("rank0.json", "rank2.json.gz", "", "error unreadable-file, skipped: is empty");
    row("rank0.json", "rank3.json.gz", noise, "error unreadable-file, skipped: is no trace");
    row("a.json", "worker4.pt.trace.json", "{}", "error unreadable-file, skipped: is JSON");
    row("trace_0.json.gz", "trace_1.json", "-", "error unreadable-file, skipped: is text");
    row("run/0/t.json", "run/1/t.json", "", "error unreadable-file, skipped: is empty");
    row("a.json", "b.xplane.pb", "", "warning empty-file, skipped: is empty");
    row("rank0.json", "rank0_et.json", "", "warning empty-file, skipped: is empty");
    row("rank0.json", "rank0_config.json", "{}", "info not-a-trace, skipped: is JSON");
    row("rank0.json", "rank1.log", "", "info not-a-trace, skipped: is empty");
    row("rank0.json", "a.json", R"({"traceEvents":[]})",
        "error empty-trace, skipped: is a Chrome trace without events");
    row("rank0.json", "notes.txt", "1", "info not-a-trace, skipped: is text");
}

void UnknownFilesTest::whatIsNamedAsATraceIsAnInputThatWasNotRead()
{
    QFETCH(const std::string, trace);
    QFETCH(const std::string, file);
    QFETCH(const std::string, text);
    QFETCH(const QString, expected);
    const QTemporaryDir folder;
    const fs::path bundle = fs::path(folder.path().toStdString()) / "bundle";
    const auto write = [&bundle](const std::string &name, const std::string &content) {
        fs::create_directories((bundle / name).parent_path());
        std::ofstream(bundle / name, std::ios::binary) << content;
    };
    write(trace, TinyTrace);
    write(file, text);
    const fs::path project = bundle.parent_path() / "p.longpole";
    const ImportReport report = importBundle({ bundle }, project, {}, {});
    QCOMPARE(report.filesRead, 1U);
    const auto found = std::find_if(
        report.diagnostics.begin(), report.diagnostics.end(),
        [&file](const Diagnostic &diagnostic) { return diagnostic.file.ends_with(file); });
    QVERIFY(found != report.diagnostics.end());
    const QString said = QString::fromStdString(std::string(severityName(found->severity)) + " "
                                                + found->code + ", skipped: " + found->message);
    QVERIFY2(said.startsWith(expected), qPrintable(said));
    QCOMPARE(report.hasSkippedInput, expected.startsWith(QLatin1String("error")));
}

/// `import trace.json config.json` left out the second without a word.
void UnknownFilesTest::whatTheUserNamesIsAnInputThatWasNotRead()
{
    const QTemporaryDir folder;
    const fs::path bundle = fs::path(folder.path().toStdString()) / "bundle";
    fs::create_directories(bundle);
    std::ofstream(bundle / "trace.json") << TinyTrace;
    std::ofstream(bundle / "config.json") << "{}";
    std::ofstream(bundle / "gradient_name_list.json") << "{}"; // read with dPRO's traces
    int number = 0;
    const auto importOf = [&](const std::vector<fs::path> &inputs) {
        const std::string name = "p" + std::to_string(number++) + ".longpole";
        return importBundle(inputs, bundle.parent_path() / name, {}, {});
    };
    QVERIFY(!importOf({ bundle }).hasSkippedInput);
    QVERIFY(
        !importOf({ bundle / "trace.json", bundle / "gradient_name_list.json" }).hasSkippedInput);
    for (const auto &inputs : { std::vector { bundle / "trace.json", bundle / "config.json" },
                                std::vector { bundle, bundle / "config.json" } }) {
        const ImportReport report = importOf(inputs);
        QCOMPARE(report.filesRead, 1U);
        QVERIFY(report.hasSkippedInput);
        const Diagnostic &first = report.diagnostics.at(0);
        QCOMPARE(first.code, std::string("not-a-trace"));
        QVERIFY(first.file.ends_with("config.json"));
        QVERIFY(first.message.find("is JSON") != std::string::npos);
        QVERIFY(!first.losesRecords);
    }
}

/// Each was told three times in memory: a folder of a million pictures took gigabytes.
void UnknownFilesTest::ofVeryManyFilesTheListTells()
{
    constexpr std::size_t Further = 5;
    const QTemporaryDir folder;
    const fs::path bundle = fs::path(folder.path().toStdString()) / "bundle";
    fs::create_directories(bundle);
    std::ofstream(bundle / "trace.json") << TinyTrace;
    for (std::size_t i = 0; i < UnknownFiles::MostTold + Further; ++i)
        std::ofstream(bundle / ("picture" + std::to_string(i) + ".txt")) << "1";
    const fs::path project = bundle.parent_path() / "p.longpole";
    const ImportReport report = importBundle({ bundle }, project, {}, {});
    QVERIFY(!report.hasSkippedInput);
    std::size_t told = 0;
    for (const Diagnostic &diagnostic : report.diagnostics) {
        told += diagnostic.code == "not-a-trace" ? 1 : 0;
        if (diagnostic.code == FurtherFilesCode)
            QCOMPARE(diagnostic.count, Further);
    }
    QCOMPARE(told, UnknownFiles::MostTold);
    QCOMPARE(ProjectReader(project).info().files.size(), UnknownFiles::MostTold + Further + 1);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(UnknownFilesTest)
#include "tst_unknown_files.moc"
