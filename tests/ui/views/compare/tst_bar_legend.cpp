#include "ui/theme/measures.h"
#include "ui/views/compare/bar_legend.h"

#include <QImage>
#include <QTest>

using namespace ui;

class TestBarLegend : public QObject
{
    Q_OBJECT

private slots:
    void nothingTouchesTheEdge_data();
    void nothingTouchesTheEdge();
};

void TestBarLegend::nothingTouchesTheEdge_data()
{
    QTest::addColumn<int>("width");
    for (int width = 400; width <= 1300; width += 25)
        QTest::addRow("%d", width) << width;
}

/// "copies" ended where the window does.
void TestBarLegend::nothingTouchesTheEdge()
{
    QFETCH(const int, width);
    BarLegend legend(nullptr);
    legend.resize(width, legend.heightForWidth(width));
    const QImage image = legend.grab().toImage().convertToFormat(QImage::Format_RGB32);
    const QRgb background = image.pixel(0, 2);
    bool isDrawn = false;
    for (int y = 1; y < image.height(); ++y) // below the line on top
        for (int x = 0; x < width; ++x) {
            const bool isMargin = x < space::large || x >= width - space::large;
            QVERIFY(!isMargin || image.pixel(x, y) == background);
            isDrawn = isDrawn || image.pixel(x, y) != background;
        }
    QVERIFY(isDrawn);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestBarLegend)
#include "tst_bar_legend.moc"
