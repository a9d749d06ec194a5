#include "core/base/error.h"
#include "core/bundle/bundle.h"
#include "core/bundle/zip_archive.h"
#include "read_through.h"
#include "scratch_folder.h"
#include "tests/support/archive_files.h"

#include <QElapsedTimer>
#include <QFile>
#include <QTest>

#include <algorithm>

using core::openBundle;
using tests::contains;
using tests::Outcome;
using tests::readThrough;

/// Archives whose directory is enormous, or names what it should not.
class HostileDirectoryTest : public QObject, private tests::ScratchFolder
{
    Q_OBJECT

private:
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

    /// It was said to be cut or damaged.
    void anArchiveOfNothingIsEmpty()
    {
        QByteArray end("PK\x05\x06", 4);
        end.append(QByteArray(18, '\0'));
        write(QStringLiteral("empty.zip"), end);
        const auto bundle = openBundle({ fsPath(QStringLiteral("empty.zip")) });
        QVERIFY(bundle->items().empty());
        QVERIFY(bundle->diagnostics().list().empty());
        end[10] = 1; // lists a member that is not there
        write(QStringLiteral("lost.zip"), end);
        QVERIFY_THROWS_EXCEPTION(core::Error, openBundle({ fsPath(QStringLiteral("lost.zip")) }));
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
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(HostileDirectoryTest)
#include "tst_hostile_directory.moc"
