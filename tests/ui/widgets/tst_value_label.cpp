#include "ui/widgets/format.h"
#include "ui/widgets/value_label.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QTest>

using namespace ui;

class TestValueLabel : public QObject
{
    Q_OBJECT

private slots:
    void aCopiedNameIsWithoutThePlacesToWrapAt();
};

/// It did not match when it was pasted into a search.
void TestValueLabel::aCopiedNameIsWithoutThePlacesToWrapAt()
{
    const QString name = QStringLiteral("tower_0/v0/HorovodAllreduce_tower_0_v0_gradients_AddN_5");
    const QString shown = breakable(name);
    QVERIFY(shown != name);
    ValueLabel label(shown, nullptr);
    label.show();
    QGuiApplication::clipboard()->setText(QStringLiteral("before"));
    QTest::keyClick(&label, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), QStringLiteral("before")); // nothing is marked
    label.setSelection(0, static_cast<int>(shown.size()));
    QTest::keyClick(&label, Qt::Key_C, Qt::ControlModifier);
    QCOMPARE(QGuiApplication::clipboard()->text(), name);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestValueLabel)
#include "tst_value_label.moc"
