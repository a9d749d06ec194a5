#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <QVersionNumber>

#include <gnu/libc-version.h>

namespace {

/// What Debian 12 has; a newer one gives newer versions of old functions to what is built with it.
const QVersionNumber BuiltWith(2, 36);

QByteArray contentOf(const char *path)
{
    QFile file(QString::fromLocal8Bit(path));
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Of the C library, as RECORDING.md states it.
QVersionNumber documentedVersion()
{
    static const QRegularExpression Need(QStringLiteral("need glibc (\\d+\\.\\d+)"));
    const QByteArray text = contentOf(LONGPOLE_SOURCE_DIR "/collectors/RECORDING.md");
    const auto match = Need.match(QString::fromUtf8(text));
    return QVersionNumber::fromString(match.captured(1));
}

} // namespace

/// The libraries that a training process loads: in its container, with its C library.
class SharedLibrariesTest : public QObject
{
    Q_OBJECT

private slots:
    void noNewerCLibraryIsNeededThanDocumented_data()
    {
        QTest::addColumn<QByteArray>("path");
        QTest::addRow("cupti") << QByteArray(LONGPOLE_CUPTI_COLLECTOR);
        QTest::addRow("nccl") << QByteArray(NCCL_PLUGIN);
    }
    void noNewerCLibraryIsNeededThanDocumented()
    {
        QFETCH(QByteArray, path);
        if (QVersionNumber::fromString(QLatin1String(gnu_get_libc_version())) > BuiltWith)
            QSKIP("this system's C library is newer than that of Debian 12");
        const QVersionNumber documented = documentedVersion();
        QVERIFY(!documented.isNull());
        const QByteArray library = contentOf(path.constData());
        // The versions that the dynamic linker looks for are strings of the file.
        static const QRegularExpression Version(QStringLiteral("GLIBC_(\\d+(\\.\\d+)+)"));
        QVersionNumber newest;
        auto matches = Version.globalMatch(QString::fromLatin1(library));
        while (matches.hasNext())
            newest = qMax(newest, QVersionNumber::fromString(matches.next().captured(1)));
        QVERIFY(!newest.isNull());
        QVERIFY2(newest <= documented, qPrintable(newest.toString()));
        QVERIFY2(!library.contains("GLIBCXX_"), "it needs the process's C++ library");
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(SharedLibrariesTest)
#include "tst_shared_libraries.moc"
