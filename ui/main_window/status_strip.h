#pragma once

#include "ui/main_window/trust.h"

#include <QFrame>
#include <QMap>
#include <QString>
#include <QTimer>

class QLabel;
class QProgressBar;
class QPushButton;
class QToolButton;

namespace ui {

class ElidedLabel;
class Session;

/// The bottom line: what is running, with progress and cancel, at the left, of several jobs the one
/// that the user waits for; how far the numbers can be believed at the right, each clickable for
/// its own reasons.
class StatusStrip : public QFrame
{
    Q_OBJECT

public:
    StatusStrip(Session &session, QWidget *parent);

    /// Shows for some seconds what has been done; moves nothing.
    void say(const QString &text);

protected:
    void changeEvent(QEvent *event) override;

private:
    void updateJob(const QString &job, double fraction, const QString &stage);
    void showJobs();
    QString firstJob() const;
    void updateState();
    void showDetails(StatusSubject subject);
    QPushButton *createStateButton(StatusSubject subject);

    struct Running
    {
        double fraction = 0;
        QString stage;
    };

    Session &m_session;
    QMap<QString, Running> m_running; ///< by job id
    QLabel *m_jobText = nullptr;
    QProgressBar *m_progress = nullptr;
    QToolButton *m_cancel = nullptr;
    ElidedLabel *m_said = nullptr;
    QTimer m_saidTimer;
    QPushButton *m_ranks = nullptr;
    QPushButton *m_alignment = nullptr;
    QPushButton *m_trust = nullptr;
};

} // namespace ui
