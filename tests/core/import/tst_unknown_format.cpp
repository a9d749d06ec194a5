#include "core/import/unknown_format.h"

#include <QTest>

/// What is said of files that no importer reads.
class UnknownFormatTest : public QObject
{
    Q_OBJECT

private slots:
    void archivesAndCompressionsAreRefusedByName_data()
    {
        QTest::addColumn<QByteArray>("head");
        QTest::addColumn<QByteArray>("says");
        const QByteArray rest("\0\x01\x02", 3);
        QTest::newRow("zip in zip") << QByteArray("PK\x03\x04") + rest << QByteArray("inside of");
        QTest::newRow("gzip in gzip") << QByteArray("\x1f\x8b\x08") + rest << QByteArray("twice");
        QTest::newRow("xz") << QByteArray("\xfd\x37zXZ") + rest << QByteArray("unxz");
        QTest::newRow("zstd") << QByteArray("\x28\xb5\x2f\xfd") + rest << QByteArray("unzstd");
        QTest::newRow("bzip2") << QByteArray("BZh9") + rest << QByteArray("bunzip2");
        QTest::newRow("7z") << QByteArray("7z\xbc\xaf") + rest << QByteArray("7z archive");
        QTest::newRow("tar") << QByteArray("a.json") + QByteArray(251, '\0') + "ustar"
                             << QByteArray("tar archive");
    }

    void archivesAndCompressionsAreRefusedByName()
    {
        QFETCH(QByteArray, head);
        QFETCH(QByteArray, says);
        const core::UnknownFile unknown
            = core::describeUnknown("rank0.json", { head.data(), std::size_t(head.size()) });
        QVERIFY(unknown.isTrace);
        QVERIFY2(unknown.message.find(says.toStdString()) != std::string::npos,
                 unknown.message.c_str());
    }
};

QTEST_GUILESS_MAIN(UnknownFormatTest)
#include "tst_unknown_format.moc"
