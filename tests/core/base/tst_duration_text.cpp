#include "core/base/duration_text.h"

#include <QtTest>

class DurationTextTest : public QObject
{
    Q_OBJECT

private slots:
    void durationsHaveThreeDigitsAndAUnit_data();
    void durationsHaveThreeDigitsAndAUnit();
    void fractionsAndBytes();
};

void DurationTextTest::durationsHaveThreeDigitsAndAUnit_data()
{
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<QString>("text");
    const auto row = [](qint64 ns, const char *text) {
        QTest::newRow(text) << ns << QString::fromLatin1(text);
    };
    row(0, "0 ns");
    row(49'000, "49 us");
    row(11'100'000, "11.1 ms");
    row(662'400'000, "662 ms");
    row(2'500'000'000, "2.50 s");
    row(-3'767'000, "-3.77 ms");
    row(99'960'000, "100 ms");
}

void DurationTextTest::durationsHaveThreeDigitsAndAUnit()
{
    QFETCH(qint64, ns);
    QFETCH(QString, text);
    QCOMPARE(QString::fromStdString(core::durationText(ns)), text);
}

void DurationTextTest::fractionsAndBytes()
{
    QCOMPARE(QString::fromStdString(core::percentText(0.166)), QStringLiteral("17 %"));
    QCOMPARE(QString::fromStdString(core::percentText(0.024)), QStringLiteral("2.4 %"));
    QCOMPARE(QString::fromStdString(core::bytesText(512)), QStringLiteral("512 bytes"));
    QCOMPARE(QString::fromStdString(core::bytesText(26'214'400)), QStringLiteral("25 MiB"));
    QCOMPARE(QString::fromStdString(core::bytesText(2'609'788)), QStringLiteral("2.49 MiB"));
}

QTEST_GUILESS_MAIN(DurationTextTest)
#include "tst_duration_text.moc"
