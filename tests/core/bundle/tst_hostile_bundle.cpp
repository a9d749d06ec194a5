#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/bundle/zip_archive.h"
#include "read_through.h"
#include "scratch_folder.h"
#include "tests/support/archive_files.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <algorithm>
#include <random>

using core::openBundle;
using tests::contains;
using tests::Outcome;
using tests::readThrough;

namespace {

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
class HostileBundleTest : public QObject, private tests::ScratchFolder
{
    Q_OBJECT

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

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HostileBundleTest)
#include "tst_hostile_bundle.moc"
