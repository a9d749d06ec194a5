#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "scratch_folder.h"
#include "tests/support/archive_files.h"

#include <QDir>
#include <QFile>
#include <QTest>

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <limits>

using core::openBundle;
using tests::gzip;
using tests::noise;
using tests::writeZip;

namespace {

/// Everything of an entry, in blocks of an awkward size; what was thrown goes to `error`.
QByteArray readAll(core::BundleEntry &entry, std::string *error = nullptr)
{
    QByteArray all;
    std::vector<char> block(7);
    try {
        while (const std::size_t count = entry.read(block))
            all.append(block.data(), static_cast<qsizetype>(count));
    } catch (const core::Error &e) {
        if (error == nullptr)
            throw;
        *error = e.what();
    }
    return all;
}

} // namespace

class BundleTest : public QObject, private tests::ScratchFolder
{
    Q_OBJECT

private slots:
    void aFolderListsItsFilesInNaturalOrderWithoutHiddenOnes()
    {
        write(QStringLiteral("run/rank10.json"), "10");
        write(QStringLiteral("run/rank2.json"), "2");
        write(QStringLiteral("run/.hidden.json"), "h");
        write(QStringLiteral("run/.git/x.json"), "h");
        write(QStringLiteral("run/sub/a.json"), "a");
        const auto bundle = openBundle({ fsPath(QStringLiteral("run")) });
        QCOMPARE(names(*bundle).join(QLatin1Char(' ')),
                 QStringLiteral("run/rank2.json run/rank10.json run/sub/a.json"));
        QCOMPARE(bundle->items()[1].storedSize, 2U);
        QCOMPARE(readAll(*bundle->open(1)), QByteArray("10"));
    }

    // Raw bytes and an escape sequence came into the project, and from there onto the terminal.
    void namesAreShownAsText()
    {
        const std::filesystem::path folder = fsPath(QStringLiteral("raw"));
        std::filesystem::create_directory(folder);
        for (const char *name : { "rank0_\xff\x1b[31m.json", "rank0_\xfe\x1b[31m.json" })
            std::ofstream(folder / name) << (name[6] == '\xff' ? "later" : "first");
        const auto bundle = openBundle({ folder });
        const QString shown = QStringLiteral("raw/rank0_\uFFFD_[31m.json");
        QCOMPARE(names(*bundle), QStringList({ shown, shown + QStringLiteral(" (2)") }));
        QCOMPARE(readAll(*bundle->open(0)), QByteArray("first"));
        QCOMPARE(readAll(*bundle->open(1)), QByteArray("later"));
        const auto entry = bundle->open(0);
        std::filesystem::remove(folder / "rank0_\xfe\x1b[31m.json");
        const std::string told = entry->changesSinceListed().list().at(0).file;
        QVERIFY2(told.ends_with(shown.toStdString()), told.c_str());
    }

    // An archive beside an intact path was called damaged: QuaZip looked for another file.
    void anArchiveMayLieUnderAnyBytes()
    {
        const QString written = path(QStringLiteral("plain.zip"));
        tests::writeZip(written, { { QStringLiteral("rank0.json"), "0" } });
        const std::filesystem::path folder = fsPath(QStringLiteral("f")).string() + "\xff\xe9";
        std::filesystem::create_directory(folder);
        std::filesystem::rename(written.toStdString(), folder / "caf\xe9.zip");
        for (const std::filesystem::path &input : { folder, folder / "caf\xe9.zip" }) {
            const auto bundle = openBundle({ input });
            QVERIFY(bundle->diagnostics().list().empty());
            QCOMPARE(bundle->items().size(), 1U);
            QVERIFY(bundle->items()[0].name.ends_with("caf\xef\xbf\xbd.zip/rank0.json"));
            QCOMPARE(readAll(*bundle->open(0)), QByteArray("0"));
        }
        std::filesystem::remove_all(folder); // QTemporaryDir cannot
    }

    void aFileNamedTwiceIsListedOnce()
    {
        write(QStringLiteral("twice/a.json"), "a");
        const auto bundle = openBundle(
            { fsPath(QStringLiteral("twice/a.json")), fsPath(QStringLiteral("twice")) });
        QCOMPARE(bundle->items().size(), 1U);
    }

