#include "ui/widgets/format.h"

#include <QTest>

using namespace ui;

namespace {

/// Thin spaces and true minus signs as plain ASCII, to keep the expectations readable.
QString plain(QString text)
{
    return text.replace(QChar(0x202F), QLatin1Char(' ')).replace(QChar(0x2212), QLatin1Char('-'));
}

} // namespace

class TestFormat : public QObject
{
    Q_OBJECT

private slots:
    void durationsHaveFourDigitsAndAnAdaptiveUnit_data();
    void durationsHaveFourDigitsAndAnAdaptiveUnit();
    void deltasHaveASign();
    void percentages_data();
    void percentages();
    void bytesAreBinary();
    void ratesAdaptTheirUnit();
    void countsAreGrouped();
    void oneIsNoPlural();
    void aTooltipShowsMarkupAsText();
    void numbersStayWithTheirUnits();
    void longWordsMayWrap();
};

void TestFormat::durationsHaveFourDigitsAndAnAdaptiveUnit_data()
{
    QTest::addColumn<qint64>("ns");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << qint64(0) << QStringLiteral("0 ns");
    QTest::newRow("nanoseconds are whole") << qint64(823) << QStringLiteral("823 ns");
    QTest::newRow("microseconds") << qint64(1'500) << QStringLiteral("1.500 \u00b5s");
    QTest::newRow("milliseconds") << qint64(118'432'000) << QStringLiteral("118.4 ms");
    QTest::newRow("seconds") << qint64(1'200'000'000) << QStringLiteral("1.200 s");
    QTest::newRow("rounds into the next unit") << qint64(999'999) << QStringLiteral("1.000 ms");
    QTest::newRow("stays below the next unit")
        << qint64(999'900) << QStringLiteral("999.9 \u00b5s");
    QTest::newRow("loses a decimal when it rounds up")
        << qint64(9'999'960) << QStringLiteral("10.00 ms");
    QTest::newRow("minutes") << qint64(125'000'000'000) << QStringLiteral("2 min 5 s");
    QTest::newRow("negative") << qint64(-2'500'000) << QStringLiteral("-2.500 ms");
}

void TestFormat::durationsHaveFourDigitsAndAnAdaptiveUnit()
{
    QFETCH(qint64, ns);
    QTEST(plain(formatDuration(ns)), "text");
}

void TestFormat::deltasHaveASign()
{
    QCOMPARE(plain(formatDelta(12'300'000)), QStringLiteral("+12.30 ms"));
    QCOMPARE(plain(formatDelta(-3'100'000)), QStringLiteral("-3.100 ms"));
    QCOMPARE(plain(formatDelta(0)), QStringLiteral("0 ns"));
    QCOMPARE(plain(formatOffset(-3'600'123'456'789, 12'000)), QStringLiteral("-3600.123457 s"));
    QCOMPARE(plain(formatDrift(-1.53)), QStringLiteral("-1.5 ppm"));
    QCOMPARE(plain(formatDrift(0.6)), QStringLiteral("+0.6 ppm"));
    QCOMPARE(plain(formatDrift(0.01)), QStringLiteral("0.0 ppm"));
}

void TestFormat::percentages_data()
{
    QTest::addColumn<double>("fraction");
    QTest::addColumn<QString>("text");
    QTest::newRow("zero") << 0.0 << QStringLiteral("0 %");
    QTest::newRow("small") << 0.0123 << QStringLiteral("1.2 %");
    QTest::newRow("not nothing") << 0.0001 << QStringLiteral("<0.1 %");
    QTest::newRow("large") << 0.287 << QStringLiteral("29 %");
    QTest::newRow("all") << 1.0 << QStringLiteral("100 %");
    QTest::newRow("negative") << -0.05 << QStringLiteral("-5.0 %");
}

void TestFormat::percentages()
{
    QFETCH(double, fraction);
    QTEST(plain(formatPercent(fraction)), "text");
}

void TestFormat::bytesAreBinary()
{
    QCOMPARE(plain(formatBytes(512)), QStringLiteral("512 B"));
    QCOMPARE(plain(formatBytes(25ULL << 20)), QStringLiteral("25.00 MiB"));
    QCOMPARE(plain(formatBytes(1536)), QStringLiteral("1.500 KiB"));
    QCOMPARE(plain(formatBytes(3ULL << 30)), QStringLiteral("3.000 GiB"));
}

void TestFormat::ratesAdaptTheirUnit()
{
    QCOMPARE(plain(formatRate(431.24)), QStringLiteral("53.91 MB/s"));
    QCOMPARE(plain(formatRate(100'000)), QStringLiteral("12.50 GB/s"));
    QCOMPARE(plain(formatRate(0.8)), QStringLiteral("100.0 kB/s"));
}

void TestFormat::countsAreGrouped()
{
    QCOMPARE(plain(formatCount(1'234'567)), QStringLiteral("1 234 567"));
    QCOMPARE(plain(formatCount(999)), QStringLiteral("999"));
}

/// The end of a remedy that is one long call was once cut off.
void TestFormat::longWordsMayWrap()
{
    const QString remedy
        = QStringLiteral("Give experimental_config=torch._C._profiler._Config(a=1) "
                         "to it, e.g. here");
    const QString text = breakable(remedy);
    QVERIFY(text.contains(QStringLiteral("torch.\u200b_C.\u200b_profiler")));
    QVERIFY(text.endsWith(QStringLiteral("e.g. here")));
    QCOMPARE(unbroken(text), remedy);
    QCOMPARE(breakable(QStringLiteral("rank0.json")), QStringLiteral("rank0.json"));
}

/// "1 events of 1 rank", "1 hits".
void TestFormat::oneIsNoPlural()
{
    const QString one = QStringLiteral("1 rank"), many = QStringLiteral("%1 ranks");
    QCOMPARE(countText(0, one, many), QStringLiteral("0 ranks"));
    QCOMPARE(countText(1, one, many), one);
    QCOMPARE(plain(countText(4096, one, many)), QStringLiteral("4 096 ranks"));
}

void TestFormat::aTooltipShowsMarkupAsText()
{
    QCOMPARE(toolTipParagraphs(QStringLiteral("a<b>\nc")),
             QStringLiteral("<p>a&lt;b&gt;</p><p>c</p>"));
}

void TestFormat::numbersStayWithTheirUnits()
{
    const QString space(QChar(0x00a0));
    QCOMPARE(unbrokenUnits(QStringLiteral("966 ms of each 2.23 s iteration. To gain: 43 %.")),
             QStringLiteral("966%1ms of each 2.23%1s iteration. To gain: 43%1%.").arg(space));
    QCOMPARE(unbrokenUnits(QStringLiteral("150 us of 1 ms")),
             QStringLiteral("150%1\u00b5s of 1%1ms").arg(space));
    QCOMPARE(
        unbrokenUnits(QStringLiteral("by -4.248 ms (-3 %), --set x=-1 s, ranks 0-3 s")),
        QStringLiteral("by \u22124.248%1ms (\u22123%1%), --set x=-1%1s, ranks 0-3%1s").arg(space));
    QCOMPARE(unbrokenUnits(QStringLiteral("sure to +-26 us, a + b, +-x")),
             QStringLiteral("sure to \u00b126%1\u00b5s, a + b, +-x").arg(space));
    QCOMPARE(unbrokenUnits(QStringLiteral("rank 3 sends 4 slices")),
             QStringLiteral("rank 3 sends 4 slices"));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestFormat)
#include "tst_format.moc"
