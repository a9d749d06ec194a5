#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/import/category_counts.h"
#include "core/import/nsight_importer.h"
#include "core/import/stored_file.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"
#include "tests/support/recording_sink.h"
#include "tests/support/sqlite_file.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <fstream>
#include <iterator>
#include <random>
#include <sstream>

using tests::MemoryEntry;
using tests::RecordingSink;
using tests::SqliteFile;

namespace {

const core::NsightImporter &importer()
{
    static const core::NsightImporter theImporter;
    return theImporter;
}

/// A sink with little memory.
class SmallSink : public RecordingSink
{
public:
    std::size_t importerBytes() const override { return 4096; }
};

RecordingSink importedFile(const std::filesystem::path &path, const core::JobControl &control = {})
{
    RecordingSink sink;
    importer().read(*core::openBundle({ path })->open(0), sink, control);
    return sink;
}

RecordingSink imported(const std::string &sql)
{
    return importedFile(SqliteFile(sql).path());
}

std::string contentsOf(const std::filesystem::path &path)
{
    std::ifstream file(path, std::ios::binary);
    return { std::istreambuf_iterator<char>(file), {} };
}

/// A report with one process and one kernel; `more` may add to it.
std::string smallReport(const std::string &more = {})
{
    return R"(
CREATE TABLE StringIds (id INTEGER NOT NULL PRIMARY KEY, value TEXT NOT NULL);
INSERT INTO StringIds VALUES (1, 'gemm');
CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs INTEGER);
INSERT INTO TARGET_INFO_SESSION_START_TIME VALUES (1000000);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER,
    contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,
    demangledName INTEGER);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (10, 20, 0, 1, 7, 1, 16777216, 1);
)" + more;
}

