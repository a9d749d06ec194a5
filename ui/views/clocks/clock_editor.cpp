#include "ui/views/clocks/clock_editor.h"

#include "core/base/error.h"
#include "core/pipeline/align_by_hand.h"
#include "ui/session/project_history.h"
#include "ui/session/session.h"

namespace ui {

class ClockEditor::Command : public ProjectCommand
{
public:
    Command(ClockEditor &editor, int rank, Choice before, Choice after)
        : ProjectCommand(editor.m_session.history(), { &editor, QStringLiteral("clocks"), true },
                         after ? ClockEditor::tr("Offset of rank %1").arg(rank)
                               : ClockEditor::tr("Solved offset of rank %1").arg(rank))
        , m_editor(editor)
        , m_rank(rank)
        , m_before(before)
        , m_after(after)
    {
    }

protected:
    void apply(bool isDone) override { m_editor.set(m_rank, isDone ? m_after : m_before); }

private:
    ClockEditor &m_editor;
    int m_rank;
    Choice m_before, m_after;
};

ClockEditor::ClockEditor(Session &session, QObject *parent)
    : QObject(parent)
    , m_session(session)
{
    connect(&session, &Session::projectChanged, this, &ClockEditor::onProjectChanged);
    connect(&m_job, &JobBase::runningChanged, this, &ClockEditor::runningChanged);
    onProjectChanged();
}

void ClockEditor::onProjectChanged()
{
    const QString before = std::exchange(m_project, m_session.projectPath());
    if (std::exchange(m_opening, m_session.opening()) != m_session.opening()) {
        m_choices.clear(); // what is being written is written
    } else if (before != m_project && m_job.isRunning()) {
        write(); // the copy that the project goes on in
    }
}

ClockEditor::Choice ClockEditor::chosen(int rank) const
{
    if (const auto found = m_choices.find(rank); found != m_choices.end())
        return found->second;
    const core::ProjectInfo &info = m_session.reader().info();
    for (const core::Alignment &clock : info.byHand)
        if (info.workers[clock.worker.value].rank == rank)
            return clock.offsetNs;
    return std::nullopt;
}

void ClockEditor::choose(int rank, Choice choice)
{
    const Choice before = chosen(rank);
    if (before != choice)
        m_session.history().push(new Command(*this, rank, before, choice));
}

void ClockEditor::set(int rank, Choice choice)
{
    m_choices[rank] = choice;
    write();
}

void ClockEditor::write()
{
    std::vector<core::ClockChange> changes;
    for (const auto &[changed, offsetNs] : m_choices)
        changes.push_back({ changed, offsetNs });
    m_job.start(
        [path = m_session.reader().path(), changes](const core::JobControl &control) {
            core::alignByHand(path, changes, control);
            return true;
        },
        [this, opening = m_opening](bool) {
            if (opening != m_opening)
                return; // another one was opened meanwhile
            m_session.history().written(*this);
            try {
                m_session.reopen();
            } catch (const core::Error &error) {
                emit failed(QString::fromUtf8(error.what()));
            }
        },
        [this, opening = m_opening](const QString &message) {
            if (opening == m_opening) {
                m_session.history().failed(*this); // the project is as it was before
                m_choices.clear();
            }
            emit failed(message);
        });
}

} // namespace ui
