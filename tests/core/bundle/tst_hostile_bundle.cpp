#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/bundle/zip_archive.h"
#include "tests/support/archive_files.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstring>
#include <random>

using core::openBundle;

namespace {

struct Outcome
{
    quint64 size = 0;
    std::string error; ///< empty: read to the end
};

/// Reads in blocks of 1 MiB and compares with the repetitions of `expected`; nothing to compare if
/// it is empty.
Outcome readThrough(core::BundleEntry &entry, const QByteArray &expected)
{
    Outcome outcome;
    std::vector<char> block(std::size_t { 1 } << 20U);
    try {
        while (const std::size_t count = entry.read(block)) {
            for (std::size_t i = 0; i < count && !expected.isEmpty();) {
                const auto place = static_cast<qsizetype>((outcome.size + i)
                                                          % static_cast<quint64>(expected.size()));
                const std::size_t piece
                    = std::min(count - i, static_cast<std::size_t>(expected.size() - place));
                if (std::memcmp(block.data() + i, expected.data() + place, piece) != 0)
                    throw std::runtime_error("wrong bytes");
                i += piece;
            }
            outcome.size += count;
        }
    } catch (const core::Error &error) {
        outcome.error = error.what();
    }
    return outcome;
}

bool contains(const std::string &text, const char *part)
{
    return text.find(part) != std::string::npos;
}

/// Lines as a trace has them: they shrink about 70 times.
QByteArray repetitiveText()
{
    QByteArray text;
    for (int i = 0; text.size() < 1024 * 1024; ++i)
        text += "{\"ph\":\"X\",\"name\":\"aten::add\",\"ts\":" + QByteArray::number(i / 8) + "},\n";
    return text;
}

} // namespace

/// Archives that are damaged, cut, enormous or made with bad intent.
class HostileBundleTest : public QObject
{
    Q_OBJECT

private:
    QTemporaryDir m_dir;

    QString path(const QString &name) const { return m_dir.filePath(name); }

    std::unique_ptr<core::Bundle> open(const QString &name) const
    {
        return openBundle({ path(name).toStdString() });
    }

    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }

    /// Names of the items without the archive's.
    QStringList members(const QString &archive) const
    {
        QStringList names;
        const auto bundle = open(archive);
        for (const core::BundleItem &item : bundle->items())
            names << QString::fromStdString(item.name).mid(path(archive).size() + 1);
        return names;
    }

    /// An archive whose directory lists its only member so many times.
    void writeListedAgain(const QString &name, const QByteArray &content, int times) const
    {
        tests::writeZip(path(name), { { QStringLiteral("m.json"), content } });
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QByteArray stored = file.readAll();
        file.close();
        const qsizetype directory = stored.lastIndexOf(QByteArray("PK\x01\x02", 4));
        const qsizetype end = stored.lastIndexOf(QByteArray("PK\x05\x06", 4));
        const QByteArray record = stored.mid(directory, end - directory);
        QByteArray tail = stored.mid(end);
        const auto set = [&tail](qsizetype at, int bytes, qsizetype value) {
            for (int i = 0; i < bytes; ++i)
                tail[at + i] = static_cast<char>(value >> (8 * i));
        };
        for (const qsizetype countAt : { 8, 10 })
            set(countAt, 2, std::min(times, 0xffff));
        set(12, 4, record.size() * times);
        write(name, stored.left(directory) + record.repeated(times) + tail);
    }