/// A kernel's row in smallReport().
std::string kernel(const std::string &process, const std::string &name = "1")
{
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (30, 40, 0, 1, 7, 2, " + process + ", "
        + name + ");";
}

/// 30000 more kernels for smallReport().
std::string manyKernels()
{
    return "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL "
           "SELECT "
           "i + 1 FROM n WHERE i < 30000) SELECT i, i + 1, 0, 1, 7, i, 16777216, 1 FROM n;";
}

std::string nvtxTable()
{
    return "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, "
           "globalTid INTEGER, domainId INTEGER, binaryData BLOB);";
}

bool contains(const std::string &text, const std::string &part)
{
    return text.find(part) != std::string::npos;
}

} // namespace

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

    void exportsAreRecognizedByTheirTables()
    {
        const SqliteFile report(smallReport());
        const std::string head = contentsOf(report.path()).substr(0, core::Importer::HeadSize);
        QVERIFY(importer().recognizes("x", head));
        const SqliteFile other("CREATE TABLE a (b INTEGER);");
        QVERIFY(!importer().recognizes("x.sqlite", contentsOf(other.path())));
        QVERIFY(!importer().recognizes("x", "TARGET_INFO_SESSION_START_TIME"));
        // The list of tables lies behind the head.
        std::string farTables = "SQLite format 3" + std::string(200, '\0');
        QVERIFY(importer().recognizes("report.sqlite.gz", farTables));
        QVERIFY(!importer().recognizes("history", farTables));
        farTables[71] = 'P'; // another program's mark
        QVERIFY(!importer().recognizes("report.sqlite", farTables));
    }

    void aPackedReportIsUnpackedAndRemoved()
    {
        const SqliteFile report(smallReport());
        MemoryEntry entry(contentsOf(report.path()), 1000);
        RecordingSink sink;
        importer().read(entry, sink, {});
        QCOMPARE(sink.text(), importedFile(report.path()).text());

        MemoryEntry again(contentsOf(report.path()));
        std::filesystem::path path;
        {
            core::Diagnostics diagnostics;
            const core::StoredFile stored(again, diagnostics, {});
            path = stored.path();
            QVERIFY(stored.isTemporary());
            QVERIFY(std::filesystem::exists(path));
        }
        QVERIFY(!std::filesystem::exists(path));
    }

    /// Killed imports left gigabytes in the folder for temporary files.
    void whatAKilledImportUnpackedIsRemovedByTheNext()
    {
        const QTemporaryDir folder;
        const QByteArray before = qgetenv("TMPDIR");
        qputenv("TMPDIR", folder.path().toUtf8());
        MemoryEntry entry(std::string(1000, 'x')), other(std::string(1000, 'y'));
        core::Diagnostics diagnostics;
        const core::StoredFile inUse(entry, diagnostics, {});
        const QString abandoned = folder.filePath(QStringLiteral(".longpole-unpacked-1a2b3c"));
        QVERIFY(QFile::copy(QString::fromStdString(inUse.path().string()), abandoned));
        {
            const core::StoredFile next(other, diagnostics, {});
            QVERIFY(!QFile::exists(abandoned));
            QVERIFY(std::filesystem::exists(inUse.path()));
            QVERIFY(std::filesystem::exists(next.path()));
        }
        before.isEmpty() ? qunsetenv("TMPDIR") : qputenv("TMPDIR", before);
    }

    void unpackingStopsBeforeTheDiskIsFull()
    {
        MemoryEntry entry(std::string(1000, 'x'));
        core::Diagnostics diagnostics;
        QVERIFY_THROWS_EXCEPTION(
            core::Error, core::StoredFile(entry, diagnostics, {}, std::uint64_t { 1 } << 62U));
    }

    void nothingIsCreatedBesideTheReport()
    {
        const SqliteFile report(smallReport(), "report 1?#%41.sqlite");
        const std::string before = contentsOf(report.path());
        QCOMPARE(importedFile(report.path()).sliceCount(), 1U);
        QCOMPARE(std::distance(std::filesystem::directory_iterator(report.folder()), {}), 1);
        QCOMPARE(contentsOf(report.path()), before);
    }

    /// Rows of an export that was killed lie beside it: they were left out without a word.
    void whatSqliteHasNotWrittenYetIsNamed()
    {
        const SqliteFile report(smallReport());
        const auto countOf = [&report] {
            RecordingSink sink = importedFile(report.path());
            const auto found = sink.diagnostics().list();
            return std::count_if(found.begin(), found.end(), [](const core::Diagnostic &one) {
                return one.code == "unwritten-rows" && contains(one.message, "wal_checkpoint");
            });
        };
        const auto writeBeside = [&report](const char *suffix, std::string_view content) {
            std::ofstream(report.path().string() + suffix, std::ios::binary) << content;
        };
        QCOMPARE(countOf(), 0);
        writeBeside("-wal", "");
        writeBeside("-journal", std::string(28, '\0')); // kept, but done
        QCOMPARE(countOf(), 0);
        writeBeside("-wal", "\x37\x7f\x06\x82 and frames");
        QCOMPARE(countOf(), 1);
        writeBeside("-journal", "\xd9\xd5\x05\xf9 and pages");
        QCOMPARE(countOf(), 1); // the code is counted once a file
    }

    void aReportWithoutTimelineIsRefused()
    {
        QVERIFY_THROWS_EXCEPTION(
            core::Error, imported("CREATE TABLE TARGET_INFO_SESSION_START_TIME (utcEpochNs);"));
        QVERIFY_THROWS_EXCEPTION(
            core::Error, imported("CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value);"));
        MemoryEntry text("SQLite format 3 but then something else");
        RecordingSink sink;
        QVERIFY_THROWS_EXCEPTION(core::Error, importer().read(text, sink, {}));
    }

    void ofACutOffReportTheBeginningIsRead()
    {
        const SqliteFile report(smallReport(manyKernels()));
        const std::string whole = contentsOf(report.path());
        MemoryEntry entry(whole.substr(0, whole.size() / 2));
        RecordingSink sink;
        importer().read(entry, sink, {});
        QVERIFY(sink.sliceCount() > 10'000);
        QVERIFY(sink.sliceCount() < 20'000);
        QVERIFY(contains(sink.diagnosticsText(), "damaged-table error"));

        MemoryEntry packed(whole.substr(0, whole.size() / 2), 100'000,
                           "the gzip data ends too early");
        RecordingSink unpacked;
        importer().read(packed, unpacked, {});
        QCOMPARE(unpacked.text(), sink.text());
        QVERIFY(contains(unpacked.diagnosticsText(), "unreadable-rest error 1"));

        MemoryEntry header(whole.substr(0, 4096));
        QVERIFY_THROWS_EXCEPTION(core::Error, importer().read(header, sink, {}));
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

    void damagedReportsCostWhatIsDamaged()
    {
        const SqliteFile report(tests::fileText("nsight/generated_two_ranks.sql"));
        const std::string whole = contentsOf(report.path());
        std::mt19937 random(1);
        int readable = 0;
        for (int variant = 0; variant < 200; ++variant) {
            std::string damaged = whole;
            for (int i = 0; i < 20; ++i)
                damaged[100 + random() % (damaged.size() - 100)] = static_cast<char>(random());
            MemoryEntry entry(std::move(damaged));
            RecordingSink sink;
            try {
                importer().read(entry, sink, {});
                ++readable;
            } catch (const core::Error &) { // the list of tables is damaged
            }
        }
        QVERIFY(readable > 0);
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

QTEST_GUILESS_MAIN(NsightImporterTest)
#include "tst_nsight_importer.moc"
