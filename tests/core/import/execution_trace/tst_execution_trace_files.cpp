#include "core/bundle/bundle.h"
#include "core/import/importer.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

#include <algorithm>

namespace {

std::uint64_t countOf(const tests::RecordingSink &sink, std::string_view prefix)
{
    const auto &notes = sink.notes();
    return static_cast<std::uint64_t>(
        std::count_if(notes.begin(), notes.end(),
                      [prefix](const std::string &note) { return note.starts_with(prefix); }));
}

std::string headOf(core::BundleEntry &entry)
{
    std::string head(core::Importer::HeadSize, '\0');
    std::size_t size = 0;
    while (const std::size_t count = entry.read(std::span(head).subspan(size)))
        size += count;
    head.resize(size);
    return head;
}

std::uint64_t recordCount(const tests::RecordingSink &sink)
{
    std::uint64_t all = 0;
    for (const auto &[category, count] : sink.counts())
        all += count;
    return all;
}

} // namespace

/// Numbers counted by a script of its own over a complete parse of each file.
class ExecutionTraceFilesTest : public QObject
{
    Q_OBJECT

private slots:
    void everySharedExecutionTraceHasTheCountedDependencies_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<qulonglong>("nodes");
        QTest::addColumn<qulonglong>("control");
        QTest::addColumn<qulonglong>("data");
        QTest::newRow("pytorch_et_0")
            << QStringLiteral("astra-sim-tutorials/hoti2024-demo3/pytorch_et_0.json.gz") << 4801ULL
            << 4136ULL << 5037ULL;
        QTest::newRow("pytorch_et_1")
            << QStringLiteral("astra-sim-tutorials/hoti2024-demo3/pytorch_et_1.json.gz") << 4797ULL
            << 4132ULL << 5034ULL;
        QTest::newRow("1.0.2-chakra.0.0.4")
            << QStringLiteral("chakra/pytorch-et/1.0.2-chakra.0.0.4.json") << 263ULL << 170ULL
            << 395ULL;
        QTest::newRow("benchmark_simple_add_et")
            << QStringLiteral("hta/execution_trace/benchmark_simple_add_et.json.gz") << 38ULL
            << 35ULL << 23ULL;
        QTest::newRow("megatron_et_0")
            << QStringLiteral("megatron-tp8/execution-trace/megatron_et_0.json.gz") << 5424ULL
            << 3806ULL << 5633ULL;
        QTest::newRow("megatron_et_7")
            << QStringLiteral("megatron-tp8/execution-trace/megatron_et_7.json.gz") << 5424ULL
            << 3806ULL << 5727ULL;
        QTest::newRow("resnet_1gpu_et")
            << QStringLiteral("param/1.0.3-chakra.0.0.4/resnet_1gpu_et.json.gz") << 14391ULL
            << 12393ULL << 21577ULL;
        QTest::newRow("resnet_2gpu_et")
            << QStringLiteral("param/1.1.0-chakra.0.0.4/resnet_2gpu_et.json.gz") << 14392ULL
            << 12394ULL << 21507ULL;
        QTest::newRow("linear_et")
            << QStringLiteral("param/linear/linear_et.json.gz") << 931ULL << 773ULL << 788ULL;
    }
    void everySharedExecutionTraceHasTheCountedDependencies()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        QFETCH(qulonglong, nodes);
        QFETCH(qulonglong, control);
        QFETCH(qulonglong, data);
        const auto bundle = core::openBundle({ *shared / "data" / "real" / file.toStdString() });
        const auto entry = bundle->open(0);
        const std::string head = headOf(*bundle->open(0));
        const auto &all = core::importers();
        const auto importer = std::find_if(all.begin(), all.end(), [&](const auto &candidate) {
            return candidate->recognizes(entry->name(), head);
        });
        QVERIFY(importer != all.end());
        QCOMPARE((*importer)->name(), std::string_view("pytorch-et"));
        tests::RecordingSink sink;
        (*importer)->read(*entry, sink, {});
        QCOMPARE(recordCount(sink), std::uint64_t { nodes });
        QCOMPARE(countOf(sink, "dependency control"), std::uint64_t { control });
        QCOMPARE(countOf(sink, "dependency data"), std::uint64_t { data });
        QVERIFY2(!sink.diagnostics().hasSkippedInput(), sink.diagnosticsText().c_str());
        QCOMPARE(sink.diagnostics().list().size(), std::size_t { 1 }); // it has no times
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(ExecutionTraceFilesTest)
#include "tst_execution_trace_files.moc"