    /// Its own change was told, those of the files that are read beside it were not.
    void aFileThatChangedBesideTheEntryIsNamed()
    {
        for (const char *name : { "a.json", "names.json", "other.json" })
            write(QStringLiteral("beside/") + QLatin1String(name), "text");
        const auto bundle = openBundle({ fsPath(QStringLiteral("beside")) });
        const auto entry = bundle->open(0);
        const auto names = entry->openOther("names.json");
        QVERIFY(entry->changesSinceListed().list().empty());
        write(QStringLiteral("beside/names.json"), "longer text");
        write(QStringLiteral("beside/other.json"), "not read with it");
        const std::vector<core::Diagnostic> changes = entry->changesSinceListed().list();
        QCOMPARE(changes.size(), 1U);
        QCOMPARE(changes[0].code, "file-changed");
        QCOMPARE(changes[0].file, fsPath(QStringLiteral("beside/names.json")).string());
        QCOMPARE(names->openOther("a.json")->changesSinceListed().list().size(), 1U);
    }

    /// Its nanoseconds did not fit into 64 bits.
    void aFileOfAnImpossibleTimeIsTold()
    {
        constexpr std::time_t Year2400 = 13'569'465'600;
        write(QStringLiteral("late/a.json"), "text");
        write(QStringLiteral("late/b.json"), "text");
        const std::string late = fsPath(QStringLiteral("late/a.json")).string();
        const std::array<timespec, 2> times { timespec { Year2400, 0 }, timespec { Year2400, 0 } };
        QCOMPARE(::utimensat(AT_FDCWD, late.c_str(), times.data(), 0), 0);
        const auto bundle = openBundle({ fsPath(QStringLiteral("late")) });
        QCOMPARE(bundle->items().size(), 2U);
        QCOMPARE(bundle->items()[0].modifiedNs, std::numeric_limits<std::int64_t>::max());
        const std::vector<core::Diagnostic> told = bundle->diagnostics().list();
        QCOMPARE(told.size(), 1U);
        QCOMPARE(told[0].code, "impossible-file-time");
        QCOMPARE(told[0].file, late);
        QVERIFY(bundle->open(0)->changesSinceListed().list().empty());
    }

    void gzipIsUndoneWhateverTheFileIsCalled()
    {
        const QByteArray text = noise(100000);
        write(QStringLiteral("plain_name.json"), gzip(text));
        const auto bundle = openBundle({ fsPath(QStringLiteral("plain_name.json")) });
        const auto entry = bundle->open(0);
        QCOMPARE(readAll(*entry), text);
        QCOMPARE(entry->progress(), 1.0);
        QCOMPARE(entry->tail(10), text.last(10).toStdString());
    }

    void concatenatedGzipMembersAreReadAsOne()
    {
        write(QStringLiteral("two.gz"), gzip("first ") + gzip("second") + QByteArray(512, '\0'));
        const auto bundle = openBundle({ fsPath(QStringLiteral("two.gz")) });
        QCOMPARE(readAll(*bundle->open(0)), QByteArray("first second"));
    }

    void aCutGzipGivesWhatItHoldsAndThenThrowsWithThePosition()
    {
        const QByteArray text = noise(300000);
        const QByteArray stored = gzip(text);
        write(QStringLiteral("cut.gz"), stored.first(stored.size() / 2));
        const auto entry = openBundle({ fsPath(QStringLiteral("cut.gz")) })->open(0);
        std::string error;
        const QByteArray got = readAll(*entry, &error);
        QVERIFY(got.size() > text.size() / 3);
        QVERIFY(text.startsWith(got));
        QVERIFY2(
            error.find("cut.gz (byte " + std::to_string(got.size()) + " of the uncompressed data)")
                != std::string::npos,
            error.c_str());
        QVERIFY2(error.find("ends too early") != std::string::npos, error.c_str());
    }

    void otherBytesAfterGzipDataAreReported()
    {
        write(QStringLiteral("tail.gz"), gzip("all") + "garbage");
        std::string error;
        const auto entry = openBundle({ fsPath(QStringLiteral("tail.gz")) })->open(0);
        QCOMPARE(readAll(*entry, &error), QByteArray("all"));
        QVERIFY2(error.find("follow other bytes") != std::string::npos, error.c_str());
    }

