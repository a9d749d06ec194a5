#pragma once

#include <QObject>
#include <QTimer>
#include <QWidget>

namespace ui {

class Session;

/// Tells when a project is open, when its findings are there and when the window has painted them,
/// in ms since the process began: QT_LOGGING_RULES="longpole.opening.info=true".
class OpeningTimes : public QObject
{
    Q_OBJECT

public:
    /// True where somebody wants to read them.
    static bool areWanted();
    /// `window` and `session` outlive it.
    OpeningTimes(QWidget &window, Session &session);

    bool eventFilter(QObject *object, QEvent *event) override;

signals:
    void told(const QString &line); ///< what is logged

private:
    struct Moment
    {
        double passedMs = 0; ///< since the process began
        double cpuMs = 0; ///< that the GUI thread has taken since
    };
    static Moment now();
    void tell(const char *what, Moment moment);
    void onAnalysisChanged();
    void onSettled();

    Session &m_session;
    QTimer m_quiet; ///< runs out when nothing has been painted for a while
    Moment m_painted;
    bool m_isAwaited = true; ///< the findings' picture is not yet told
    bool m_hasFindings = false;
};

} // namespace ui
