#include "ui/session/project_copy.h"

#include "core/base/error.h"
#include "core/project/project_copy.h"
#include "ui/session/session.h"

namespace ui {

ProjectCopy::ProjectCopy(Session &session)
    : m_session(session)
{
}

void ProjectCopy::start(const QString &target)
{
    if (!m_session.isOpen())
        return;
    m_job.start(
        [from = m_session.reader().path(),
         to = std::filesystem::path(target.toStdString())](const core::JobControl &control) {
            core::copyProject(from, to, control);
            return true;
        },
        [this, project = m_session.projectPath(), target](bool) { open(project, target); },
        [this](const QString &message) { emit failed(message); });
}

/// Only where the user has not gone on to another project.
void ProjectCopy::open(const QString &project, const QString &target)
{
    if (m_session.projectPath() != project)
        return;
    try {
        m_session.reopen(target);
    } catch (const core::Error &error) {
        return emit failed(QString::fromUtf8(error.what()));
    }
    emit opened(target);
}

} // namespace ui
