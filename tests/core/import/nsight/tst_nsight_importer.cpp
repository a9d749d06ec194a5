#include "core/base/error.h"
#include "core/import/category_counts.h"
#include "tests/core/import/nsight/nsight_text.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"

#include <QFile>
#include <QTest>

#include <random>
#include <sstream>

using tests::contains;
using tests::imported;
using tests::importedFile;
using tests::importer;
using tests::kernel;
using tests::manyKernels;
using tests::nvtxTable;
using tests::RecordingSink;
using tests::smallReport;
using tests::SmallSink;
using tests::SqliteFile;

class NsightImporterTest : public QObject
{
    Q_OBJECT

private slots:
    void aReportOfTwoRanksIsReadWhole()
    {
        const RecordingSink sink = imported(tests::fileText("nsight/generated_two_ranks.sql"));
        const QString difference = tests::differenceFromGolden(
            "nsight/generated_two_ranks.txt", sink.text() + sink.diagnosticsText());
        QVERIFY2(difference.isEmpty(), qPrintable(difference));
    }

    /// Of a damaged report such rows vanished without a word.
    void rowsThatMakeNoSenseAreCounted_data()
    {
        QTest::addColumn<QByteArray>("sql");
        QTest::addColumn<QByteArray>("diagnostics");
        const auto row = [](const char *title, const std::string &sql, const char *diagnostics) {
            QTest::newRow(title) << QByteArray::fromStdString(sql) << QByteArray(diagnostics);
        };
        row("a call without a thread",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, nameId);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (1, 2, 'x', 1);",
            "no-process error 1\n");
        row("a wait without a process",
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, syncType);"
            "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 2, NULL, 1);",
            "no-process error 1\n");
        row("a range without a thread",
            nvtxTable() + "INSERT INTO NVTX_EVENTS VALUES (1, 2, 59, 'a', NULL, 0, NULL);",
            "no-process error 1\n");
        row("a row of NVTX of no known kind",
            nvtxTable() + "INSERT INTO NVTX_EVENTS VALUES (1, 2, 58, 'a', 16777217, 0, NULL);",
            "unknown-record warning 1\n");
        row("an allocation without a size",
            "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, bytes, "
            "memoryOperationType);"
            "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, 16777216, NULL, 0);",
            "bad-memory-row error 1\n");
    }
    void rowsThatMakeNoSenseAreCounted()
    {
        QFETCH(QByteArray, sql);
        QFETCH(QByteArray, diagnostics);
        const RecordingSink sink = imported(smallReport(sql.toStdString()));
        QCOMPARE(QByteArray::fromStdString(sink.diagnosticsText()), diagnostics);
    }

    void secretsOfTheEnvironmentAreNotKept()
    {
        const RecordingSink sink = imported(tests::fileText("nsight/generated_two_ranks.sql"));
        QVERIFY(!contains(sink.text(), "not to be kept"));
    }

    /// A table's name went into the project as it was.
    void aTableOfAnyNameIsCountedUnderCleanText()
    {
        const std::string table = "A\x1b[31m\n" + std::string(5000, 'x');
        const RecordingSink sink
            = imported(smallReport("CREATE TABLE \"" + table + "\" (a INTEGER); INSERT INTO \""
                                   + table + "\" VALUES (1);"));
        QCOMPARE(sink.counts().at("A [31m " + std::string(core::MaximumCategoryBytes - 7, 'x')),
                 1U);
    }

    void rowsOfTheWrongTypesAreLeftOut()
    {
        const RecordingSink sink = imported(smallReport(
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ('x', x'00', 'y', 1.5, NULL, 'z', "
            "16777216, 'w'), (5, 6, 0, 1, 7, 1, 'p', 1), (9223372036854775807, "
            "9223372036854775807, 0, 1, 7, 1, 16777216, 1);"));
        QCOMPARE(sink.sliceCount(), 1U);
        QCOMPARE(sink.counts().at("CUPTI_ACTIVITY_KIND_KERNEL"), 4U);
        QVERIFY(contains(sink.diagnosticsText(), "bad-time error 2"));
        QVERIFY(contains(sink.diagnosticsText(), "no-process error 1"));
    }

    void viewsAndVirtualTablesAreNotLookedAt()
    {
        const RecordingSink sink = imported(smallReport(
            "CREATE VIEW OSRT_API AS WITH RECURSIVE n(start) AS (SELECT 1 UNION ALL SELECT start + "
            "1 FROM n) SELECT start, start AS end, 16777217 AS globalTid, 1 AS nameId FROM n;"
            "CREATE VIRTUAL TABLE PROFILER_OVERHEAD USING fts5(start, end);"));
        QCOMPARE(sink.counts().count("OSRT_API"), 0U);
        QCOMPARE(sink.counts().count("PROFILER_OVERHEAD"), 0U);
        QCOMPARE(sink.sliceCount(), 1U);
    }

    void textsWithoutAKeyAreFound()
    {
        std::string sql = smallReport();
        const std::string key = " NOT NULL PRIMARY KEY";
        sql.erase(sql.find(key), key.size());
        QVERIFY(contains(imported(sql).text(), "\"gemm\""));
    }

    void namesBecomeValidTexts()
    {
        const RecordingSink sink = imported(
            smallReport("INSERT INTO StringIds VALUES (2, CAST(x'61ff0a62' AS TEXT)), (3, "
                        "replace(hex(zeroblob(20000)), '0', 'n'));"
                        + kernel("16777216", "2") + kernel("16777216", "3")));
        QVERIFY(contains(sink.text(), "\"a\xEF\xBF\xBD b\""));
        QVERIFY(!contains(sink.text(), std::string(16385, 'n')));
    }

    void aCancelledImportEnds()
    {
        const SqliteFile report(smallReport(manyKernels()));
        QVERIFY_THROWS_EXCEPTION(
            core::Cancelled,
            importedFile(report.path(), core::JobControl([] { return true; }, {})));
    }

    void ranksComeFromTheEnvironmentOfAReportOfOneRank()
    {
        const RecordingSink sink = imported(smallReport(
            "CREATE TABLE META_DATA_CAPTURE (name TEXT, value TEXT);"
            "INSERT INTO META_DATA_CAPTURE VALUES ('PROCESS_0:ENVIRONMENT_VARIABLE', 'RANK=\"5\"'),"
            "('PROCESS_0:ENVIRONMENT_VARIABLE', 'WORLD_SIZE=\"8\"');"));
        QCOMPARE(sink.worker().rank, std::optional<int>(5));
        QCOMPARE(sink.worker().worldSize, std::optional<int>(8));
    }

    void ranksOfSeveralSilentProcessesFollowTheirIds()
    {
        const RecordingSink sink = imported(smallReport(kernel("33554432")));
        QCOMPARE(sink.workerCount(), 2U);
        QVERIFY(contains(sink.text(), "worker rank=0\nworker rank=1\n"));
        QVERIFY(contains(sink.diagnosticsText(), "ranks-by-process warning 1"));
    }

    /// With CUDA_VISIBLE_DEVICES each process has a device 0, and all ranks were on one.
    void devicesAreTheHostsAndNotTheProcesses()
    {
        const std::string text
            = imported(
                  smallReport(
                      kernel("33554432") + kernel("50331648")
                      + "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER NOT "
                        "NULL, "
                        "pid INTEGER NOT NULL);"
                        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (3, 0, 1), (6, 1, 1), (5, 0, "
                        "2), "
                        "(9, 1, 3), (NULL, 0, 3);"
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, "
                        "streamId, correlationId, globalPid, bytes, copyKind, srcDeviceId, "
                        "dstDeviceId);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (50, 60, 0, 1, 7, 4, "
                        "16777216, 8, 10, "
                        "0, 1);"
                        "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start, end, globalPid, "
                        "deviceId, "
                        "contextId, streamId, syncType);"
                        "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (70, 80, 33554432, "
                        "0, 1, 7, "
                        "3);"
                        "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start, globalPid, deviceId, "
                        "bytes, "
                        "memoryOperationType);"
                        "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (1, 33554432, 0, 64, 0);"))
                  .text();
        for (const char *part :
             { "stream pid=3 tid=7 device=3 ", "stream pid=5 tid=7 device=5 worker=1",
               "stream pid=0 tid=7 device=0 worker=2", "\"from device\": 3, \"to device\": 6",
               "stream_sync pid=5 tid=7 device=5 worker=1", "memory 1000001 64 device=5" })
            QVERIFY2(contains(text, part), (part + (": " + text)).c_str());
    }

    /// Fixed bounds of a gigabyte were beside the memory limit.
    void whatIsHeldOfAReportIsWithinTheMemoryLimit()
    {
        const std::string numbers
            = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n "
              "WHERE i < 100) ";
        const SqliteFile report(smallReport(
            "INSERT INTO StringIds VALUES (2, 'ncclDevKernel_AllReduce_Sum_f32');"
            "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL "
            + numbers
            + "SELECT 10 * i, 10 * i + 1, 0, 1, 7, i, 16777216, 2 FROM n;"
              "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (globalPid, contextId, "
              "eventId, streamId, correlationId);"
              "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT "
            + numbers + "SELECT 16777216, 1, i, 7, i FROM n;" + nvtxTable()
            + "INSERT INTO NVTX_EVENTS " + numbers
            + "SELECT 10 * i, 10 * i + 5, 59, 'step ' || i, 16777217, 0, NULL FROM n;"));
        SmallSink sink;
        importer().read(*core::openBundle({ report.path() })->open(0), sink, {});
        QCOMPARE(sink.sliceCount(), 201U);
        QVERIFY(contains(sink.diagnosticsText(), "too-many-steps warning 92"));
        QVERIFY(contains(sink.diagnosticsText(), "too-many-collectives warning 1"));
        QVERIFY(contains(sink.diagnosticsText(), "too-many-events warning "));
        QCOMPARE(importedFile(report.path()).diagnosticsText(), std::string());
    }

    /// Their difference has more than 64 bits, which is undefined.
    void stepsAreAnyTimeApart()
    {
        const RecordingSink sink = imported(smallReport(
            nvtxTable()
            + "INSERT INTO NVTX_EVENTS VALUES (-9000000000000000000, -8999999999999999900, 59, "
              "'step 1', 16777217, 0, NULL), (9000000000000000000, 9000000000000000100, 59, "
              "'step 2', 16777217, 0, NULL);"));
        QVERIFY(contains(sink.text(),
                         "iteration 1 of worker 0: -8999999999999000000..-8999999999998999900\n"
                         "iteration 2 of worker 0: 9000000000001000000..9000000000001000100\n"));
    }

    void aStepLastsUntilTheNextBegins()
    {
        const RecordingSink sink = imported(
            smallReport(nvtxTable()
                        + "INSERT INTO NVTX_EVENTS VALUES (0, 90, 59, 'step 1', 16777217, 0, NULL),"
                          "(100, 190, 59, 'step 2', 16777217, 0, NULL),"
                          "(500, 590, 59, 'step 3', 16777217, 0, NULL);"));
        QVERIFY(contains(sink.text(),
                         "iteration 1 of worker 0: 1000000..1000100\n"
                         "iteration 2 of worker 0: 1000100..1000190\n"
                         "iteration 3 of worker 0: 1000500..1000590\n"));
    }

    void ofSeveralLoopsTheTrainingStepsAreTheIterations()
    {
        const RecordingSink sink = imported(smallReport(
            nvtxTable()
            + "INSERT INTO NVTX_EVENTS VALUES (0, 100, 59, 'step_1', 16777217, 0, NULL),"
              "(100, 200, 59, 'step_2', 16777217, 0, NULL),"
              "(0, 50, 59, 'batch 1', 16777217, 0, NULL),"
              "(50, 100, 59, 'batch 2', 16777217, 0, NULL),"
              "(0, 300, 59, 'epoch 1', 16777217, 0, NULL),"
              "(0, 300, 59, 'step', 16777217, 0, NULL);"));
        QVERIFY(contains(sink.text(),
                         "iteration 1 of worker 0: 1000000..1000100\n"
                         "iteration 2 of worker 0: 1000100..1000200\n"));
        QVERIFY(!contains(sink.text(), "..1000050"));
    }

    void hostilePayloadsAreIgnored_data()
    {
        QTest::addColumn<QString>("entries");
        QTest::addColumn<QString>("payload");
        const QString header = QStringLiteral("03000000000000000700000000000000");
        QTest::newRow("short") << "(3, 7, 0, 18, 'Rank', 0)" << QStringLiteral("0300");
        QTest::newRow("size beyond the blob")
            << "(3, 7, 0, 18, 'Rank', 0)"
            << header + QStringLiteral("ffffffffffffffff2000000000000000aa");
        QTest::newRow("field beyond the payload")
            << "(3, 7, 0, 18, 'Rank', 9223372036854775807)"
            << header + QStringLiteral("08000000000000002000000000000000aaaaaaaaaaaaaaaa");
        QTest::newRow("unknown type before")
            << "(3, 7, 0, 99, 'x', NULL), (3, 7, 1, 18, 'Rank', NULL)"
            << header + QStringLiteral("08000000000000002000000000000000aaaaaaaaaaaaaaaa");
    }
    void hostilePayloadsAreIgnored()
    {
        QFETCH(QString, entries);
        QFETCH(QString, payload);
        const RecordingSink sink = imported(smallReport(
            nvtxTable()
            + "CREATE TABLE NVTX_PAYLOAD_SCHEMA_ENTRIES (domainId INTEGER, schemaId INTEGER, idx "
              "INTEGER, type INTEGER, name TEXT, offset INTEGER);"
              "INSERT INTO NVTX_PAYLOAD_SCHEMA_ENTRIES VALUES "
            + entries.toStdString()
            + ";INSERT INTO NVTX_EVENTS VALUES (0, 1, 59, 'ncclCommInitRank', 16777217, 0, x'"
            + payload.toStdString() + "');"));
        QCOMPARE(sink.sliceCount(), 2U);
        QVERIFY(!contains(sink.text(), "\"rank\""));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NsightImporterTest)
#include "tst_nsight_importer.moc"
