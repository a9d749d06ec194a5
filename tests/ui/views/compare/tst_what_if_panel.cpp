#include "ui/views/compare/setting_row.h"
#include "ui/views/compare/what_if_panel.h"

#include <QLabel>
#include <QTest>

using namespace ui;

class TestWhatIfPanel : public QObject
{
    Q_OBJECT

private slots:
    void settingsThatTheTraceDoesNotSupportAreDisabledAndSayWhy();
};

namespace {

QList<bool> enabledRows(const WhatIfPanel &panel)
{
    QList<bool> enabled;
    for (const SettingRow *row : panel.findChildren<SettingRow *>())
        enabled << row->isEnabled();
    return enabled;
}

bool hasVisibleText(const WhatIfPanel &panel, const QString &text)
{
    for (const QLabel *label : panel.findChildren<QLabel *>()) {
        if (label->isVisibleTo(&panel) && label->text().contains(text))
            return true;
    }
    return false;
}

} // namespace

void TestWhatIfPanel::settingsThatTheTraceDoesNotSupportAreDisabledAndSayWhy()
{
    WhatIfPanel panel(nullptr);
    QCOMPARE(enabledRows(panel), QList<bool>({ true, true, true, true }));

    core::SettingObstacles obstacles;
    obstacles.buckets = "no rank shows a reduction.";
    panel.showObstacles(obstacles);
    QCOMPARE(enabledRows(panel), QList<bool>({ false, false, true, true }));
    QVERIFY(hasVisibleText(panel, QStringLiteral("no rank shows a reduction.")));
    QCOMPARE(panel.findChild<SettingRow *>()->toolTip(),
             QStringLiteral("no rank shows a reduction."));

    panel.showObstacles({});
    QCOMPARE(enabledRows(panel), QList<bool>({ true, true, true, true }));
    QVERIFY(!hasVisibleText(panel, QStringLiteral("no rank shows a reduction.")));
}

QTEST_MAIN(TestWhatIfPanel)
#include "tst_what_if_panel.moc"
