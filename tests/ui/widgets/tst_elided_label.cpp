#include "ui/widgets/elided_label.h"
#include "ui/widgets/format.h"

#include <QTest>

using namespace ui;

class TestElidedLabel : public QObject
{
    Q_OBJECT

private slots:
    void aTextThatFitsIsShownWhole();
    void aLongTextEndsInAnEllipsisAndIsWholeInTheToolTip();
    void anExplanationIsInTheToolTipOfAWholeText();
    void markupIsShownAsItIs();
};

void TestElidedLabel::aTextThatFitsIsShownWhole()
{
    ElidedLabel label(TextRole::Secondary, nullptr);
    label.resize(600, 20);
    label.setFullText(QStringLiteral("iteration 3"));
    QCOMPARE(label.text(), QStringLiteral("iteration 3"));
    QVERIFY(label.toolTip().isEmpty());
}

void TestElidedLabel::aLongTextEndsInAnEllipsisAndIsWholeInTheToolTip()
{
    const QString text = QString(40, QLatin1Char('a')) + QStringLiteral(" iteration 3");
    ElidedLabel label(TextRole::Secondary, nullptr);
    label.setFullText(text);
    label.resize(60, 20);
    label.grab(); // lays it out
    QVERIFY(label.text().endsWith(QChar(0x2026)));
    QVERIFY(label.fontMetrics().horizontalAdvance(label.text()) <= 60);
    QCOMPARE(label.toolTip(), toolTipParagraphs(text));
    QCOMPARE(label.fullText(), text);
    QCOMPARE(label.accessibleName(), text);
    label.resize(2000, 20);
    label.grab();
    QCOMPARE(label.text(), text);
    QCOMPARE(label.toolTip(), QString());
}

void TestElidedLabel::anExplanationIsInTheToolTipOfAWholeText()
{
    const QString text = QString(40, QLatin1Char('a')), meaning = QStringLiteral("a <b> means");
    ElidedLabel label(TextRole::Secondary, nullptr);
    label.setFullText(text);
    label.setExplanation(meaning);
    label.resize(2000, 20);
    label.grab();
    QCOMPARE(label.toolTip(), toolTipParagraphs(meaning));
    label.resize(60, 20);
    label.grab();
    QCOMPARE(label.toolTip(), toolTipParagraphs(text + QLatin1Char('\n') + meaning));
    QCOMPARE(label.accessibleDescription(), meaning);
}

void TestElidedLabel::markupIsShownAsItIs()
{
    ElidedLabel label(TextRole::Normal, nullptr);
    QCOMPARE(label.textFormat(), Qt::PlainText);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestElidedLabel)
#include "tst_elided_label.moc"
