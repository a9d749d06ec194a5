#include "ui/jobs/handler_watch.h"
#include "ui/jobs/watched_application.h"

#include <QEventLoop>
#include <QKeyEvent>
#include <QTest>

#include <ctime>
#include <memory>
#include <vector>

using namespace ui;

namespace {

constexpr std::int64_t Ms = 1'000'000;

/// A watch with clocks that the test sets.
struct Fixture
{
    std::int64_t cpuNs = 0;
    std::int64_t wallNs = 0;
    std::vector<SlowHandler> told;
    HandlerWatch watch { 50,
                         [this](const SlowHandler &slow) { told.push_back(slow); },
                         { [this] { return cpuNs; }, [this] { return wallNs; } } };

    void pass(std::int64_t cpuMs, std::int64_t wallMs)
    {
        cpuNs += cpuMs * Ms;
        wallNs += wallMs * Ms;
    }
};

/// Works for a time that its event does not say, as a slow handler does.
class SlowObject : public QObject
{
public:
    bool event(QEvent *) override
    {
        const std::clock_t end = std::clock() + 20 * CLOCKS_PER_SEC / 1000;
        while (std::clock() < end) { }
        return true;
    }
};

} // namespace

class TestHandlerWatch : public QObject
{
    Q_OBJECT

private slots:
    void aHandlerOverTheLimitIsTold()
    {
        Fixture f;
        QObject receiver;
        receiver.setObjectName(QStringLiteral("curve"));
        {
            const QEvent event(QEvent::Paint);
            const HandlerWatch::Running running(f.watch, receiver, event, 0);
            f.pass(51, 70);
        }
        QCOMPARE(f.told.size(), std::size_t(1));
        QCOMPARE(slowHandlerText(f.told.front()),
                 QStringLiteral("QObject 'curve' handled Paint in 51 ms of processor time (70 ms "
                                "passed); the limit is 50 ms."));
    }

    void aHandlerThatOnlyWaitsIsNotTold()
    {
        Fixture f;
        const QObject receiver;
        {
            const QEvent event(QEvent::Timer);
            const HandlerWatch::Running running(f.watch, receiver, event, 0);
            f.pass(50, 5000);
        }
        QVERIFY(f.told.empty());
    }

    void thePicturesOfACommandAreLeftOut()
    {
        Fixture f;
        QObject timer;
        timer.setObjectName(ScreenshotTimerName);
        const QEvent event(QEvent::Timer);
        {
            const HandlerWatch::Running running(f.watch, timer, event, 0);
            f.pass(80, 80);
        }
        QVERIFY(f.told.empty());
        timer.setObjectName(QStringLiteral("poll"));
        {
            const HandlerWatch::Running running(f.watch, timer, event, 0);
            f.pass(80, 80);
        }
        QCOMPARE(f.told.size(), std::size_t(1));
    }

    void whatAHandlerSendsIsAPartOfIt()
    {
        Fixture f;
        const QObject parent;
        const QObject child;
        {
            const QEvent event(QEvent::Timer);
            const HandlerWatch::Running outer(f.watch, parent, event, 1);
            f.pass(30, 30);
            const QEvent sent(QEvent::LayoutRequest);
            const HandlerWatch::Running inner(f.watch, child, sent, 1);
            f.pass(30, 30);
        }
        QCOMPARE(f.told.size(), std::size_t(1));
        QCOMPARE(f.told.front().event, QStringLiteral("Timer"));
        QCOMPARE(f.told.front().cpuMs, 60.0);
    }

    void whatANestedLoopHandlesIsCountedForItself()
    {
        Fixture f;
        const QObject button;
        const QObject dialog;
        {
            const QEvent click(QEvent::MouseButtonRelease);
            const HandlerWatch::Running outer(f.watch, button, click, 1);
            f.pass(30, 30);
            {
                const QEvent shown(QEvent::Show);
                const HandlerWatch::Running inner(f.watch, dialog, shown, 2);
                f.pass(60, 60);
            }
            f.pass(10, 10);
        }
        QCOMPARE(f.told.size(), std::size_t(1));
        QCOMPARE(f.told.front().event, QStringLiteral("Show"));
        QCOMPARE(f.told.front().cpuMs, 60.0);
    }

    /// The deleted receiver is named by what was read before.
    void aReceiverMayBeDeletedMeanwhile()
    {
        Fixture f;
        auto receiver = std::make_unique<QObject>();
        {
            const QEvent event(QEvent::DeferredDelete);
            const HandlerWatch::Running running(f.watch, *receiver, event, 0);
            receiver.reset();
            f.pass(80, 80);
        }
        QCOMPARE(f.told.front().receiver, QStringLiteral("QObject"));
    }

    void theFactorIsOfThisBuild()
    {
        QVERIFY(handlerTimeFactor() >= 1);
        QCOMPARE(handlerTimeFactor(), handlerTimeFactor());
        qInfo("a handler may take %.0f ms in this build",
              HandlerWatch::LimitMs * handlerTimeFactor());
    }

    void theApplicationOfTheTestsWatches()
    {
        auto *application = dynamic_cast<WatchedApplication *>(qApp);
        QVERIFY(application != nullptr);
        std::vector<SlowHandler> told;
        HandlerWatch watch(10, [&](const SlowHandler &slow) { told.push_back(slow); });
        SlowObject receiver;
        QEvent event(QEvent::User);
        {
            const HandlerWatch::Running running(watch, receiver, event, 0);
            QCoreApplication::sendEvent(&receiver, &event);
        }
        QCOMPARE(told.size(), std::size_t(1));
        QVERIFY(told.front().cpuMs >= 10);
    }
};

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestHandlerWatch)
#include "tst_handler_watch.moc"