private slots:
    void aFlippedBitCostsNothingBeforeIt_data()
    {
        QTest::addColumn<bool>("isZip");
        QTest::newRow("gzip") << false;
        QTest::newRow("zip") << true;
    }

    /// What comes before the damage (less what the damaged block's codes spoil) is given out, as
    /// much as was stored before it.
    void aFlippedBitCostsNothingBeforeIt()
    {
        QFETCH(bool, isZip);
        const QByteArray text = tests::noise(2000000);
        const QString name = isZip ? QStringLiteral("flip.zip") : QStringLiteral("flip.gz");
        if (isZip)
            tests::writeZip(path(name), { { QStringLiteral("m.json"), text } });
        else
            write(name, tests::gzip(text));
        QFile whole(path(name));
        QVERIFY(whole.open(QIODevice::ReadOnly));
        const QByteArray stored = whole.readAll();
        std::mt19937 random(7);
        for (int turn = 0; turn < 40; ++turn) {
            const auto place = static_cast<qsizetype>(1000 + random() % (stored.size() - 2000));
            QByteArray damaged = stored;
            damaged[place] = static_cast<char>(damaged[place] ^ (1 << random() % 8));
            write(name, damaged);
            const auto entry = open(name)->open(0);
            QByteArray got;
            std::string error;
            std::vector<char> block(100000);
            try {
                while (const std::size_t count = entry->read(block))
                    got.append(block.data(), static_cast<qsizetype>(count));
            } catch (const core::Error &thrown) {
                error = thrown.what();
            }
            QVERIFY2(contains(error, "damaged"), error.c_str());
            const auto same = std::mismatch(got.begin(), got.end(), text.begin(), text.end());
            const double intact = static_cast<double>(same.first - got.begin());
            const double before = static_cast<double>(place) / static_cast<double>(stored.size());
            QVERIFY2(intact >= before * 0.99 * static_cast<double>(text.size()) - 2000,
                     qPrintable(QStringLiteral("byte %1: %2 intact").arg(place).arg(intact)));
        }
    }

    void aDamagedZipMemberGivesWhatItHolds()
    {
        const QByteArray text = tests::noise(1000000);
        tests::writeZip(path(QStringLiteral("cut.zip")), { { QStringLiteral("m.json"), text } });
        QFile file(path(QStringLiteral("cut.zip")));
        QVERIFY(file.open(QIODevice::ReadWrite));
        file.seek(file.size() / 2);
        file.write(QByteArray(1000, '\0'));
        file.close();
        const Outcome outcome = readThrough(*open(QStringLiteral("cut.zip"))->open(0), {});
        QVERIFY2(contains(outcome.error, "cut.zip/m.json"), outcome.error.c_str());
        QVERIFY(outcome.size > 400000);
    }

    void aCutArchiveGivesWhatIsBeforeTheCut_data()
    {
        QTest::addColumn<bool>("sizesFollow");
        QTest::newRow("sizes in front") << false;
        QTest::newRow("sizes behind the data") << true;
    }

    /// Four ranks of one size, cut at 60 %: two are whole, the third is read as far as it goes.
    void aCutArchiveGivesWhatIsBeforeTheCut()
    {
        QFETCH(bool, sizesFollow);
        const QByteArray text = tests::noise(300000);
        std::vector<std::pair<QString, QByteArray>> ranks;
        for (int rank = 0; rank < 4; ++rank)
            ranks.emplace_back(QStringLiteral("run/rank%1.json").arg(rank), text);
        QFile file(path(QStringLiteral("cut60.zip")));
        tests::writeZip(file.fileName(), ranks);
        QVERIFY(file.open(QIODevice::ReadWrite));
        if (sizesFollow) {
            QByteArray stored = file.readAll();
            tests::hideSizes(stored);
            file.seek(0);
            file.write(stored);
        }
        QVERIFY(file.resize(file.size() * 6 / 10));
        file.close();

        const auto bundle = open(QStringLiteral("cut60.zip"));
        QCOMPARE(members(QStringLiteral("cut60.zip")),
                 QStringList({ QStringLiteral("run/rank0.json"), QStringLiteral("run/rank1.json"),
                               QStringLiteral("run/rank2.json") }));
        QCOMPARE(bundle->diagnostics().list().size(), std::size_t { 1 });
        QCOMPARE(bundle->diagnostics().list().front().code, std::string("damaged-archive"));
        for (std::size_t rank = 0; rank < 3; ++rank) {
            const Outcome outcome = readThrough(*bundle->open(rank), text);
            QCOMPARE(outcome.error.empty(), rank < 2);
            QVERIFY(rank < 2 ? outcome.size == 300000 : outcome.size > 100000);
        }
    }

    /// All of a streamed archive is inflated to find its members; that could not be interrupted.
    void listingACutArchiveTellsItsProgressAndCanBeCancelled()
    {
        QByteArray stored;
        {
            QFile file(path(QStringLiteral("listed.zip")));
            tests::writeZip(file.fileName(),
                            { { QStringLiteral("rank0.json"), tests::noise(3'000'000) } });
            QVERIFY(file.open(QIODevice::ReadOnly));
            stored = file.readAll();
        }
        tests::hideSizes(stored);
        stored.chop(stored.size() / 10);
        write(QStringLiteral("listed.zip"), stored);
        std::vector<double> told;
        bool isCancelled = false;
        const core::JobControl control([&] { return isCancelled; },
                                       [&](double fraction, std::string_view stage) {
                                           QVERIFY(stage.ends_with("listed.zip"));
                                           told.push_back(fraction);
                                       });
        const std::string archive = path(QStringLiteral("listed.zip")).toStdString();
        openBundle({ archive }, control);
        QVERIFY(told.size() > 4);
        QVERIFY(std::is_sorted(told.begin(), told.end()));
        QVERIFY(told.back() > 0.8 && told.back() <= 1);
        isCancelled = true;
        QVERIFY_THROWS_EXCEPTION(core::Cancelled, openBundle({ archive }, control));
    }

    void anArchiveWithoutAWholeHeaderIsRefused()
    {
        write(QStringLiteral("head.zip"), QByteArray("PK\x03\x04", 4) + QByteArray(20, '\0'));
        QVERIFY_THROWS_EXCEPTION(core::Error, open(QStringLiteral("head.zip")));
    }

    void sizesPast4GiBAreRead()
    {
        const QByteArray block = repetitiveText();
        const tests::RepeatedDeflate data = tests::repeatDeflate(block, 4200);
        QVERIFY(data.size > 0x100000000U);
        write(QStringLiteral("large.gz"), tests::asGzip(data));
        Outcome outcome = readThrough(*open(QStringLiteral("large.gz"))->open(0), block);
        QCOMPARE(outcome.error, std::string());
        QCOMPARE(outcome.size, data.size);

        QuaZip zip(path(QStringLiteral("large.zip")));
        zip.setZip64Enabled(true);
        QVERIFY(zip.open(QuaZip::mdCreate));
        QuaZipFile file(&zip);
        QuaZipNewInfo info(QStringLiteral("large.json"));
        info.uncompressedSize = data.size;
        const bool isRaw = true;
        QVERIFY(file.open(QIODevice::WriteOnly, info, nullptr, data.crc, Z_DEFLATED,
                          Z_DEFAULT_COMPRESSION, isRaw));
        file.write(data.deflated);
        file.close();
        zip.close();
        outcome = readThrough(*open(QStringLiteral("large.zip"))->open(0), block);
        QCOMPARE(outcome.error, std::string());
        QCOMPARE(outcome.size, data.size);
    }

    void aBombIsStoppedAfterAGibibyte()
    {
        const QByteArray zeros(1024 * 1024, '\0');
        write(QStringLiteral("bomb.gz"), tests::asGzip(tests::repeatDeflate(zeros, 3000)));
        const Outcome outcome = readThrough(*open(QStringLiteral("bomb.gz"))->open(0), zeros);
        QVERIFY2(contains(outcome.error, "made to fill memory or disk"), outcome.error.c_str());
        QVERIFY(outcome.size >= 1U << 30U && outcome.size < (1U << 30U) + (8U << 20U));
    }

    void namesThatLeaveTheArchiveAreShownWithoutIt()
    {
        tests::writeZip(path(QStringLiteral("evil.zip")),
                        { { QStringLiteral("../../etc/a.json"), "a" },
                          { QStringLiteral("/root.json"), "b" },
                          { QStringLiteral("C:\\Windows\\c.json"), "c" } });
        QCOMPARE(members(QStringLiteral("evil.zip")),
                 QStringList({ QStringLiteral("Windows/c.json"), QStringLiteral("etc/a.json"),
                               QStringLiteral("root.json") }));
        const Outcome outcome = readThrough(*open(QStringLiteral("evil.zip"))->open(1), "a");
        QCOMPARE(outcome.size, 1U);
        QCOMPARE(QDir(m_dir.path()).entryList({ QStringLiteral("*.json") }).size(), 0);
    }

    void aStoredNameIsMadeSafe_data()
    {
        QTest::addColumn<QByteArray>("stored");
        QTest::addColumn<QByteArray>("safe");
        QTest::newRow("plain") << QByteArray("run/rank0.json") << QByteArray("run/rank0.json");
        QTest::newRow("up") << QByteArray("a/../../b") << QByteArray("a/b");
        QTest::newRow("only dots") << QByteArray("../..") << QByteArray("unnamed");
        QTest::newRow("empty") << QByteArray() << QByteArray("unnamed");
        QTest::newRow("NUL") << QByteArray("a\0b", 3) << QByteArray("a_b");
        QTest::newRow("escape") << QByteArray("a\x1b[31mb\n") << QByteArray("a_[31mb_");
        QTest::newRow("escape of 8 bits") << QByteArray("a\xc2\x9b"
                                                        "31mb")
                                          << QByteArray("a_31mb");
        QTest::newRow("backwards") << QByteArray("a\xe2\x80\xae"
                                                 "b")
                                   << QByteArray("a_b");
        QTest::newRow("invisible") << QByteArray("a\xe2\x80\x8b"
                                                 "b")
                                   << QByteArray("a_b");
        QTest::newRow("invisible, of 4 bytes") << QByteArray("a\xf3\xa0\x81\x81"
                                                             "b")
                                               << QByteArray("a_b");
        QTest::newRow("line separator") << QByteArray("a\xe2\x80\xa8"
                                                      "b")
                                        << QByteArray("a_b");
        QTest::newRow("long") << QByteArray(65'000, 'd') + "/rank0.json"
                              << "\u2026" + QByteArray(4096 - 11, 'd') + "/rank0.json";
        QTest::newRow("long, within a character") << QByteArray("\xc3\xa9").repeated(3000)
                + 'x' << "\u2026" + QByteArray("\xc3\xa9").repeated(2047) + 'x';
        QTest::newRow("drive") << QByteArray("c:x.json") << QByteArray("x.json");
        QTest::newRow("share") << QByteArray("\\\\host\\x") << QByteArray("host/x");
        QTest::newRow("no UTF-8") << QByteArray("\xff.json") << QByteArray("\xef\xbf\xbd.json");
    }

    void aStoredNameIsMadeSafe()
    {
        QFETCH(QByteArray, stored);
        QFETCH(QByteArray, safe);
        QCOMPARE(core::safeMemberName(stored.toStdString()), safe.toStdString());
    }

    void membersOfOneNameAreToldApart()
    {
        tests::writeZip(path(QStringLiteral("same.zip")),
                        { { QStringLiteral("a.json"), "1" },
                          { QStringLiteral("a.json"), "2" },
                          { QStringLiteral("a.json (2)"), "3" },
                          { QStringLiteral("a.json"), "4" } });
        QCOMPARE(members(QStringLiteral("same.zip")),
                 QStringList({ QStringLiteral("a.json"), QStringLiteral("a.json (2)"),
                               QStringLiteral("a.json (2) (2)"), QStringLiteral("a.json (3)") }));
        const auto bundle = open(QStringLiteral("same.zip"));
        QCOMPARE(readThrough(*bundle->open(0), "1").size, 1U);
        QCOMPARE(readThrough(*bundle->open(1), "2").size, 1U);
        QCOMPARE(readThrough(*bundle->open(3), "4").size, 1U);
    }

    // Of half a megabyte, 100 such members were unpacked to 16 MB each.
    void membersThatShareTheirBytesAreReadOnce()
    {
        const QByteArray text = tests::noise(50000);
        writeListedAgain(QStringLiteral("shared.zip"), text, 3);
        const auto bundle = open(QStringLiteral("shared.zip"));
        QCOMPARE(bundle->items().size(), std::size_t { 1 });
        QCOMPARE(readThrough(*bundle->open(0), text).size, 50000U);
        const core::Diagnostic told = bundle->diagnostics().list().at(0);
        QCOMPARE(told.code, std::string("damaged-archive"));
        QVERIFY2(contains(told.message, "members overlap"), told.message.c_str());
    }

    void aDirectoryIsReadUpToABound()
    {
        writeListedAgain(QStringLiteral("many.zip"), "",
                         static_cast<int>(core::zip::MostMembers) + 1);
        const auto bundle = open(QStringLiteral("many.zip"));
        QCOMPARE(bundle->items().size(), std::size_t { 1 });
        const core::Diagnostic told = bundle->diagnostics().list().at(0);
        QVERIFY2(contains(told.message, "lists more than 100000 files"), told.message.c_str());
    }

    void listingAWholeArchiveCanBeCancelled()
    {
        tests::writeZip(path(QStringLiteral("whole.zip")), { { QStringLiteral("m.json"), "m" } });
        const core::JobControl cancelled([] { return true; }, [](double, std::string_view) {});
        QVERIFY_THROWS_EXCEPTION(
            core::Cancelled,
            openBundle({ path(QStringLiteral("whole.zip")).toStdString() }, cancelled));
    }

    void anEncryptedMemberIsNamed()
    {
        tests::writeZip(path(QStringLiteral("locked.zip")),
                        { { QStringLiteral("m.json"), "text" } }, "password");
        try {
            open(QStringLiteral("locked.zip"))->open(0);
            QFAIL("no error");
        } catch (const core::Error &error) {
            QVERIFY2(contains(error.what(), "locked.zip/m.json"), error.what());
            QVERIFY2(contains(error.what(), "is encrypted"), error.what());
        }
    }

    /// 100,000 members: listed and opened in linear time (the bound is generous for slow machines).
    void manyMembersTakeLinearTime()
    {
        std::vector<std::pair<QString, QByteArray>> content;
        for (int i = 0; i < 100000; ++i)
            content.emplace_back(QStringLiteral("r/%1.json").arg(i), "x");
        tests::writeZip(path(QStringLiteral("many.zip")), content);
        QElapsedTimer timer;
        timer.start();
        const auto bundle = open(QStringLiteral("many.zip"));
        QCOMPARE(bundle->items().size(), 100000U);
        for (std::size_t i = 0; i < 100000; i += 100)
            QCOMPARE(readThrough(*bundle->open(i), "x").size, 1U);
        QVERIFY2(timer.elapsed() < 30000, qPrintable(QString::number(timer.elapsed())));
    }

    void anEntryThatIsDroppedHalfReadStopsItsThread()
    {
        write(QStringLiteral("drop.gz"), tests::asGzip(tests::repeatDeflate(repetitiveText(), 50)));
        const auto bundle = open(QStringLiteral("drop.gz"));
        for (std::size_t size : { 1U, 300U * 1024, 2048U * 1024 }) {
            const auto entry = bundle->open(0);
            std::vector<char> block(size);
            QCOMPARE(entry->read(block), std::min<std::size_t>(size, 256U * 1024));
            entry->read(block);
        }
    }
};

QTEST_GUILESS_MAIN(HostileBundleTest)
#include "tst_hostile_bundle.moc"
