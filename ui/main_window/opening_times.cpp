#include "ui/main_window/opening_times.h"

#include "ui/session/session.h"

#include <QCoreApplication>
#include <QEvent>
#include <QLoggingCategory>

#include <unistd.h>

#include <ctime>
#include <fstream>
#include <string>

namespace ui {

namespace {

    constexpr int QuietMs = 60; ///< charts are painted a few turns after the page

    Q_LOGGING_CATEGORY(openingLog, "longpole.opening", QtWarningMsg)

    double readMs(clockid_t clock)
    {
        timespec now {};
        clock_gettime(clock, &now);
        return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
    }

    double sinceBootMs()
    {
        return readMs(CLOCK_BOOTTIME);
    }

    /// Field 22 of /proc/self/stat, in clock ticks: see proc(5). The second field may hold blanks.
    double processStartMs()
    {
        std::ifstream file("/proc/self/stat");
        std::string text;
        std::getline(file, text);
        const std::size_t name = text.rfind(')');
        if (name == std::string::npos)
            return sinceBootMs();
        const QString rest = QString::fromStdString(text.substr(name + 2));
        constexpr int StartField = 22 - 3; // the rest begins with field 3
        const double ticks = rest.section(QLatin1Char(' '), StartField, StartField).toDouble();
        return ticks * 1e3 / static_cast<double>(sysconf(_SC_CLK_TCK));
    }

} // namespace

OpeningTimes::Moment OpeningTimes::now()
{
    static const double start = processStartMs();
    return { sinceBootMs() - start, readMs(CLOCK_THREAD_CPUTIME_ID) };
}

bool OpeningTimes::areWanted()
{
    return openingLog().isInfoEnabled();
}

OpeningTimes::OpeningTimes(QWidget &window, Session &session)
    : m_session(session)
{
    m_quiet.setSingleShot(true);
    m_quiet.setInterval(QuietMs);
    connect(&m_quiet, &QTimer::timeout, this, &OpeningTimes::onSettled);
    connect(&session, &Session::projectChanged, this, [this] {
        if (m_session.isOpen())
            tell("project open", now());
    });
    connect(&session, &Session::analysisChanged, this, &OpeningTimes::onAnalysisChanged);
    window.installEventFilter(this);
}

/// What the window's own handler paints is painted when the event after it comes.
bool OpeningTimes::eventFilter(QObject *object, QEvent *event)
{
    if (event->type() == QEvent::UpdateRequest && m_isAwaited) {
        object->removeEventFilter(this);
        QCoreApplication::sendEvent(object, event);
        object->installEventFilter(this);
        if (m_painted.passedMs == 0)
            tell("window painted", now());
        m_painted = now();
        if (m_hasFindings)
            m_quiet.start();
        return true;
    }
    return QObject::eventFilter(object, event);
}

void OpeningTimes::tell(const char *what, Moment moment)
{
    const QString line = QStringLiteral("%1: %2 ms, processor time of the GUI thread %3 ms")
                             .arg(QLatin1String(what))
                             .arg(moment.passedMs, 0, 'f', 0)
                             .arg(moment.cpuMs, 0, 'f', 0);
    qCInfo(openingLog, "%s", qPrintable(line));
    emit told(line);
}

void OpeningTimes::onAnalysisChanged()
{
    if (!m_session.isOpen() || m_hasFindings || m_session.findings() == nullptr)
        return;
    m_hasFindings = true;
    tell(m_session.diagnosis() == nullptr ? "kept findings read" : "findings there", now());
}

void OpeningTimes::onSettled()
{
    tell("findings painted", m_painted);
    m_isAwaited = false;
}

} // namespace ui
