#pragma once

#include "ui/main_window/launch_options.h"

#include <QObject>
#include <QTimer>

namespace ui {

class MainWindow;
class Session;

/// Names that --screenshot knows: every workspace and the help, and their states after a dash.
QStringList screenshotNames(MainWindow &window);

/// Waits for the analysis (and the prediction, if settings were given), renders what was asked for
/// and says how it went. Where the trace does not support the settings, the comparison is not
/// rendered, all else is, and the exit code is 1.
class ScreenshotRunner : public QObject
{
    Q_OBJECT

public:
    ScreenshotRunner(MainWindow &window, Session &session, const LaunchOptions &options);

    /// Call before open(); throws core::UsageError when a name is unknown.
    void start();

signals:
    /// Exit code of the command line contract, and what to write to stderr (may be empty).
    void finished(int exitCode, const QString &message);

private:
    void onAnalysisChanged();
    void predictGiven();
    void onPredictionFailed(const QString &message);
    bool canBeMade(const ScreenshotRequest &request) const;
    void takeNext();
    void takeWhenReady();
    void take(const ScreenshotRequest &request);
    bool enter(const QString &name);
    bool hasEvent(); ///< false: there is no event of --at, and all ends
    void finish(int exitCode, const QString &message);

    MainWindow &m_window;
    Session &m_session;
    LaunchOptions m_options;
    QTimer m_poll;
    qsizetype m_next = 0;
    int m_polls = 0;
    int m_readyPolls = 0; ///< of them without a break, up to now
    bool m_isTaking = false;
    bool m_hasAsked = false; ///< for the prediction of the settings
    bool m_isRefused = false; ///< that prediction
    QStringList m_warnings;
};

} // namespace ui
