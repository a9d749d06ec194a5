#include "ui/jobs/watched_application.h"

#include <QThread>

namespace ui {

// Qt keeps the reference, so it is taken on as one.
WatchedApplication::WatchedApplication(int &argc, char **argv, Watch watch)
    : QApplication(argc, argv)
    , m_report([](const SlowHandler &slow) { qWarning("%s", qPrintable(slowHandlerText(slow))); })
{
    if (watch == Watch::Always || qEnvironmentVariableIsSet("LONGPOLE_HANDLER_LIMIT_MS"))
        m_watch.emplace(handlerLimitMs(), [this](const SlowHandler &slow) { m_report(slow); });
}

bool WatchedApplication::notify(QObject *receiver, QEvent *event)
{
    QThread *const current = QThread::currentThread();
    if (receiver == nullptr || event == nullptr || !m_watch || current != thread())
        return QApplication::notify(receiver, event);
    const HandlerWatch::Running running(*m_watch, *receiver, *event, current->loopLevel());
    return QApplication::notify(receiver, event);
}

} // namespace ui
