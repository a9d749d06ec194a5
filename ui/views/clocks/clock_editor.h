#pragma once

#include "ui/jobs/job.h"

#include <QObject>

#include <cstdint>
#include <map>
#include <optional>

namespace ui {

class Session;

/// Sets clocks of the open project by hand: the project is written to in a worker
/// thread, then opened anew. GUI thread.
class ClockEditor : public QObject
{
    Q_OBJECT

public:
    /// What is added to a rank's times; empty: as solved.
    using Choice = std::optional<std::int64_t>;

    ClockEditor(Session &session, QObject *parent);

    /// Does nothing if that is chosen already.
    void choose(int rank, Choice choice);
    bool isRunning() const { return m_job.isRunning(); }

signals:
    void runningChanged(bool isRunning);
    void failed(const QString &message);

private:
    class Command;

    Choice chosen(int rank) const;
    void set(int rank, Choice choice);
    void write();
    void onProjectChanged();

    Session &m_session;
    QString m_project; ///< that the choices are of
    int m_opening = 0; ///< of m_project
    /// Of the ranks changed here: a request that replaces a running one asks for all of them.
    std::map<int, Choice> m_choices;
    Job<bool> m_job;
};

} // namespace ui
