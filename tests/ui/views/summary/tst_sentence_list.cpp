#include "ui/views/summary/sentence_list.h"

#include <QLabel>
#include <QTest>

#include <memory>

using namespace ui;

class TestSentenceList : public QObject
{
    Q_OBJECT

private slots:
    void eachSentenceIsWrappedAndCanBeCopied();
};

/// The window did not say whose own work takes longer, and in what; the command line did.
void TestSentenceList::eachSentenceIsWrappedAndCanBeCopied()
{
    const std::unique_ptr<QWidget> list(createSentenceList(
        { "Others wait for rank 1.", "Rank 1's own work takes <b>91.48 ms</b>." }, nullptr));
    const QList<QLabel *> labels = list->findChildren<QLabel *>();
    QCOMPARE(labels.size(), 2);
    QCOMPARE(labels[0]->text(), QStringLiteral("Others wait for rank 1."));
    QCOMPARE(labels[1]->textFormat(), Qt::PlainText);
    for (const QLabel *label : labels) {
        QVERIFY(label->wordWrap());
        QVERIFY(label->textInteractionFlags().testFlag(Qt::TextSelectableByMouse));
    }
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestSentenceList)
#include "tst_sentence_list.moc"
