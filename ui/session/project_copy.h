#pragma once

#include "ui/jobs/job.h"

#include <QObject>
#include <QString>

namespace ui {

class Session;

/// Saves the open project under another name in a worker thread; then the copy is open, with the
/// same what-if. GUI thread.
class ProjectCopy : public QObject
{
    Q_OBJECT

public:
    explicit ProjectCopy(Session &session);

    void start(const QString &target);
    JobBase &job() { return m_job; }

signals:
    void opened(const QString &target);
    void failed(const QString &message);

private:
    void open(const QString &project, const QString &target);

    Session &m_session;
    Job<bool> m_job; // last: it dies first
};

} // namespace ui
