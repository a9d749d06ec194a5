#pragma once

#include "ui/jobs/job.h"

#include <QObject>
#include <QString>

#include <memory>
#include <mutex>

namespace ui {

class Session;

/// Saves the open project under another name in a worker thread; then the session goes on in the
/// copy. Whoever keeps something in a project writes it into the copy then: it may be younger than
/// what was copied. GUI thread.
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
    void onProjectChanged();
    void open();

    Session &m_session;
    int m_opening = 0; ///< of the project that is copied
    QString m_target;
    std::shared_ptr<std::mutex> m_turn = std::make_shared<std::mutex>(); ///< of the copy that runs
    Job<bool> m_job; // last: it dies first
};

} // namespace ui
