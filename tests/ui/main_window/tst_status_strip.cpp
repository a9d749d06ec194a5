#include "ui/main_window/status_strip.h"
#include "ui/session/session.h"

#include <QLabel>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace ui;

namespace {

constexpr int timeoutMs = 120'000;

QStringList labels(const StatusStrip &strip)
{
    QStringList texts;
    for (const QLabel *label : strip.findChildren<QLabel *>())
        texts << label->text();
    return texts;
}

} // namespace

class TestStatusStrip : public QObject
{
    Q_OBJECT

private slots:
    void whatTheUserWaitsForIsNamedAndCancelled();
};

/// Jobs were in the order of their ids: Cancel stopped the intervals of gains, which were called
/// a prediction, and not the what-if.
void TestStatusStrip::whatTheUserWaitsForIsNamedAndCancelled()
{
    const QTemporaryDir folder;
    Session session;
    StatusStrip strip(session, nullptr);
    const QSignalSpy changed(&session, &Session::gainIntervalsChanged);
    QStringList alone, beside;
    bool isPredicting = false, areGainsRunning = false;
    connect(&session, &Session::jobProgressChanged, this, [&](const QString &job) {
        if (job != QLatin1String("gains") || !alone.isEmpty())
            return;
        alone = labels(strip);
        core::Strategy settings;
        settings.set({ "bandwidth_scale", 2 });
        session.predict(settings);
        beside = labels(strip);
        strip.findChild<QToolButton *>()->click();
        isPredicting = session.isRunning(QStringLiteral("predict"));
        areGainsRunning = session.isRunning(QStringLiteral("gains"));
        strip.findChild<QToolButton *>()->click();
    });
    session.importProject(
        { QStringLiteral(LONGPOLE_SOURCE_DIR "/resources/samples/vgg-w2-500mbit-b25") },
        folder.filePath(QStringLiteral("sample.longpole")));
    QTRY_VERIFY_WITH_TIMEOUT(!alone.isEmpty(), timeoutMs);
    QCOMPARE(alone.filter(QStringLiteral("Intervals of gains")).size(), 1);
    QCOMPARE(beside.filter(QStringLiteral("Prediction (and 1 more)")).size(), 1);
    QVERIFY(!isPredicting && areGainsRunning);
    QVERIFY(!session.isRunning(QStringLiteral("gains")) && session.gainIntervals() == nullptr);
    QCOMPARE(changed.size(), 1); // who waits for them is told
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestStatusStrip)
#include "tst_status_strip.moc"
