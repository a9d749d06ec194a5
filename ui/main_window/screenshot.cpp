#include "ui/main_window/screenshot.h"

#include "core/base/error.h"
#include "ui/help/help_window.h"
#include "ui/jobs/handler_watch.h"
#include "ui/main_window/image_export.h"
#include "ui/main_window/main_window.h"
#include "ui/main_window/named_event.h"
#include "ui/session/session.h"
#include "ui/widgets/screenshot_states.h"

#include <QCoreApplication>
#include <QEvent>
#include <QPixmap>

#include <utility>

namespace ui {

namespace {

    constexpr int pollMs = 20;
    constexpr int settlePolls = 3; ///< layout and queued repaints
    constexpr int maxPolls = 1500; ///< half a minute

    QString helpId()
    {
        return QStringLiteral("help");
    }

    QStringList pictureIds(const MainWindow &window)
    {
        return window.workspaceIds() << helpId();
    }

    ScreenshotStates *statesOf(MainWindow &window, const QString &id)
    {
        return id == helpId() ? &window.help()
                              : dynamic_cast<ScreenshotStates *>(window.workspace(id));
    }

    /// The id of a workspace or of the help that `name` is, or begins with before a dash.
    QString workspaceOf(const MainWindow &window, const QString &name)
    {
        const QStringList ids = pictureIds(window);
        for (const QString &id : ids) {
            if (name == id || name.startsWith(id + QLatin1Char('-')))
                return id;
        }
        return {};
    }

    QWidget &windowOf(MainWindow &window, const QString &name)
    {
        if (workspaceOf(window, name) == helpId())
            return window.help();
        return window;
    }

