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

    /// What Windows' shell redirects into a file was called binary, or JSON of an unknown kind.
    void wideTextIsNamed_data()
    {
        QTest::addColumn<QByteArray>("head");
        const auto wide = [](const char *text, bool isBig, int zeros) {
            QByteArray bytes;
            for (; *text; ++text) {
                if (!isBig)
                    bytes += *text;
                bytes += QByteArray(zeros, '\0');
                if (isBig)
                    bytes += *text;
            }
            return bytes;
        };
        const char *text = "{\"traceEvents\": [";
        QTest::newRow("UTF-16LE") << QByteArray("\xff\xfe") + wide(text, false, 1);
        QTest::newRow("UTF-16BE") << QByteArray("\xfe\xff") + wide(text, true, 1);
        QTest::newRow("UTF-16LE without mark") << wide(text, false, 1);
        QTest::newRow("UTF-16BE without mark, a list") << wide("[{\"ph\": \"X\"}]", true, 1);
        QTest::newRow("UTF-32LE") << wide(text, false, 3);
        QTest::newRow("UTF-32BE") << wide(text, true, 3);
    }
    void wideTextIsNamed()
    {
        QFETCH(QByteArray, head);
        const core::UnknownFile unknown
            = core::describeUnknown("rank0.json", { head.data(), std::size_t(head.size()) });
        QVERIFY(unknown.isTrace);
        QVERIFY2(unknown.message.find("iconv -f UTF-16") != std::string::npos,
                 unknown.message.c_str());
    }

    void databasesAreToldApartByTheirTables()
    {
        using namespace std::string_literals;
        const std::string head = "SQLite format 3\0..."s;
        const core::UnknownFile rocprofiler = core::describeUnknown(
            "results.db", head + "CREATE TABLE \"rocpd_kernel_dispatch\" (id INTEGER)");
        QVERIFY(rocprofiler.isTrace);
        QVERIFY2(rocprofiler.message.find("of rocprofiler") != std::string::npos,
                 rocprofiler.message.c_str());
        const core::UnknownFile other
            = core::describeUnknown("results.db", head + "CREATE TABLE a (id INTEGER)");
        QVERIFY(!other.isTrace);
        QVERIFY2(other.message.find("no export of Nsight Systems") != std::string::npos
                     && other.message.find("nsys export --type sqlite") != std::string::npos,
                 other.message.c_str());
    }

    /// A timeline whose program was stopped at once was "no trace that is known".
    void jsonOfNothingIsEmpty()
    {
        for (const char *text : { "[\n", "[ ]", "[]" }) {
            const core::UnknownFile bare = core::describeUnknown("timeline.json", text);
            QVERIFY2(bare.isEmpty && bare.message.find("Record again") != std::string::npos, text);
        }
        QVERIFY(!core::describeUnknown("timeline.json", "[{\"a\": 1}]").isEmpty);
        QVERIFY(!core::describeUnknown("config.json", "{}").isEmpty);
    }

    /// A Chakra trace with a hole near its beginning was "binary", without a remedy.
    void binaryFilesThatAreNamedAsTracesAreDamagedOnes()
    {
        const std::string noise("\x01\x02\xfe\x03", 4);
        const core::UnknownFile named = core::describeUnknown("run/rank0.et", noise);
        QVERIFY(named.isTrace);
        QVERIFY2(named.message.starts_with("is named as a Chakra trace, but")
                     && named.message.find("Copy it again") != std::string::npos,
                 named.message.c_str());
        QVERIFY(!core::describeUnknown("run/rank0.bin", noise).isTrace);
    }

    /// It was called a trace of a program that is not known.
    void aTraceWithoutEventsIsNamed_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("isEmpty");
        QTest::newRow("empty") << QByteArray(R"({"traceEvents":[]})") << true;
        QTest::newRow("with other members")
            << QByteArray(R"({"a": 1, "traceEvents" : [ ], "b": 2})") << true;
        QTest::newRow("with an event") << QByteArray(R"({"traceEvents":[{"ph":"X"}]})") << false;
        QTest::newRow("cut") << QByteArray(R"({"traceEvents":)") << false;
    }

    void aTraceWithoutEventsIsNamed()
    {
        QFETCH(QByteArray, text);
        QFETCH(bool, isEmpty);
        const core::UnknownFile unknown = core::describeUnknown("a.json", text.toStdString());
        QVERIFY(unknown.isTrace);
        QCOMPARE(unknown.isEmpty, isEmpty);
        QCOMPARE(unknown.message.find("without events") != std::string::npos, isEmpty);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(UnknownFormatTest)
#include "tst_unknown_format.moc"
