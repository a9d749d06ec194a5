#include "tests/support/unit_test.h"
#include "ui/main_window/svg_texts.h"

#include <QImage>
#include <QPainter>
#include <QTest>

using namespace ui;

class TestSvgTexts : public QObject
{
    Q_OBJECT

private slots:
    void textsAreTakenOutWithTheirPlaces();
    void whatIsNotUnderstoodStaysWhereItIs();
    void anEndIsWhereTheTextEnds();
};

void TestSvgTexts::textsAreTakenOutWithTheirPlaces()
{
    const SvgWithTexts parts = withTextsApart(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" font-family=\"A, B\">"
        "<rect x=\"1\" y=\"2\" width=\"3\" height=\"4\"/>"
        "<text x=\"10\" y=\"20\" font-size=\"14\" fill=\"#FF0000\" font-weight=\"600\">a &lt; b"
        "</text><g transform=\"translate(100 50) scale(0.5)\"><g font-size=\"8\">"
        "<text x=\"10\" y=\"20\" text-anchor=\"end\">end</text></g></g></svg>");
    QVERIFY(!parts.rest.contains("text"));
    QVERIFY(parts.rest.contains("rect x=\"1\""));
    QCOMPARE(parts.texts.size(), std::size_t { 2 });
    const SvgTextLine &first = parts.texts[0], &second = parts.texts[1];
    QCOMPARE(first.text, QStringLiteral("a < b"));
    QCOMPARE(first.families, QStringList({ QStringLiteral("A"), QStringLiteral("B") }));
    QCOMPARE(first.size, 14.0);
    QVERIFY(first.isBold && first.anchor == 0 && first.fill == QColor(Qt::red));
    QCOMPARE(second.size, 8.0);
    QCOMPARE(second.anchor, 1.0);
    QCOMPARE(second.place.map(second.at), QPointF(105, 60));
}

void TestSvgTexts::whatIsNotUnderstoodStaysWhereItIs()
{
    const QByteArray turned = "<svg xmlns=\"http://www.w3.org/2000/svg\">"
                              "<text transform=\"rotate(90)\" x=\"1\" y=\"2\">up</text></svg>";
    const SvgWithTexts parts = withTextsApart(turned);
    QVERIFY(parts.texts.empty());
    QVERIFY(parts.rest.contains(">up<"));
    QCOMPARE(withTextsApart("<svg><text>").rest, QByteArray("<svg><text>"));
}

void TestSvgTexts::anEndIsWhereTheTextEnds()
{
    QImage image(200, 40, QImage::Format_RGB32);
    image.fill(Qt::white);
    QPainter painter(&image);
    SvgTextLine line;
    line.at = { 100, 30 };
    line.text = QStringLiteral("words");
    line.size = 20;
    line.anchor = 1;
    drawSvgTexts(painter, { line });
    painter.end();
    bool isLeft = false, isRight = false;
    for (int x = 0; x < image.width(); ++x)
        for (int y = 0; y < image.height(); ++y)
            if (qGray(image.pixel(x, y)) < 128)
                (x < 101 ? isLeft : isRight) = true;
    QVERIFY(isLeft);
    QVERIFY(!isRight);
}

LONGPOLE_TEST(TestSvgTexts)
#include "tst_svg_texts.moc"