    void membersOfAZipAreStreamedWithGzipInsideUndone()
    {
        writeZip(path(QStringLiteral("b.zip")),
                 { { QStringLiteral("run/rank10.json"), "ten" },
                   { QStringLiteral("run/rank2.json.gz"), gzip("two") },
                   { QStringLiteral("__MACOSX/x.json"), "junk" } });
        const auto bundle = openBundle({ fsPath(QStringLiteral("b.zip")) });
        QCOMPARE(names(*bundle).join(QLatin1Char(' ')),
                 QStringLiteral("b.zip/run/rank2.json.gz b.zip/run/rank10.json"));
        QCOMPARE(readAll(*bundle->open(0)), QByteArray("two"));
        QCOMPARE(readAll(*bundle->open(1)), QByteArray("ten"));
        QCOMPARE(bundle->open(0)->tail(2), std::string("wo"));
    }

    void aFingerprintTellsContentsOfOneSizeApart()
    {
        QByteArray text = noise(300000);
        const auto ofFile = [&] {
            write(QStringLiteral("print.json"), text);
            return openBundle({ fsPath(QStringLiteral("print.json")) })->fingerprint(0);
        };
        const auto ofMember = [&] {
            writeZip(path(QStringLiteral("print.zip")), { { QStringLiteral("in.json"), text } });
            return openBundle({ fsPath(QStringLiteral("print.zip")) })->fingerprint(0);
        };
        const std::string file = ofFile(), member = ofMember();
        QCOMPARE(ofFile(), file);
        QCOMPARE(ofMember(), member);
        for (const qsizetype place : { qsizetype { 0 }, text.size() / 2, text.size() - 1 }) {
            text[place] = static_cast<char>(text[place] + 1);
            QVERIFY(ofFile() != file);
            QVERIFY(ofMember() != member);
        }
    }

    void aZipInAFolderIsLookedInto()
    {
        write(QStringLiteral("mixed/a.json"), "a");
        writeZip(path(QStringLiteral("mixed/z.zip")), { { QStringLiteral("in.json"), "in" } });
        const auto bundle = openBundle({ fsPath(QStringLiteral("mixed")) });
        QCOMPARE(names(*bundle).join(QLatin1Char(' ')),
                 QStringLiteral("mixed/a.json mixed/z.zip/in.json"));
        QCOMPARE(readAll(*bundle->open(1)), QByteArray("in"));
    }

    void aDamagedZipIsRefusedByName()
    {
        write(QStringLiteral("bad.zip"), QByteArray("PK\3\4") + noise(100));
        try {
            openBundle({ fsPath(QStringLiteral("bad.zip")) });
            QFAIL("no error");
        } catch (const core::Error &error) {
            const std::string text = error.what();
            QVERIFY2(text.find("bad.zip: the zip archive ") != std::string::npos, text.c_str());
            QVERIFY2(text.find("Copy it again") != std::string::npos, text.c_str());
        }
    }

    void aCutZipMemberGivesAnError()
    {
        writeZip(path(QStringLiteral("flip.zip")), { { QStringLiteral("m.json"), noise(50000) } });
        QFile file(path(QStringLiteral("flip.zip")));
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.seek(2000);
        file.write(QByteArray(500, '\xff'));
        file.close();
        std::string error;
        readAll(*openBundle({ fsPath(QStringLiteral("flip.zip")) })->open(0), &error);
        QVERIFY2(error.find("flip.zip/m.json") != std::string::npos, error.c_str());
    }

    void aMissingPathIsNamed()
    {
        try {
            openBundle({ fsPath(QStringLiteral("nowhere/x.json")) });
            QFAIL("no error");
        } catch (const core::Error &error) {
            QVERIFY(std::string(error.what()).find("nowhere/x.json: does not exist. Check")
                    != std::string::npos);
        }
    }

    void anEmptyFileHasNoBytes()
    {
        write(QStringLiteral("empty.json"), {});
        const auto entry = openBundle({ fsPath(QStringLiteral("empty.json")) })->open(0);
        QCOMPARE(readAll(*entry), QByteArray());
        QCOMPARE(entry->tail(10), std::string());
    }

    void theTailOfAPlainFileDoesNotMoveTheReader()
    {
        write(QStringLiteral("t.json"), "0123456789");
        const auto entry = openBundle({ fsPath(QStringLiteral("t.json")) })->open(0);
        std::vector<char> three(3);
        QCOMPARE(entry->read(three), 3U);
        QCOMPARE(entry->tail(4), std::string("6789"));
        QCOMPARE(entry->tail(40), std::string("0123456789"));
        QCOMPARE(readAll(*entry), QByteArray("3456789"));
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(BundleTest)
#include "tst_bundle.moc"
