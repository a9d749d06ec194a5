#include "tests/support/unit_test.h"
#include "ui/theme/theme.h"
#include "ui/views/strategies/part_bars.h"

#include <QApplication>
#include <QTest>

using namespace ui;

class TestPartBars : public QObject
{
    Q_OBJECT

private slots:
    void initTestCase() { applyTheme(*qApp, ThemeChoice::Light); }
    void onePartAloneIsNotShown();
    void theLongestComesFirst();
};

void TestPartBars::onePartAloneIsNotShown()
{
    PartBars bars(nullptr);
    bars.setParts({ { "compression", 900 } }, 500);
    QVERIFY(bars.isHidden());
    bars.setParts({ { "compression", 900 }, { "bucket_cap_mb", {} } }, 500); // not known
    QVERIFY(bars.isHidden());
}

void TestPartBars::theLongestComesFirst()
{
    PartBars bars(nullptr);
    constexpr std::int64_t Ms = 1'000'000;
    bars.setParts({ { "bucket_cap_mb", 455 * Ms }, { "compression", 612 * Ms } }, 400 * Ms);
    QVERIFY(!bars.isHidden());
    const QStringList lines
        = bars.accessibleDescription().replace(QChar(0x202F), u' ').split(u'\n');
    QCOMPARE(lines.size(), 2);
    QVERIFY2(lines[0].startsWith(QStringLiteral("compression: +212.0 ms")), qPrintable(lines[0]));
    QVERIFY2(lines[1].startsWith(QStringLiteral("bucket_cap_mb: +55.00 ms")), qPrintable(lines[1]));
    bars.resize(800, bars.sizeHint().height());
    const QImage picture = bars.grab().toImage();
    const QColor bar = themeOf(bars.palette()).better;
    const auto lengthIn = [&](int row) {
        int length = 0;
        for (int x = 0; x < picture.width(); ++x)
            length += picture.pixelColor(x, 24 * row + 12) == bar ? 1 : 0;
        return length;
    };
    QVERIFY(lengthIn(1) > 3 * lengthIn(2));
    QVERIFY(lengthIn(2) > 0);
}

LONGPOLE_TEST(TestPartBars)
#include "tst_part_bars.moc"
