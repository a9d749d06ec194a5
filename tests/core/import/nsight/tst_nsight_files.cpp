#include "core/base/error.h"
#include "core/import/stored_file.h"
#include "tests/core/import/nsight/nsight_text.h"
#include "tests/support/golden_text.h"
#include "tests/support/memory_entry.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>

using tests::contains;
using tests::contentsOf;
using tests::imported;
using tests::importedFile;
using tests::importer;
using tests::manyKernels;
using tests::MemoryEntry;
using tests::RecordingSink;
using tests::smallReport;
using tests::SqliteFile;

/// Reports as files: packed, cut, damaged, unfinished, or none.
class NsightFilesTest : public QObject
{
    Q_OBJECT

private slots:
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

    /// SQLite leaves a log whose pages it has written, while a program has the database open.
    void aLogThatIsInTheDatabaseIsNotNamed()
    {
        const SqliteFile report(smallReport());
        const auto names
            = [](RecordingSink sink) { return contains(sink.diagnosticsText(), "unwritten-rows"); };
        core::Database db(report.path(), core::OpenMode::ReadWrite);
        QVERIFY(db.tryExecute("PRAGMA journal_mode = WAL"));
        QVERIFY(db.tryExecute("PRAGMA wal_autocheckpoint = 0"));
        db.execute("CREATE TABLE more (number); INSERT INTO more VALUES (1)");
        QVERIFY(std::filesystem::file_size(report.path().string() + "-wal") > 0);
        QVERIFY(names(importedFile(report.path())));
        db.execute("PRAGMA wal_checkpoint(FULL)");
        QVERIFY(std::filesystem::file_size(report.path().string() + "-wal") > 0);
        QVERIFY(!names(importedFile(report.path())));
        db.execute("INSERT INTO more VALUES (2)"); // at the log's start, with another salt
        QVERIFY(names(importedFile(report.path())));
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
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(NsightFilesTest)
#include "tst_nsight_files.moc"
