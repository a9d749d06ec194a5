#include "core/base/duration_text.h"

#include <QtTest>

#include <limits>

class DurationTextTest : public QObject
{
    Q_OBJECT

private slots:
    void durationsHaveFourDigitsAndAUnit_data();
    void durationsHaveFourDigitsAndAUnit();
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

void DurationTextTest::fractionsAndBytes()
{
    QCOMPARE(QString::fromStdString(core::percentText(0.166)), QStringLiteral("17 %"));
    QCOMPARE(QString::fromStdString(core::percentText(0.024)), QStringLiteral("2.4 %"));
    QCOMPARE(QString::fromStdString(core::percentText(-0.0004)), QStringLiteral("0.0 %"));
    QCOMPARE(QString::fromStdString(core::countText(1, "rank")), QStringLiteral("1 rank"));
    QCOMPARE(QString::fromStdString(core::countText(2, "rank")), QStringLiteral("2 ranks"));
    QCOMPARE(QString::fromStdString(core::bytesText(512)), QStringLiteral("512 bytes"));
    QCOMPARE(QString::fromStdString(core::bytesText(26'214'400)), QStringLiteral("25 MiB"));
    QCOMPARE(QString::fromStdString(core::bytesText(2'609'788)), QStringLiteral("2.49 MiB"));
}

QTEST_GUILESS_MAIN(DurationTextTest)
#include "tst_duration_text.moc"
