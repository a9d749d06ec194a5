#include "core/base/duration_text.h"

#include <QtTest>

#include <limits>

class DurationTextTest : public QObject
{
    Q_OBJECT

private slots:
    void durationsHaveFourDigitsAndAUnit_data();
    void durationsHaveFourDigitsAndAUnit();
    void offsetsKeepTheDigitsOfTheirUncertainty_data();
    void offsetsKeepTheDigitsOfTheirUncertainty();
    void fractionsAndBytes();
};

void DurationTextTest::durationsHaveFourDigitsAndAUnit_data()
{
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<QString>("text");
    const auto row = [](qint64 ns, const char *text) {
        QTest::newRow(text) << ns << QString::fromLatin1(text);
    };
    row(0, "0 ns");
    row(823, "823 ns");
    row(49'000, "49.00 us");
    row(11'100'000, "11.10 ms");
    row(662'400'000, "662.4 ms");
    row(2'500'000'000, "2.500 s");
    row(-3'767'000, "-3.767 ms");
    row(99'996'000, "100.0 ms"); // a decimal less where it rounds up
    row(999'999, "1.000 ms");
    row(999'900, "999.9 us");
    row(125'000'000'000, "2 min 5 s");
    row(59'999'900'000, "60.00 s");
    row(3'599'000'000'000, "59 min 59 s");
    row(3'600'000'000'000, "1 h 0 min");
    row(86'399'000'000'000, "1 day 0 h");
    row(111'600'000'000'000, "1 day 7 h");
    row(125'388'225'000'000'000, "3 years 356 days"); // was 2089803 min 45 s
    row(std::numeric_limits<qint64>::max(), "292 years 172 days");
}

void DurationTextTest::durationsHaveFourDigitsAndAUnit()
{
    QFETCH(qint64, ns);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(core::durationText(ns)), text);
}

/// An offset of an hour was "1 h 0 min +- 12 us".
void DurationTextTest::offsetsKeepTheDigitsOfTheirUncertainty_data()
{
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<qint64>("uncertaintyNs");
    QTest::addColumn<QString>("text");
    const auto row = [](qint64 ns, qint64 uncertaintyNs, const char *text) {
        QTest::newRow(text) << ns << uncertaintyNs << QString::fromLatin1(text);
    };
    row(0, 7'000'000, "0 ns");
    row(-823, 40, "-823 ns");
    row(3'600'123'456'789, 12'300, "+3600.123457 s");
    row(3'600'123'456'789, 1'200'000, "+3600.1235 s");
    row(-3'600'123'456'789, 0, "-3600.123456789 s");
    row(3'600'000'000'001, 0, "+3600.000000001 s");
    row(3'767'000, 900'000, "+3.767 ms"); // four digits at least
    row(250'000, 0, "+250.0 us");
    row(1'791'234'567'000'000'009, 35, "+1791234567.000000009 s");
    row(999'999'999, 10'000'000, "+1.000 s");
    row(std::numeric_limits<qint64>::min(), 0, "-9223372036.854775807 s");
    row(std::numeric_limits<qint64>::max(), 10'000'000'000, "+9223372037 s");
}

void DurationTextTest::offsetsKeepTheDigitsOfTheirUncertainty()
{
    QFETCH(qint64, ns);
    QFETCH(qint64, uncertaintyNs);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(core::offsetText(ns, uncertaintyNs)), text);
}

void DurationTextTest::fractionsAndBytes()
{
    // "576418 Mbit/s" had to be counted.
    const auto plain = [](const std::string &text) { return QString::fromStdString(text); };
    QCOMPARE(plain(core::rateText(576418)), QStringLiteral("72.1 GB/s"));
    QCOMPARE(plain(core::rateText(1574646)), QStringLiteral("197 GB/s"));
    QCOMPARE(plain(core::rateText(7997)), QStringLiteral("1.00 GB/s"));
    QCOMPARE(plain(core::rateText(400)), QStringLiteral("50.0 MB/s"));
    QCOMPARE(plain(core::rateText(0.4)), QStringLiteral("50.0 kB/s"));
    QCOMPARE(plain(core::rateText(0)), QStringLiteral("0.00 kB/s"));
    QCOMPARE(plain(core::nominalRateText(499.7)), QStringLiteral("500 Mbit/s"));
    QCOMPARE(plain(core::nominalRateText(100'000)), QStringLiteral("100000 Mbit/s"));
    QCOMPARE(plain(core::nominalRateText(2.5)), QStringLiteral("2.50 Mbit/s"));
    QCOMPARE(QString::fromStdString(core::percentText(0.166)), QStringLiteral("17 %"));
    QCOMPARE(QString::fromStdString(core::percentText(0.024)), QStringLiteral("2.4 %"));
    QCOMPARE(QString::fromStdString(core::percentText(-0.0004)), QStringLiteral("<0.1 %"));
    QCOMPARE(QString::fromStdString(core::percentText(0)), QStringLiteral("0 %"));
    QCOMPARE(QString::fromStdString(core::percentText(-0.024)), QStringLiteral("-2.4 %"));
    QCOMPARE(QString::fromStdString(core::countText(1, "rank")), QStringLiteral("1 rank"));
    QCOMPARE(QString::fromStdString(core::countText(2, "rank")), QStringLiteral("2 ranks"));
    QCOMPARE(QString::fromStdString(core::bytesText(512)), QStringLiteral("512 bytes"));
    QCOMPARE(QString::fromStdString(core::bytesText(26'214'400)), QStringLiteral("25 MiB"));
    QCOMPARE(QString::fromStdString(core::bytesText(2'609'788)), QStringLiteral("2.49 MiB"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(DurationTextTest)
#include "tst_duration_text.moc"
