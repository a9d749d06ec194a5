#include "core/base/error.h"
#include "ui/jobs/job.h"

#include <QSignalSpy>
#include <QTest>

#include <atomic>
#include <memory>
#include <thread>

using namespace ui;

namespace {

/// Something a test waits for in the worker thread without sleeping for a fixed time.
struct Gate
{
    std::atomic<bool> isEntered { false };
    std::atomic<bool> isOpen { false };
    std::atomic<bool> isLeft { false };
};

/// Work that waits until it is cancelled or the gate opens.
Job<int>::Work waitAt(std::shared_ptr<Gate> gate, int result)
{
    return [gate, result](const core::JobControl &control) {
        gate->isEntered = true;
        while (!gate->isOpen && !control.isCancelled())
            std::this_thread::yield();
        gate->isLeft = true;
        core::throwIfCancelled(control);
        return result;
    };
}

} // namespace

class TestJob : public QObject
{
    Q_OBJECT

private slots:
    void deliversTheResultOnTheGuiThread();
    void reportsAnErrorInWords();
    void aCancelledJobDeliversNothing();
    void aNewStartReplacesTheRunBefore();
    void destructionWaitsAndDeliversNothing();
    void aHandlerMayStartTheNextRun();
    void keepsNoResult();
    void tellsProgress();
    void saysWhetherItRuns();
};

void TestJob::deliversTheResultOnTheGuiThread()
{
    int result = 0;
    QThread *thread = nullptr;
    Job<int> job;
    job.start([](const core::JobControl &) { return 42; },
              [&](int value) {
                  result = value;
                  thread = QThread::currentThread();
              },
              [](const QString &message) { QFAIL(qPrintable(message)); });
    QCOMPARE(result, 0); // never from within start()
    QTRY_COMPARE(result, 42);
    QCOMPARE(thread, qApp->thread());
}

void TestJob::reportsAnErrorInWords()
{
    QString message;
    Job<int> job;
    job.start([](const core::JobControl &) -> int { throw core::Error("no such file: a.json"); },
              [](int) { QFAIL("delivered a result"); }, [&](const QString &m) { message = m; });
    QTRY_COMPARE(message, QStringLiteral("no such file: a.json"));
    QVERIFY(!job.isRunning());
}

void TestJob::aCancelledJobDeliversNothing()
{
    const auto gate = std::make_shared<Gate>();
    bool isCalled = false;
    Job<int> job;
    job.start(
        waitAt(gate, 1), [&](int) { isCalled = true; }, [&](const QString &) { isCalled = true; });
    QTRY_VERIFY(gate->isEntered);
    job.cancel();
    QVERIFY(!job.isRunning());
    QTRY_VERIFY(gate->isLeft);
    QTRY_VERIFY(!job.isEnding());
    QCoreApplication::processEvents();
    QVERIFY(!isCalled);
}

void TestJob::aNewStartReplacesTheRunBefore()
{
    const auto first = std::make_shared<Gate>();
    QList<int> results;
    Job<int> job;
    const auto onDone = [&](int value) { results << value; };
    const auto onError = [](const QString &message) { QFAIL(qPrintable(message)); };
    job.start(waitAt(first, 1), onDone, onError);
    QTRY_VERIFY(first->isEntered);
    job.start([](const core::JobControl &) { return 2; }, onDone, onError);
    QTRY_COMPARE(results, QList<int> { 2 });
    QTRY_VERIFY(first->isLeft);
    QCoreApplication::processEvents();
    QCOMPARE(results, QList<int> { 2 });
}

void TestJob::destructionWaitsAndDeliversNothing()
{
    const auto gate = std::make_shared<Gate>();
    bool isCalled = false;
    {
        Job<int> job;
        job.start(
            waitAt(gate, 1), [&](int) { isCalled = true; },
            [&](const QString &) { isCalled = true; });
        QTRY_VERIFY(gate->isEntered);
    }
    QVERIFY(gate->isLeft);
    QCoreApplication::processEvents();
    QVERIFY(!isCalled);
}

void TestJob::aHandlerMayStartTheNextRun()
{
    QList<int> results;
    Job<int> job;
    const auto fail = [](const QString &message) { QFAIL(qPrintable(message)); };
    job.start([](const core::JobControl &) { return 1; },
              [&](int value) {
                  results << value;
                  job.start([](const core::JobControl &) { return 2; },
                            [&](int next) { results << next; }, fail);
              },
              fail);
    QTRY_COMPARE(results, (QList<int> { 1, 2 }));
}

void TestJob::keepsNoResult()
{
    std::shared_ptr<int> result;
    int deliveries = 0;
    Job<std::shared_ptr<int>> job;
    job.start([](const core::JobControl &) { return std::make_shared<int>(1); },
              [&](std::shared_ptr<int> value) {
                  result = std::move(value);
                  ++deliveries;
              },
              [](const QString &message) { QFAIL(qPrintable(message)); });
    QTRY_VERIFY(result != nullptr);
    QCoreApplication::processEvents();
    QCOMPARE(deliveries, 1);
    const std::weak_ptr<int> watch = result;
    result.reset();
    QVERIFY(watch.expired());
}

void TestJob::tellsProgress()
{
    const auto gate = std::make_shared<Gate>();
    Job<int> job;
    QSignalSpy progress(&job, &JobBase::progressChanged);
    job.start(
        [gate](const core::JobControl &control) {
            control.report(0.5, "import rank0.json");
            while (!gate->isOpen)
                std::this_thread::yield();
            return 1;
        },
        [](int) {}, [](const QString &) {});
    QTRY_COMPARE(job.fraction(), 0.5);
    QTRY_COMPARE(job.stage(), QStringLiteral("import rank0.json"));
    QVERIFY(!progress.isEmpty());
    gate->isOpen = true;
    QTRY_VERIFY(!job.isRunning());
}

void TestJob::saysWhetherItRuns()
{
    Job<int> job;
    QSignalSpy running(&job, &JobBase::runningChanged);
    job.start([](const core::JobControl &) { return 1; }, [](int) {}, [](const QString &) {});
    QVERIFY(job.isRunning());
    QTRY_COMPARE(running.size(), 2);
    QCOMPARE(running[0][0].toBool(), true);
    QCOMPARE(running[1][0].toBool(), false);
}

#include "tests/support/unit_test.h"
LONGPOLE_TEST(TestJob)
#include "tst_job.moc"
