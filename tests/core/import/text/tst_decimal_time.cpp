#include "core/import/text/decimal_time.h"

#include <QTest>

class DecimalTimeTest : public QObject
{
    Q_OBJECT

private slots:
    void microsecondsBecomeNanosecondsExactly_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<qint64>("ns");
        const auto row
            = [](const char *text, qint64 ns) { QTest::newRow(text) << QByteArray(text) << ns; };
        row("0", 0);
        row("1234", 1234000);
        row("1234.5", 1234500);
        row("1234.567", 1234567);
        row("-3.001", -3001);
        row("+7", 7000);
        row("0.0005", 1); // half a nanosecond is rounded away from zero
        row("0.0004999", 0);
        row("-0.0005", -1);
        // 19 digits, of which a double would keep 16: the last one decides who is nested in whom
        row("1698107929236857.123", 1698107929236857123);
        row("1698107929236857.1234999999999999999999", 1698107929236857123);
        row("1698107929236857.9995", 1698107929236858000);
        row("9223372036854775.807", 9223372036854775807);
        row("-9223372036854775.807", -9223372036854775807);
        row("1.5e3", 1500000);
        row("1.698107929236857123E15", 1698107929236857123);
        row("15e-1", 1500);
        row("1e-30", 0);
        row("0e999", 0);
        row("000000000000000000000000012.5", 12500);
        row("5.", 5000);
        row(".5", 500);
    }
    void microsecondsBecomeNanosecondsExactly()
    {
        QFETCH(QByteArray, text);
        QFETCH(qint64, ns);
        const auto result = core::nanosecondsFromMicroseconds(text.toStdString());
        QVERIFY(result.has_value());
        QCOMPARE(qint64(*result), ns);
    }

    void whatIsNoTimeIsAbsent_data()
    {
        QTest::addColumn<QByteArray>("text");
        for (const char *text : { "", "NaN", "nan", "Infinity", "-Infinity", "null", "abc", "1x",
                                  "1.2.3", "--1", "-", ".", "1e", "1e99", "1e99999999999999999999",
                                  "9223372036854775.808", "99999999999999999999", "[1]", "1 2" })
            QTest::newRow(text) << QByteArray(text);
    }
    void whatIsNoTimeIsAbsent()
    {
        QFETCH(QByteArray, text);
        QVERIFY(!core::nanosecondsFromMicroseconds(text.toStdString()).has_value());
    }

    void wholeNumbersMustFit()
    {
        QCOMPARE(core::unsignedFrom("18446744073709551615").value_or(0), 18446744073709551615ULL);
        QVERIFY(!core::unsignedFrom("18446744073709551616"));
        QVERIFY(!core::unsignedFrom("-1"));
        QVERIFY(!core::integerFrom("1.0"));
        QVERIFY(core::integerFrom("-9223372036854775808").has_value());
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DecimalTimeTest)
#include "tst_decimal_time.moc"
