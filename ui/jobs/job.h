#pragma once

#include "core/base/job_control.h"

#include <QFutureWatcher>
#include <QObject>
#include <QPromise>
#include <QString>
#include <QtConcurrent/QtConcurrentRun>

#include <algorithm>
#include <exception>
#include <functional>
#include <memory>
#include <string_view>
#include <utility>

namespace ui {

/// What a Job<Result> is whatever its result: the part that moc, menus and the status bar can see.
class JobBase : public QObject
{
    Q_OBJECT

public:
    using ErrorHandler = std::function<void(const QString &message)>;

    bool isRunning() const { return m_isRunning; }
    double fraction() const { return m_fraction; } ///< 0..1 of the running job
    QString stage() const { return m_stage; } ///< what it is doing, for people

    /// Stops the running job; silent: no handler is called. Returns at once.
    virtual void cancel() = 0;

signals:
    /// Started, finished, failed or cancelled.
    void runningChanged(bool isRunning);
    void progressChanged(double fraction, const QString &stage);

protected:
    /// QPromise's progress is an integer; this many units are the whole job.
    static constexpr int progressUnits = 10000;

    void setRunning(bool isRunning);
    void setProgress(int units, const QString &stage);

private:
    bool m_isRunning = false;
    double m_fraction = 0;
    QString m_stage;
};

/// Runs a core function in a worker thread and hands its result back on the GUI thread.
///
/// A new start() replaces the run before it; cancel() is silent; destruction cancels, waits and
/// delivers nothing, so handlers may use the owner: keep the Job its last-declared member. The work
/// captures values and snapshots only, never a widget, a model or a database connection.
/// This is the only file that knows QtConcurrent and QPromise.
template <class Result>
class Job : public JobBase
{
public:
    using Work = std::function<Result(const core::JobControl &)>;
    using DoneHandler = std::function<void(Result)>;

    Job()
    {
        connect(&m_watcher, &QFutureWatcherBase::finished, this, [this] { deliver(); });
        connect(&m_watcher, &QFutureWatcherBase::progressValueChanged, this,
                [this](int units) { setProgress(units, m_watcher.progressText()); });
        connect(&m_watcher, &QFutureWatcherBase::progressTextChanged, this,
                [this](const QString &text) { setProgress(m_watcher.progressValue(), text); });
    }

    ~Job() override
    {
        m_watcher.disconnect(this);
        m_watcher.cancel();
        waitFor(m_watcher.future());
        for (const QFuture<Result> &old : std::as_const(m_replaced))
            waitFor(old);
    }

    void start(Work work, DoneHandler onDone, ErrorHandler onError)
    {
        retire();
        m_onDone = std::move(onDone);
        m_onError = std::move(onError);
        setProgress(0, {});
        m_watcher.setFuture(
            QtConcurrent::run([work = std::move(work)](QPromise<Result> &p) { run(p, work); }));
        setRunning(true);
    }

    void cancel() override
    {
        if (!isRunning())
            return;
        retire();
        m_watcher.setFuture({});
        setRunning(false);
    }

    /// A cancelled or replaced run has not yet noticed.
    bool isEnding() const
    {
        return std::any_of(m_replaced.begin(), m_replaced.end(),
                           [](const QFuture<Result> &old) { return !old.isFinished(); });
    }

private:
    /// Worker thread.
    static void run(QPromise<Result> &promise, const Work &work)
    {
        promise.setProgressRange(0, progressUnits);
        const core::JobControl control(
            [&promise] { return promise.isCanceled(); },
            [&promise](double fraction, std::string_view stage) {
                promise.setProgressValueAndText(
                    static_cast<int>(fraction * progressUnits),
                    QString::fromUtf8(stage.data(), static_cast<qsizetype>(stage.size())));
            });
        try {
            promise.addResult(work(control));
        } catch (const core::Cancelled &) {
        } catch (...) {
            promise.setException(std::current_exception());
        }
    }

    /// QFuture's own wait rethrows what the work threw; here nobody listens any more.
    static void waitFor(QFuture<Result> future)
    {
        try {
            future.waitForFinished();
        } catch (...) {
        }
    }

    /// Cancels the run before and keeps its future until it has really ended.
    void retire()
    {
        m_replaced.removeIf([](const QFuture<Result> &old) { return old.isFinished(); });
        if (!m_watcher.isFinished()) {
            m_watcher.cancel();
            m_replaced.append(m_watcher.future());
        }
    }

    /// GUI thread; a replaced run does not come here, because the watcher then watches its
    /// successor, and a cancelled one or an empty future is not running.
    void deliver()
    {
        if (!isRunning())
            return;
        setRunning(false);
        // The handlers may start the next run of this very job.
        const DoneHandler onDone = m_onDone;
        const ErrorHandler onError = m_onError;
        QFuture<Result> future = m_watcher.future();
        m_watcher.setFuture({}); // else the result would live as long as this job
        try {
            future.waitForFinished(); // rethrows what the work threw
            if (future.resultCount() > 0) // none: it was cancelled
                onDone(future.takeResult());
        } catch (const std::exception &error) {
            onError(QString::fromUtf8(error.what()));
        }
    }

    QFutureWatcher<Result> m_watcher;
    QList<QFuture<Result>> m_replaced;
    DoneHandler m_onDone;
    ErrorHandler m_onError;
};

} // namespace ui