    bool needsProject(const QList<ScreenshotRequest> &requests)
    {
        for (const ScreenshotRequest &request : requests) {
            if (request.name != QLatin1String("welcome") && !request.name.startsWith(helpId()))
                return true;
        }
        return false;
    }

} // namespace

QStringList screenshotNames(MainWindow &window)
{
    QStringList names;
    const QStringList ids = pictureIds(window);
    for (const QString &id : ids) {
        names << id;
        if (const ScreenshotStates *states = statesOf(window, id)) {
            const QStringList own = states->screenshotStates();
            for (const QString &state : own)
                names << id + QLatin1Char('-') + state;
        }
    }
    return names;
}

ScreenshotRunner::ScreenshotRunner(MainWindow &window, Session &session,
                                   const LaunchOptions &options)
    : m_window(window)
    , m_session(session)
    , m_options(options)
{
    m_poll.setObjectName(ScreenshotTimerName);
    m_poll.setInterval(pollMs);
    connect(&m_poll, &QTimer::timeout, this, &ScreenshotRunner::takeWhenReady);
}

void ScreenshotRunner::start()
{
    const QStringList names = screenshotNames(m_window);
    for (const ScreenshotRequest &request : m_options.screenshots) {
        if (!names.contains(request.name))
            throw core::UsageError(tr("--screenshot %1: there is no such view; the names are %2")
                                       .arg(request.name, names.join(QStringLiteral(", ")))
                                       .toStdString());
    }
    if (m_options.paths.isEmpty()) {
        if (needsProject(m_options.screenshots))
            throw core::UsageError(
                tr("--screenshot: name a project or a bundle to show").toStdString());
        QTimer::singleShot(0, this, &ScreenshotRunner::takeNext);
        return;
    }
    connect(&m_window, &MainWindow::openFailed, this,
            [this](const QString &message) { finish(1, message); });
    connect(&m_session, &Session::analysisChanged, this, &ScreenshotRunner::onAnalysisChanged,
            Qt::QueuedConnection);
    connect(&m_session, &Session::gainIntervalsChanged, this, &ScreenshotRunner::onAnalysisChanged,
            Qt::QueuedConnection);
    connect(&m_session, &Session::predictionChanged, this, &ScreenshotRunner::onAnalysisChanged,
            Qt::QueuedConnection);
    connect(&m_session, &Session::predictionFailed, this, &ScreenshotRunner::onPredictionFailed,
            Qt::QueuedConnection);
}

void ScreenshotRunner::onAnalysisChanged()
{
    m_session.requestAnalysis(); // pictures are of the whole
    const bool isAnalysed
        = m_session.diagnosis() != nullptr || !m_session.analysisError().isEmpty();
    if (m_isTaking || !m_session.isOpen() || !isAnalysed)
        return;
    if (m_options.wantsPrediction() && !m_isRefused && m_session.prediction() == nullptr) {
        // A change may come between a prediction's failure and the word of it.
        if (!std::exchange(m_hasAsked, true))
            predictGiven();
        return;
    }
    if (m_session.isRunning(QStringLiteral("judge"))
        || m_session.isRunning(QStringLiteral("gains")))
        return; // their ends are changes, too
    if (!m_session.analysisError().isEmpty())
        m_warnings << m_session.analysisError();
    m_isTaking = true;
    if (hasEvent())
        takeNext();
}

bool ScreenshotRunner::hasEvent()
{
    if (m_options.event.isEmpty())
        return true;
    try {
        namedEvent(m_session.reader(), m_options.event);
        return true;
    } catch (const core::Error &error) {
        finish(1, QString::fromUtf8(error.what()));
        return false;
    }
}

void ScreenshotRunner::predictGiven()
{
    if (m_session.predictor() == nullptr)
        return m_session.predict(m_options.strategy); // it says why nothing can be predicted
    try {
        const core::StrategyFile given = givenStrategy(m_options, m_session.predictor()->job());
        for (const std::string &note : given.notes)
            m_warnings << QString::fromStdString(note);
        m_session.predict(given.strategy);
    } catch (const core::Error &error) {
        onPredictionFailed(QString::fromUtf8(error.what()));
    }
}

void ScreenshotRunner::onPredictionFailed(const QString &message)
{
    m_isRefused = true;
    m_warnings << (m_options.strategyFile.isEmpty() ? tr("--set: %1").arg(message)
                                                    : tr("--strategy: %1").arg(message));
    onAnalysisChanged();
}

bool ScreenshotRunner::enter(const QString &name)
{
    const QString id = workspaceOf(m_window, name);
    if (id == helpId())
        m_window.help().show();
    else
        m_window.showWorkspace(id);
    ScreenshotStates *states = statesOf(m_window, id);
    if (states != nullptr)
        states->enterScreenshotState(name.mid(id.size() + 1));
    if (!m_options.event.isEmpty() && name == QLatin1String("timeline"))
        m_session.reveal(namedEvent(m_session.reader(), m_options.event));
    return states != nullptr;
}

/// Without the prediction that was asked for, a comparison would be of something else.
bool ScreenshotRunner::canBeMade(const ScreenshotRequest &request) const
{
    if (request.name == QLatin1String("graph-whatif"))
        return m_session.prediction() != nullptr && !m_isRefused;
    return !m_isRefused || workspaceOf(m_window, request.name) != QLatin1String("compare");
}

void ScreenshotRunner::takeNext()
{
    for (; m_next < m_options.screenshots.size() && !canBeMade(m_options.screenshots[m_next]);
         ++m_next)
        m_warnings << tr("%1 was not made: there is no prediction to show")
                          .arg(m_options.screenshots[m_next].file);
    if (m_next == m_options.screenshots.size()) {
        const auto &report = m_session.importReport();
        const bool isPartial = report && report->hasSkippedInput;
        if (isPartial)
            m_warnings << tr("some of the input was skipped; see the import report of the project");
        finish(m_isRefused ? 1 : isPartial ? 3 : 0, m_warnings.join(QLatin1Char('\n')));
        return;
    }
    enter(m_options.screenshots[m_next].name);
    m_polls = m_readyPolls = 0;
    m_poll.start();
}

void ScreenshotRunner::takeWhenReady()
{
    const ScreenshotRequest &request = m_options.screenshots[m_next];
    const ScreenshotStates *states = statesOf(m_window, workspaceOf(m_window, request.name));
    ++m_polls;
    const bool isReady = states == nullptr || states->isReadyForScreenshot();
    m_readyPolls = isReady ? m_readyPolls + 1 : 0; // what has just come is yet to be laid out
    if (m_readyPolls < settlePolls && (isReady || m_polls < maxPolls))
        return;
    m_poll.stop();
    if (!isReady) {
        finish(1, tr("%1 did not become ready to be rendered").arg(request.name));
        return;
    }
    try {
        take(request);
    } catch (const core::Error &error) {
        finish(1, QString::fromUtf8(error.what()));
        return;
    }
    ++m_next;
    takeNext();
}

/// Throws core::Error where it cannot be written.
void ScreenshotRunner::take(const ScreenshotRequest &request)
{
    if (!request.isPicture) {
        if (!windowOf(m_window, request.name).grab().save(request.file))
            throw core::Error(tr("%1 could not be written. Choose a folder that you may write to, "
                                 "and a name that ends in .png.")
                                  .arg(request.file)
                                  .toStdString());
        return;
    }
    QWidget *view = m_window.workspace(workspaceOf(m_window, request.name));
    QWidget &shown = view == nullptr ? windowOf(m_window, request.name) : *view;
    const std::vector<PicturedTimeline> timelines = timelinesOf(shown);
    ImageWish wish;
    wish.scale = m_options.pictureScale;
    wish.choice.theme = themeOf(shown.palette());
    wish.choice.time = m_options.pictureTime;
    if (!timelines.empty()) {
        const auto groups
            = chosenGroups(m_options.pictureRanks, shownGroups(*timelines.front().state));
        if (!groups)
            throw core::Error(tr("--ranks %1: no such rank is shown. Write numbers, such as 0-3,7.")
                                  .arg(m_options.pictureRanks)
                                  .toStdString());
        wish.choice.groups = *groups;
    }
    writePicture(pictureOf(shown, wish, m_window.imageCaption()), wish.scale, request.file);
}

void ScreenshotRunner::finish(int exitCode, const QString &message)
{
    m_poll.stop();
    disconnect(&m_session, nullptr, this, nullptr);
    disconnect(&m_window, nullptr, this, nullptr);
    emit finished(exitCode, message);
}

} // namespace ui
