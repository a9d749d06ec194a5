#include "ui/session/project_copy.h"

#include "core/base/error.h"
#include "core/project/project_copy.h"
#include "ui/session/session.h"

namespace ui {

ProjectCopy::ProjectCopy(Session &session)
    : m_session(session)
{
    connect(&session, &Session::projectChanged, this, &ProjectCopy::onProjectChanged);
}

/// The same project anew: it was written to, perhaps too late for the copy.
void ProjectCopy::onProjectChanged()
{
    if (m_job.isRunning() && m_opening == m_session.opening())
        start(m_target);
}

void ProjectCopy::start(const QString &target)
{
    if (!m_session.isOpen())
        return;
    if (m_session.isRunning(QStringLiteral("import"))) {
        m_job.cancel();
        return emit failed(tr("files are being imported. Save it when they are there."));
    }
    m_opening = m_session.opening();
    m_target = target;
    m_job.start(
        [turn = m_turn, from = m_session.reader().path(),
         to = std::filesystem::path(target.toStdString())](const core::JobControl &control) {
            const std::lock_guard lock(*turn); // one that is replaced writes the same file
            core::throwIfCancelled(control);
            core::copyProject(from, to, control);
            return true;
        },
        [this](bool) { open(); }, [this](const QString &message) { emit failed(message); });
}

/// Only where the user has not gone on to another project.
void ProjectCopy::open()
{
    if (m_session.opening() != m_opening)
        return;
    try {
        m_session.moveTo(m_target);
    } catch (const core::Error &error) {
        return emit failed(QString::fromUtf8(error.what()));
    }
    emit opened(m_target);
}

} // namespace ui
