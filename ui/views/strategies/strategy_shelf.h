#pragma once

#include "core/project/saved_strategies.h"
#include "ui/jobs/job.h"

#include <QObject>
#include <QUndoStack>

#include <cstdint>
#include <deque>
#include <vector>

namespace ui {

class Session;

/// The strategies that are saved in the open project, with undo and redo: the project is written to
/// in a worker thread, one edit after the other. GUI thread.
class StrategyShelf : public QObject
{
    Q_OBJECT

public:
    StrategyShelf(Session &session, QObject *parent);

    const std::vector<core::SavedStrategy> &strategies() const { return m_strategies; }
    void add(const QString &name, const std::string &file);
    void rename(std::int64_t id, const QString &name);
    void remove(std::int64_t id);
    QUndoStack &undoStack() { return m_undo; }
    bool isWriting() const { return m_job.isRunning() || !m_waiting.empty(); }

signals:
    void changed();
    void failed(const QString &message);

private:
    class Command;

    /// One edit of the project: `strategy` is there afterwards, or not.
    struct Edit
    {
        core::SavedStrategy strategy;
        bool isThere = true;
    };

    const core::SavedStrategy *byId(std::int64_t id) const;
    std::int64_t unusedId() const;
    void apply(const Edit &edit);
    void writeNext();
    void onProjectChanged();

    Session &m_session;
    std::vector<core::SavedStrategy> m_strategies;
    QUndoStack m_undo;
    QString m_project; ///< that the undo stack is about
    std::deque<Edit> m_waiting; ///< to be written
    Job<bool> m_job; // last: it dies first
};

} // namespace ui
