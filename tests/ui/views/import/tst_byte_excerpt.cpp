#include "core/base/error.h"
#include "tests/support/archive_files.h"
#include "ui/views/import/byte_excerpt.h"

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

ByteExcerpt excerptOf(const std::string &bytes, std::uint64_t start, std::uint64_t offset)
{
    ByteExcerpt excerpt;
    excerpt.start = start;
    excerpt.offset = offset;
    excerpt.bytes = bytes;
    return excerpt;
}

QString marked(const ShownExcerpt &shown)
{
    return shown.text.mid(shown.markStart, shown.markLength);
}

} // namespace

/// Finding a file of the input again, and looking at a place in it.
class TestByteExcerpt : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase();
    void findsFilesAndMembersOfArchives_data();
    void findsFilesAndMembersOfArchives();
    void readsWhatIsAroundThePlace_data();
    void readsWhatIsAroundThePlace();
    void aCutFileIsShownToItsEnd();
    void aMemberThatIsGoneIsNamed();
    void anEmptyFileIsNotRead();
    void textIsShownAsItIs();
    void charactersAreNotCutApart();
    void otherBytesAreShownAsHexadecimal();
    void aPlaceBehindTheEndMarksTheEnd();

private:
    std::string write(const QString &name, const QByteArray &content);

    QTemporaryDir m_folder;
    QByteArray m_lines; ///< 8 bytes each: "0000000\n"
};

std::string TestByteExcerpt::write(const QString &name, const QByteArray &content)
{
    QFile file(m_folder.filePath(name));
    if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
        qFatal("cannot write a test file");
    return file.fileName().toStdString();
}

