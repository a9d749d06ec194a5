#include "core/base/error.h"
#include "ui/main_window/launch_options.h"
#include "ui/views/view_list.h"

#include <QTest>

using namespace ui;

class TestLaunchOptions : public QObject
{
    Q_OBJECT

private slots:
    void readsEveryOption();
    void theHelpNamesEveryView();
    void refusesWrongWords_data();
    void refusesWrongWords();
};

void TestLaunchOptions::readsEveryOption()
{
    const LaunchOptions options = parseLaunchOptions(
        { QStringLiteral("longpole-ui"), QStringLiteral("a.longpole"), QStringLiteral("--at"),
          QStringLiteral("conv1"), QStringLiteral("--screenshot"),
          QStringLiteral("timeline-critical=out/t.png"), QStringLiteral("--screenshot"),
          QStringLiteral("summary=s.png"), QStringLiteral("--size"), QStringLiteral("1280x800"),
          QStringLiteral("--theme"), QStringLiteral("dark"), QStringLiteral("--set"),
          QStringLiteral("bandwidth_scale=2") });
    QCOMPARE(options.paths, QStringList { QStringLiteral("a.longpole") });
    QCOMPARE(options.event, QStringLiteral("conv1"));
    QCOMPARE(options.screenshots.size(), 2);
    QCOMPARE(options.screenshots[0].name, QStringLiteral("timeline-critical"));
    QCOMPARE(options.screenshots[0].file, QStringLiteral("out/t.png"));
    QCOMPARE(options.size, QSize(1280, 800));
    QVERIFY(options.theme == ThemeChoice::Dark);
    QVERIFY(options.strategy.number("bandwidth_scale") == 2.0);
}

/// Clocks was missing.
void TestLaunchOptions::theHelpNamesEveryView()
{
    // The help is wrapped, so that a name may end in a line break.
    const QString help = launchHelp().simplified();
    for (const ViewEntry &view : viewList())
        QVERIFY2(help.contains(QLatin1String(" ") + QLatin1String(view.id)), view.id);
}

void TestLaunchOptions::refusesWrongWords_data()
{
    QTest::addColumn<QString>("word");
    for (const char *word : { "--size=big", "--size=10x10", "--theme=pink", "--screenshot=summary",
                              "--screenshot==a.png", "--picture=timeline=a.gif", "--time=5-2",
                              "--time=now", "--scale=9", "--unknown", "--set=colour=red" })
        QTest::newRow(word) << QString::fromLatin1(word);
}

void TestLaunchOptions::refusesWrongWords()
{
    QFETCH(QString, word);
    QVERIFY_THROWS_EXCEPTION(core::UsageError,
                             parseLaunchOptions({ QStringLiteral("longpole-ui"), word }));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestLaunchOptions)
#include "tst_launch_options.moc"
