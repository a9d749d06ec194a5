#include "core/bundle/bundle.h"
#include "core/import/nsight/nsight_importer.h"
#include "tests/support/recording_sink.h"
#include "tests/support/shared_data.h"

#include <QTest>

namespace {

/// Rows of a table as sqlite3 counts them: SELECT count(*) FROM <table>.
struct TableCounts
{
    std::uint64_t kernels = 0, copies = 0, sets = 0, calls = 0, nvtx = 0, waits = 0, osCalls = 0,
                  overhead = 0;
};

} // namespace

Q_DECLARE_METATYPE(TableCounts)

/// Reads reports that other people recorded, of schemas 2.9.1 to 3.17.1.
class NsightReportsTest : public QObject
{
    Q_OBJECT

private slots:
    void everyRowOfARealReportIsRead_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<TableCounts>("expected");
        QTest::addColumn<int>("marks"); // rows of NVTX_EVENTS that are neither range nor mark
        QTest::newRow("2.9.1, PyTorch")
            << "dlprof/nsys_profile.sqlite" << TableCounts { 46, 12, 4, 279, 82, 68, 0, 11 } << 0;
        QTest::newRow("2.9.1, MPI") << "pipit/saxpy-mpi-cuda_nsys_perlmutter0.sqlite"
                                    << TableCounts { 5, 15, 0, 95, 24, 0, 0, 16 } << 2;
        QTest::newRow("3.0.0, NVTX only") << "efficientcenterformer/baseline.sqlite"
                                          << TableCounts { 0, 0, 0, 0, 649, 0, 0, 0 } << 0;
        QTest::newRow("3.13.2") << "pipit/perlmutter-cloverleaf-cuda.sqlite"
                                << TableCounts { 1312, 279, 0, 3048, 0, 1312, 1831, 47 } << 0;
        QTest::newRow("3.17.1, two processes")
            << "fuser/report1.sqlite" << TableCounts { 18, 3, 3, 990, 13513, 3, 0, 102 } << 0;
    }
    void everyRowOfARealReportIsRead()
    {
        const auto shared = tests::sharedData();
        if (!shared)
            QSKIP("needs the shared traces: set LONGPOLE_SHARED");
        QFETCH(QString, file);
        QFETCH(TableCounts, expected);
        QFETCH(int, marks);
        const auto path = *shared / "data" / "real" / "nsight" / file.toStdString();
        tests::RecordingSink sink;
        core::NsightImporter().read(*core::openBundle({ path })->open(0), sink, {});
        const auto countOf = [&sink](const char *table) {
            const auto found = sink.counts().find(table);
            return found == sink.counts().end() ? 0 : found->second;
        };
        QCOMPARE(countOf("CUPTI_ACTIVITY_KIND_KERNEL"), expected.kernels);
        QCOMPARE(countOf("CUPTI_ACTIVITY_KIND_MEMCPY"), expected.copies);
        QCOMPARE(countOf("CUPTI_ACTIVITY_KIND_MEMSET"), expected.sets);
        QCOMPARE(countOf("CUPTI_ACTIVITY_KIND_RUNTIME"), expected.calls);
        QCOMPARE(countOf("NVTX_EVENTS"), expected.nvtx);
        QCOMPARE(countOf("CUPTI_ACTIVITY_KIND_SYNCHRONIZATION"), expected.waits);
        QCOMPARE(countOf("OSRT_API"), expected.osCalls);
        QCOMPARE(countOf("PROFILER_OVERHEAD"), expected.overhead);
        QCOMPARE(sink.sliceCount(),
                 expected.kernels + expected.copies + expected.sets + expected.calls + expected.nvtx
                     + expected.waits + expected.osCalls + expected.overhead
                     - static_cast<std::uint64_t>(marks));
        QCOMPARE(sink.workerCount(), 1U);
        for (const core::Diagnostic &diagnostic : sink.diagnostics().list())
            QVERIFY2(diagnostic.severity != core::Severity::Error, diagnostic.message.c_str());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NsightReportsTest)
#include "tst_nsight_reports.moc"
