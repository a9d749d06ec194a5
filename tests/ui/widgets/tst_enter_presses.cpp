#include "ui/widgets/enter_presses.h"

#include <QApplication>
#include <QDialog>
#include <QPushButton>
#include <QSignalSpy>
#include <QTest>

using namespace ui;

class TestEnterPresses : public QObject
{
    Q_OBJECT

private slots:
    void enterIsLikeSpaceOutsideOfDialogs()
    {
        EnterPresses presses;
        qApp->installEventFilter(&presses);
        QPushButton button;
        const QSignalSpy clicked(&button, &QPushButton::clicked);
        QTest::keyClick(&button, Qt::Key_Space);
        QTest::keyClick(&button, Qt::Key_Return);
        QTest::keyClick(&button, Qt::Key_Enter, Qt::KeypadModifier);
        QCOMPARE(clicked.size(), 3);
        QTest::keyClick(&button, Qt::Key_Return, Qt::ControlModifier); // may be a shortcut
        button.setEnabled(false);
        QTest::keyClick(&button, Qt::Key_Return);
        QCOMPARE(clicked.size(), 3);
        QDialog dialog;
        auto *inside = new QPushButton(&dialog);
        inside->setAutoDefault(false);
        const QSignalSpy pressed(inside, &QPushButton::clicked);
        QTest::keyClick(inside, Qt::Key_Return);
        QCOMPARE(pressed.size(), 0); // it is the dialog's
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestEnterPresses)
#include "tst_enter_presses.moc"
