#pragma once

#include <QObject>
#include <QPointer>
#include <QString>
#include <QUndoCommand>
#include <QUndoStack>

#include <cstddef>
#include <vector>

namespace ui {

class ProjectHistory;
class Session;

/// Who makes a change of the project, and where the user sees it.
struct ChangeOrigin
{
    const QObject *part; ///< its changes do nothing any more when it is gone
    QString view; ///< id of the page that shows the change
    bool isAwaited = false; ///< the part tells the history what was written, and what was not
};

/// A change of the project that can be undone. Undo and redo bring the page that shows it to the
/// front.
class ProjectCommand : public QUndoCommand
{
public:
    /// `text`: names the change as a menu does, "Move mark".
    ProjectCommand(ProjectHistory &history, ChangeOrigin origin, const QString &text);
    ~ProjectCommand() override;

    void undo() final { step(false); }
    void redo() final { step(true); }

protected:
    virtual void apply(bool isDone) = 0; ///< else it takes the change back

private:
    void step(bool isDone);

    ProjectHistory &m_history;
    ChangeOrigin m_origin;
    QPointer<const QObject> m_part;
    bool m_isNew = true; ///< it was never done yet
};

/// All changes that the user makes to the open project, in one order, with undo and redo. It is
/// empty after another project was opened. GUI thread.
class ProjectHistory : public QObject
{
    Q_OBJECT

public:
    explicit ProjectHistory(Session &session);
    ~ProjectHistory() override;

    QUndoStack &stack() { return m_stack; }
    /// Does the change and takes the command over.
    void push(ProjectCommand *command) { m_stack.push(command); }

    /// The next `count` steps of this part are in the project; the default is all of them.
    void written(const QObject &part, std::size_t count = static_cast<std::size_t>(-1));
    /// The steps of this part that were not told as written are not in the project. An undo and a
    /// redo can be tried again; a new change is no longer listed.
    void failed(const QObject &part);

private:
    friend class ProjectCommand;

    struct Step
    {
        const QObject *part;
        ProjectCommand *command; ///< null: it is gone
        bool isDone, isNew;
    };

    void onProjectChanged();
    void forget(const ProjectCommand &command);
    void takeBack(const Step &step);
    void remove(int index);
    int indexOf(const ProjectCommand &command) const; ///< -1: it is gone

    Session &m_session;
    int m_opening = 0; ///< of the project that the changes are of
    std::vector<Step> m_awaited; ///< in their order
    bool m_isQuiet = false; ///< steps change nothing
    QUndoStack m_stack; // last: its commands forget themselves
};

} // namespace ui
