#include "ui/session/project_history.h"

#include "ui/session/session.h"

#include <algorithm>
#include <utility>

namespace ui {

ProjectCommand::ProjectCommand(ProjectHistory &history, ChangeOrigin origin, const QString &text)
    : QUndoCommand(text)
    , m_history(history)
    , m_origin(std::move(origin))
    , m_part(m_origin.part)
{
}

ProjectCommand::~ProjectCommand()
{
    m_history.forget(*this);
}

void ProjectCommand::step(bool isDone)
{
    if (m_history.m_isQuiet)
        return;
    if (m_part.isNull()) // who could do it is gone
        return setObsolete(true);
    const bool isNew = std::exchange(m_isNew, false);
    if (m_origin.isAwaited)
        m_history.m_awaited.push_back({ m_origin.part, this, isDone, isNew });
    if (!isNew && m_history.m_session.shownView() != m_origin.view)
        m_history.m_session.showView(m_origin.view);
    apply(isDone);
}

ProjectHistory::ProjectHistory(Session &session)
    : m_session(session)
{
    connect(&session, &Session::projectChanged, this, &ProjectHistory::onProjectChanged);
}

ProjectHistory::~ProjectHistory()
{
    m_stack.blockSignals(true); // who listens may be gone
}

void ProjectHistory::onProjectChanged()
{
    if (std::exchange(m_opening, m_session.opening()) == m_session.opening())
        return;
    m_awaited.clear();
    m_stack.clear();
}

void ProjectHistory::written(const QObject &part, std::size_t count)
{
    std::erase_if(m_awaited, [&](const Step &step) {
        if (step.part != &part || count == 0)
            return false;
        --count;
        return true;
    });
}

/// From the last one on: each finds the history as it left it.
void ProjectHistory::failed(const QObject &part)
{
    std::vector<Step> lost;
    lost.reserve(m_awaited.size());
    std::ranges::copy_if(m_awaited, std::back_inserter(lost),
                         [&](const Step &step) { return step.part == &part; });
    written(part);
    const bool wasQuiet = std::exchange(m_isQuiet, true);
    for (auto step = lost.rbegin(); step != lost.rend(); ++step)
        if (step->command != nullptr && indexOf(*step->command) >= 0)
            takeBack(*step);
    m_isQuiet = wasQuiet;
}

/// A change with later ones of other parts around it leaves the history, which has one order.
void ProjectHistory::takeBack(const Step &step)
{
    const int at = indexOf(*step.command);
    const bool isLast = m_stack.index() == at + (step.isDone ? 1 : 0);
    if (step.isNew || !isLast)
        return remove(at);
    if (step.isDone)
        m_stack.undo();
    else
        m_stack.redo();
}

/// QUndoStack lets go of an obsolete command when it is undone or redone.
void ProjectHistory::remove(int index)
{
    const_cast<QUndoCommand *>(m_stack.command(index))->setObsolete(true);
    const int before = m_stack.index();
    const bool isDone = index < before;
    m_stack.setIndex(isDone ? index + 1 : index);
    if (isDone)
        m_stack.undo();
    else
        m_stack.redo();
    m_stack.setIndex(isDone ? before - 1 : before);
}

int ProjectHistory::indexOf(const ProjectCommand &command) const
{
    for (int i = 0; i < m_stack.count(); ++i)
        if (m_stack.command(i) == &command)
            return i;
    return -1;
}

void ProjectHistory::forget(const ProjectCommand &command)
{
    for (Step &step : m_awaited)
        if (step.command == &command)
            step.command = nullptr;
}

} // namespace ui
