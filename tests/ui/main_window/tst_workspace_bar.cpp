#include "ui/main_window/workspace_bar.h"
#include "ui/widgets/elided_label.h"

#include <QApplication>
#include <QTabBar>
#include <QTest>
#include <QWheelEvent>

using namespace ui;

class TestWorkspaceBar : public QObject
{
    Q_OBJECT

private slots:
    void aLongNameLeavesRoomForTheFacts();
    void theWheelTurnsNoPage();
};

/// A turn of the wheel above the tabs changed the page by accident.
void TestWorkspaceBar::theWheelTurnsNoPage()
{
    WorkspaceBar bar(nullptr);
    bar.addWorkspace(QStringLiteral("summary"), QStringLiteral("Summary"));
    bar.addWorkspace(QStringLiteral("compare"), QStringLiteral("Compare"));
    bar.setCurrent(QStringLiteral("summary"));
    auto *tabs = bar.findChild<QTabBar *>();
    const QPointF at = QRectF(tabs->rect()).center();
    QWheelEvent turn(at, tabs->mapToGlobal(at), {}, { 0, -120 }, Qt::NoButton, Qt::NoModifier,
                     Qt::NoScrollPhase, false);
    QApplication::sendEvent(tabs, &turn);
    QCOMPARE(bar.current(), QStringLiteral("summary"));
}

/// A long name of a project left none, and a longer one made the window wider.
void TestWorkspaceBar::aLongNameLeavesRoomForTheFacts()
{
    const QString facts = QStringLiteral("64 ranks, 6 iterations");
    WorkspaceBar bar(nullptr);
    bar.addWorkspace(QStringLiteral("summary"), QStringLiteral("Summary"));
    bar.setCaption(QStringLiteral("run 3"), facts);
    const int least = bar.minimumSizeHint().width();
    bar.setCaption(QString(300, QLatin1Char('n')), facts);
    QCOMPARE(bar.minimumSizeHint().width(), least);
    bar.resize(900, bar.sizeHint().height());
    bar.show();
    const QList<ElidedLabel *> labels = bar.findChildren<ElidedLabel *>();
    QCOMPARE(labels.size(), 2);
    QTRY_COMPARE(labels[1]->text(), facts);
    QVERIFY(labels[0]->text().startsWith(QLatin1Char('n')));
    QVERIFY(labels[0]->text().size() < 300);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestWorkspaceBar)
#include "tst_workspace_bar.moc"
