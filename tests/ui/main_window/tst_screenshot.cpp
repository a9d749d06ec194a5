#include "core/change/change_text.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/screenshot.h"
#include "ui/session/session.h"

#include <QFile>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>

using namespace ui;

namespace {

constexpr int timeoutMs = 120'000;

QString sampleFolder()
{
    return QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25");
}

} // namespace

class TestScreenshot : public QObject
{
    Q_OBJECT

private slots:
    void withoutItsPredictionAllElseIsRendered();
    void aPredictionIsAskedForOnce();
    void theHelpNeedsNoProject();
    void theEventOfAtIsShown_data();
    void theEventOfAtIsShown();
};

void TestScreenshot::theEventOfAtIsShown_data()
{
    QTest::addColumn<QString>("event");
    QTest::addColumn<int>("code");
    QTest::newRow("a name") << QStringLiteral("aten::mm") << 0;
    QTest::newRow("no name of any") << QStringLiteral("nosuchop") << 1;
    QTest::newRow("no number of any") << QStringLiteral("999999999") << 1;
}

/// `--at` was lost with `--screenshot`, and one that names nothing ended with 0.
void TestScreenshot::theEventOfAtIsShown()
{
    QFETCH(const QString, event);
    QFETCH(const int, code);
    const QTemporaryDir folder;
    LaunchOptions options;
    options.paths = QStringList { sampleFolder() };
    options.screenshots = { { QStringLiteral("timeline"), folder.filePath(u"t.png"_qs) } };
    options.event = event;
    Session session;
    MainWindow window(session, false);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    window.open(options.paths);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QCOMPARE(finished[0][0].toInt(), code);
    QCOMPARE(finished[0][1].toString().contains(event), code != 0);
    QCOMPARE(QFile::exists(options.screenshots[0].file), code == 0);
    QCOMPARE(session.selectedSlice().has_value(), code == 0);
}

/// One setting that the trace does not support, and not even the summary was rendered.
void TestScreenshot::withoutItsPredictionAllElseIsRendered()
{
    const QTemporaryDir folder;
    const auto file = [&folder](const char *name) { return folder.filePath(QLatin1String(name)); };
    LaunchOptions options;
    options.paths = QStringList { sampleFolder() };
    options.screenshots = { { QStringLiteral("compare"), file("compare.png") },
                            { QStringLiteral("summary"), file("summary.png") } };
    options.strategy = core::parseStrategy({ "bandwidth_mbit:7=100" }); // there is no rank 7
    Session session;
    MainWindow window(session, false);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    window.open(options.paths);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QCOMPARE(finished[0][0].toInt(), 1);
    const QString message = finished[0][1].toString();
    QVERIFY2(message.startsWith(QLatin1String("--set: ")), qPrintable(message));
    QVERIFY2(message.contains(file("compare.png")), qPrintable(message));
    QVERIFY(!QFile::exists(file("compare.png")));
    QVERIFY(QFile::exists(file("summary.png")));
}

/// Intervals of gains that came just then made it fail, and warn, twice.
void TestScreenshot::aPredictionIsAskedForOnce()
{
    const QTemporaryDir folder;
    LaunchOptions options;
    options.paths = QStringList { sampleFolder() };
    options.screenshots
        = { { QStringLiteral("summary"), folder.filePath(QStringLiteral("summary.png")) } };
    options.strategy = core::parseStrategy({ "bandwidth_mbit:7=100" }); // there is no rank 7
    Session session;
    QSignalSpy failed(&session, &Session::predictionFailed);
    connect(&session, &Session::predictionFailed, &session, &Session::gainIntervalsChanged);
    MainWindow window(session, false);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    window.open(options.paths);
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QCOMPARE(failed.size(), 1);
    QCOMPARE(finished[0][1].toString().count(QLatin1String("--set: ")), 1);
}

void TestScreenshot::theHelpNeedsNoProject()
{
    const QTemporaryDir folder;
    LaunchOptions options;
    options.screenshots
        = { { QStringLiteral("help-trust"), folder.filePath(QStringLiteral("trust.png")) } };
    Session session;
    MainWindow window(session, false);
    ScreenshotRunner runner(window, session, options);
    QSignalSpy finished(&runner, &ScreenshotRunner::finished);
    runner.start();
    QTRY_COMPARE_WITH_TIMEOUT(finished.size(), 1, timeoutMs);
    QCOMPARE(finished[0][0].toInt(), 0);
    QVERIFY(QFile::exists(options.screenshots[0].file));
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestScreenshot)
#include "tst_screenshot.moc"