void TestByteExcerpt::initTestCase()
{
    for (int i = 0; i < 1'000'000; ++i)
        m_lines += QByteArray::number(i).rightJustified(7, '0') + '\n';
    write(QStringLiteral("plain.json"), m_lines);
    write(QStringLiteral("packed.json.gz"), tests::gzip(m_lines));
    write(QStringLiteral("cut.json.gz"), tests::gzip(m_lines).chopped(100'000));
    tests::writeZip(m_folder.filePath(QStringLiteral("run.zip")),
                    { { QStringLiteral("a/one.json"), m_lines },
                      { QStringLiteral("two.json.gz"), tests::gzip(m_lines) } });
}

void TestByteExcerpt::findsFilesAndMembersOfArchives_data()
{
    QTest::addColumn<QString>("name");
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("member");
    const QString run = QStringLiteral("run.zip");
    QTest::newRow("file") << QStringLiteral("plain.json") << QStringLiteral("plain.json")
                          << QString();
    QTest::newRow("member") << QStringLiteral("run.zip/a/one.json") << run
                            << QStringLiteral("a/one.json");
    QTest::newRow("absent") << QStringLiteral("absent.json") << QString() << QString();
    QTest::newRow("folder") << QStringLiteral(".") << QString() << QString();
    QTest::newRow("no name") << QString() << QString() << QString();
}

void TestByteExcerpt::findsFilesAndMembersOfArchives()
{
    QFETCH(QString, name);
    QFETCH(QString, file);
    QFETCH(QString, member);
    const std::filesystem::path project(
        m_folder.filePath(QStringLiteral("p.longpole")).toStdString());
    const auto place = findFile(name.toStdString(), project);
    QCOMPARE(place.has_value(), !file.isEmpty());
    if (!place)
        return;
    QCOMPARE(place->file.string(), m_folder.filePath(file).toStdString());
    QCOMPARE(place->member, member.toStdString());
    const std::string absolute = m_folder.filePath(name).toStdString();
    QCOMPARE(findFile(absolute, "/elsewhere/p.longpole")->file.string(), place->file.string());
}

void TestByteExcerpt::readsWhatIsAroundThePlace_data()
{
    QTest::addColumn<QString>("file");
    QTest::addColumn<QString>("member");
    QTest::addColumn<int>("line");
    const QString run = QStringLiteral("run.zip");
    for (const int line : { 0, 5, 500'000, 999'999 }) {
        const QByteArray at = QByteArray::number(line);
        QTest::addRow("plain %s", at.data()) << QStringLiteral("plain.json") << QString() << line;
        QTest::addRow("gzip %s", at.data())
            << QStringLiteral("packed.json.gz") << QString() << line;
        QTest::addRow("zip %s", at.data()) << run << QStringLiteral("a/one.json") << line;
        QTest::addRow("gzip in zip %s", at.data()) << run << QStringLiteral("two.json.gz") << line;
    }
}

void TestByteExcerpt::readsWhatIsAroundThePlace()
{
    QFETCH(QString, file);
    QFETCH(QString, member);
    QFETCH(int, line);
    const std::uint64_t offset = 8 * static_cast<std::uint64_t>(line);
    const ByteExcerpt excerpt
        = readExcerpt({ m_folder.filePath(file).toStdString(), member.toStdString() }, offset, {});
    QVERIFY(excerpt.start <= offset && offset - excerpt.start <= 256);
    QVERIFY(excerpt.bytes.size() <= 640);
    QCOMPARE(excerpt.bytes,
             m_lines.mid(static_cast<int>(excerpt.start), static_cast<int>(excerpt.bytes.size()))
                 .toStdString());
    const std::string wanted = QByteArray::number(line).rightJustified(7, '0').toStdString();
    QCOMPARE(excerpt.bytes.substr(offset - excerpt.start, 7), wanted);
}

void TestByteExcerpt::aCutFileIsShownToItsEnd()
{
    const FilePlace place { m_folder.filePath(QStringLiteral("cut.json.gz")).toStdString(), {} };
    const auto lastReadable = [&] {
        std::uint64_t low = 0, high = static_cast<std::uint64_t>(m_lines.size());
        while (low + 1 < high) {
            const std::uint64_t middle = (low + high) / 2;
            try {
                const ByteExcerpt excerpt = readExcerpt(place, middle, {});
                (excerpt.start + excerpt.bytes.size() > middle ? low : high) = middle;
            } catch (const core::Error &) {
                high = middle;
            }
        }
        return low;
    }();
    QVERIFY(lastReadable > 1000 && lastReadable < static_cast<std::uint64_t>(m_lines.size()));
    const ByteExcerpt excerpt = readExcerpt(place, lastReadable + 1, {});
    QCOMPARE(excerpt.start + excerpt.bytes.size(), lastReadable + 1);
    QVERIFY(marked(showExcerpt(excerpt)).contains(QStringLiteral("end")));
}

void TestByteExcerpt::aMemberThatIsGoneIsNamed()
{
    const FilePlace place { m_folder.filePath(QStringLiteral("run.zip")).toStdString(), "gone" };
    QVERIFY_THROWS_EXCEPTION(core::Error, readExcerpt(place, 0, {}));
}

void TestByteExcerpt::anEmptyFileIsNotRead()
{
    const FilePlace place { write(QStringLiteral("empty.json"), {}), {} };
    QVERIFY_THROWS_EXCEPTION(core::Error, readExcerpt(place, 100, {}));
}

void TestByteExcerpt::textIsShownAsItIs()
{
    const ShownExcerpt shown = showExcerpt(excerptOf("{\"ts\": x1}\n", 100, 107));
    QVERIFY(!shown.isHexadecimal);
    QCOMPARE(shown.text, QStringLiteral("{\"ts\": x1}\n"));
    QCOMPARE(marked(shown), QStringLiteral("x"));
}

void TestByteExcerpt::charactersAreNotCutApart()
{
    // The excerpt begins inside of one e with an acute accent, and the place is another one.
    const ShownExcerpt shown = showExcerpt(excerptOf("\xa9 plus caf\xc3\xa9 noir", 0, 10));
    QCOMPARE(shown.text, QStringLiteral(" plus caf\u00e9 noir"));
    QCOMPARE(marked(shown), QStringLiteral("\u00e9"));
}

void TestByteExcerpt::otherBytesAreShownAsHexadecimal()
{
    std::string bytes;
    for (int i = 0; i < 20; ++i)
        bytes += static_cast<char>(i);
    const ShownExcerpt shown = showExcerpt(excerptOf(bytes + "AB", 0x1000, 0x1014));
    QVERIFY(shown.isHexadecimal);
    QCOMPARE(marked(shown), QStringLiteral("41"));
    const QStringList lines = shown.text.split(QLatin1Char('\n'));
    QCOMPARE(lines.size(), 3);
    QCOMPARE(lines[2].left(16), QStringLiteral("00001010  10 11 "));
    QVERIFY(lines[2].endsWith(QStringLiteral("AB")));
}

void TestByteExcerpt::aPlaceBehindTheEndMarksTheEnd()
{
    const ShownExcerpt shown = showExcerpt(excerptOf("{\"a\":", 0, 400));
    QVERIFY(shown.text.startsWith(QStringLiteral("{\"a\":")));
    QVERIFY(marked(shown).contains(QStringLiteral("end")));
    QCOMPARE(showExcerpt(excerptOf({}, 0, 0)).markStart, 0);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestByteExcerpt)
#include "tst_byte_excerpt.moc"
